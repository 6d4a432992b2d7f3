import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { distinct, listening } from '../support/webhook-events.ts';
import { verified } from '../support/webhooks.ts';

describe.concurrent('deliveries', () => {
  it('deliveries are retried with the same id and a fresh signature until one succeeds, and again on request while there is an endpoint', async () => {
    const { call, uid, endpointId, secret, receiver, recordCall, deliveriesEnd } = await listening({
      events: ['call.recorded'],
    });
    await receiver.reply({ status: 503, headers: { 'retry-after': '1' } }, { status: 200 });
    await recordCall('call-1');
    const requests = await receiver.waitFor(2);
    const events = requests.map((request) => verified(secret, request));
    expect(distinct(events)).toHaveLength(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(2);
    await deliveriesEnd();
    const list = async () => (await call('GET', '/webhook-deliveries', { query: { uid, endpointId } })).body.deliveries;
    const [delivery] = await list();
    expect(delivery).toMatchObject({
      ...{ endpointId, eventId: events[0]?.id, type: 'call.recorded', status: 'delivered' },
      attempts: [{ status: 503 }, { status: 200 }],
    });
    expect(delivery).not.toHaveProperty('nextAttemptAt');
    const { deliveryId } = delivery;
    const again = await call('POST', '/webhook-deliveries/redeliver', { body: { uid, deliveryId } });
    expect(again.body).toEqual({ deliveryId, status: 'pending' });
    const [, , repeated] = await receiver.waitFor(3);
    expect(verified(secret, repeated as never)).toEqual(events[0]);
    await deliveriesEnd();
    expect(await list()).toMatchObject([{ status: 'delivered', attempts: [{}, {}, { status: 200 }] }]);
    await call('DELETE', `/webhook-endpoints/${endpointId}`, { query: { uid } });
    const refused = await call('POST', '/webhook-deliveries/redeliver', { body: { uid, deliveryId } });
    expect([refused.status, refused.body.error]).toEqual([404, 'endpoint_not_found']);
  });

  it('a delivery has the id and the trace of the request that caused its event, also when a job made the change', async () => {
    const world = await listening({ events: ['*'] });
    const { call, uid, agentId, endpointId, secret, receiver, until, deliveriesEnd } = world;
    const requestIds: Record<string, string | null> = {};
    const spans: Record<string, { traceId: string; parentId: string }> = {};
    const ask = async (type: string, method: string, path: string, { body }: { body: object }) => {
      const [traceId, parentId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
      const trace = { traceparent: `00-${traceId}-${parentId}-00`, tracestate: `caller=${type}` };
      const { status, headers } = await call(method, path, { body, headers: trace });
      expect(status).toBe(200);
      requestIds[type] = headers.get('x-request-id');
      spans[type] = { traceId, parentId };
    };
    await ask('agent.updated', 'PATCH', `/agents/${agentId}`, { body: { name: 'Renamed' } });
    const facts = { direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
    await ask('call.recorded', 'PUT', `/calls/${agentId}/call-1`, { body: facts });
    await ask('block_list.updated', 'POST', '/agent-block-list', { body: { uid, agentId, numbers: ['+14155550177'] } });
    const document = { uid, agentId, name: 'a.txt', content: 'Opening hours.' };
    await ask('document.ready', 'POST', '/agent-documents/text', { body: document });
    await until('call.recorded');
    await ask('call.outcome_updated', 'PATCH', `/calls/${agentId}/call-1`, { body: { custom_call_outcome: 'sold' } });
    for (const type of Object.keys(requestIds)) await until(type);
    await deliveriesEnd();
    const { deliveries } = (await call('GET', '/webhook-deliveries', { query: { uid, endpointId } })).body;
    const found = deliveries
      .filter(({ type }: { type: string }) => type in requestIds)
      .map(({ type, requestId }: { type: string; requestId: string }) => [type, requestId]);
    expect(Object.fromEntries(found)).toEqual(requestIds);
    for (const request of await receiver.received()) {
      const { type } = verified(secret, request);
      const sent = spans[type];
      if (!sent) continue;
      const [, traceId, spanId, flags] = (request.headers.traceparent ?? '').split('-');
      expect([type, traceId, flags, request.headers.tracestate]).toEqual([type, sent.traceId, '00', `caller=${type}`]);
      expect(spanId).not.toBe(sent.parentId);
    }
  });

  it('deliveries are listed newest first, by endpoint and status, page by page', async () => {
    const { call, uid, endpointId, recordCall, until, deliveriesEnd } = await listening({ events: ['call.recorded'] });
    for (const id of ['call-1', 'call-2', 'call-3']) await recordCall(id);
    await until('call.recorded', 3);
    await deliveriesEnd();
    const list = async (query: object) => (await call('GET', '/webhook-deliveries', { query: { uid, ...query } })).body;
    const all = (await list({})).deliveries;
    expect(all).toHaveLength(3);
    const ids = all.map(({ deliveryId }: { deliveryId: string }) => deliveryId);
    expect(ids).toEqual([...ids].sort().reverse());
    const first = await list({ limit: 2, status: 'delivered', endpointId });
    const second = await list({ limit: 2, status: 'delivered', endpointId, cursor: first.nextCursor });
    expect([...first.deliveries, ...second.deliveries]).toEqual(all);
    expect((await list({ status: 'failed' })).deliveries).toEqual([]);
    expect(JSON.stringify(all)).not.toContain('+14155550100');
  });
});
