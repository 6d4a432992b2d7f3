import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { agents } from '../../functions/store/agents.ts';
import { webhookEndpoints } from '../../functions/store/webhook-endpoints.ts';
import type { Received } from '../support/receiver.ts';
import { changesAreRead, distinct, listening } from '../support/webhook-events.ts';
import { newEndpoint, newReceiver, type SentEvent, verified } from '../support/webhooks.ts';
import { newWorld, type World } from '../support/world.ts';

const typesOf = (events: SentEvent[]) => events.map(({ type }) => type).sort();

describe.concurrent('an endpoint', () => {
  it('gets what it asks for, of the agents that it names, and of shared ones', async () => {
    const owner = await newWorld();
    const { call, uid, agentId, until, all } = await listening({ events: ['call.recorded', 'agent.deleted'] });
    await agents.get().grant(owner.agentId, owner.uid, uid);
    const named = await newReceiver();
    const { secret } = await newEndpoint({ uid, call } as World, named.url, { agentIds: [agentId] });
    await owner.recordCall('call-of-owner');
    await call('PUT', `/calls/${agentId}/own-call`, {
      body: { direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' },
    });
    await until('call.recorded', 2);
    await owner.call('DELETE', `/agents/${owner.agentId}`);
    const [deleted] = await until('agent.deleted');
    expect(deleted?.data).toEqual({ uid: owner.uid, agentId: owner.agentId });
    expect(typesOf(distinct(await all()))).toEqual(['agent.deleted', 'call.recorded', 'call.recorded']);
    const seen = (await named.received()).map((request) => verified(secret, request).data.call_id);
    expect(seen).toEqual(['own-call']);
  });

  it('gets nothing while it is switched off, and nothing of others', async () => {
    const { call, uid, endpointId, recordCall, all } = await listening();
    const stranger = await newWorld();
    const witness = await newReceiver();
    await newEndpoint({ uid, call } as World, witness.url, { events: ['call.recorded'] });
    await stranger.recordCall('call-of-stranger');
    await call('PATCH', `/webhook-endpoints/${endpointId}`, { body: { uid, active: false } });
    await recordCall('call-1');
    await witness.waitFor(1);
    await call('PATCH', `/webhook-endpoints/${endpointId}`, { body: { uid, active: true } });
    expect(await all()).toEqual([]);
  });

  it('that answers 410 is disabled at once, and the user’s other endpoints get an event', async () => {
    const { call, uid, recordCall, until } = await listening({ events: ['webhook_endpoint.*'] });
    const gone = await newReceiver({ status: 410 });
    const { endpointId } = await newEndpoint({ uid, call } as World, gone.url, { events: ['call.*'] });
    await recordCall('call-1');
    const [disabled] = await until('webhook_endpoint.disabled');
    const shown = (await call('GET', `/webhook-endpoints/${endpointId}`, { query: { uid } })).body;
    expect(shown).toMatchObject({ active: false, disabledReason: 'gone' });
    expect(disabled?.data).toEqual({
      ...{ uid, endpointId, url: gone.url },
      ...{ disabledAt: shown.disabledAt, disabledReason: 'gone' },
    });
    await recordCall('call-2');
    await changesAreRead();
    await sleep(500);
    expect(await gone.received()).toHaveLength(1);
    const { deliveries } = (await call('GET', '/webhook-deliveries', { query: { uid, endpointId } })).body;
    expect(deliveries).toMatchObject([{ status: 'failed', type: 'call.recorded', attempts: [{ status: 410 }] }]);
  });

  it('that has failed for five days is disabled by its next failure', async () => {
    const { call, uid, recordCall, until } = await listening({ events: ['webhook_endpoint.*'] });
    const failing = await newReceiver({ status: 500 });
    const { endpointId } = await newEndpoint({ uid, call } as World, failing.url, { events: ['call.*'] });
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
    await webhookEndpoints.get().change(uid, endpointId, (found) => ({ ...found, failingSince: daysAgo(4.9) }));
    await recordCall('call-1');
    await failing.waitFor(1);
    expect((await call('GET', `/webhook-endpoints/${endpointId}`, { query: { uid } })).body.active).toBe(true);
    await webhookEndpoints.get().change(uid, endpointId, (found) => ({ ...found, failingSince: daysAgo(5.1) }));
    await recordCall('call-2');
    const [disabled] = await until('webhook_endpoint.disabled');
    expect(disabled?.data).toMatchObject({ endpointId, disabledReason: 'failing' });
  });
});

describe.concurrent('deliveries', () => {
  it('are tried again, with the same id and a fresh signature, until one succeeds; and again when that is asked for', async () => {
    const { call, uid, endpointId, secret, receiver, recordCall } = await listening({ events: ['call.recorded'] });
    await receiver.reply({ status: 500 }, { status: 503, headers: { 'retry-after': '1' } }, { status: 200 });
    await recordCall('call-1');
    const requests = await receiver.waitFor(3);
    const events = requests.map((request) => verified(secret, request));
    expect(distinct(events)).toHaveLength(1);
    const [first, second, third] = requests as [Received, Received, Received];
    expect(second.at - first.at).toBeGreaterThan(4000);
    expect(second.at - first.at).toBeLessThan(9000);
    expect(third.at - second.at).toBeLessThan(4000);
    expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
    await sleep(500);
    const list = async () => (await call('GET', '/webhook-deliveries', { query: { uid, endpointId } })).body.deliveries;
    const [delivery] = await list();
    expect(delivery).toMatchObject({
      ...{ endpointId, eventId: events[0]?.id, type: 'call.recorded', status: 'delivered' },
      attempts: [{ status: 500 }, { status: 503 }, { status: 200 }],
    });
    expect(delivery).not.toHaveProperty('nextAttemptAt');
    const { deliveryId } = delivery;
    const again = await call('POST', '/webhook-deliveries/redeliver', { body: { uid, deliveryId } });
    expect(again.body).toEqual({ deliveryId, status: 'pending' });
    const [, , , repeated] = await receiver.waitFor(4);
    expect(verified(secret, repeated as never)).toEqual(events[0]);
    await sleep(500);
    expect(await list()).toMatchObject([{ status: 'delivered', attempts: [{}, {}, {}, { status: 200 }] }]);
  });

  it('to a deleted endpoint are not made any more, nor begun again', async () => {
    const { call, uid, endpointId, receiver, recordCall } = await listening({ events: ['call.recorded'] });
    await receiver.reply({ status: 500 });
    await recordCall('call-1');
    await receiver.waitFor(1);
    await call('DELETE', `/webhook-endpoints/${endpointId}`, { query: { uid } });
    await sleep(7000);
    expect(await receiver.received()).toHaveLength(1);
    const { deliveries } = (await call('GET', '/webhook-deliveries', { query: { uid } })).body;
    expect(deliveries).toMatchObject([{ status: 'failed', attempts: [{ status: 500 }] }]);
    const body = { uid, deliveryId: deliveries[0].deliveryId };
    const refused = await call('POST', '/webhook-deliveries/redeliver', { body });
    expect([refused.status, refused.body.error]).toEqual([404, 'endpoint_not_found']);
  });

  it('of a deleted call say its ids alone, also when they are made again', async () => {
    const { call, uid, agentId, secret, receiver, recordCall, until } = await listening({ events: ['call.*'] });
    await recordCall('call-1');
    const [recorded] = await until('call.recorded');
    expect(recorded?.data.phone).toBe('+14155550100');
    await call('DELETE', `/calls/${agentId}/call-1`);
    await until('call.deleted');
    await sleep(500);
    const { deliveries } = (await call('GET', '/webhook-deliveries', { query: { uid } })).body;
    const { deliveryId } = deliveries.find(({ type }: { type: string }) => type === 'call.recorded');
    await call('POST', '/webhook-deliveries/redeliver', { body: { uid, deliveryId } });
    const [, , repeated] = await receiver.waitFor(3);
    expect(verified(secret, repeated as never)).toEqual({
      ...recorded,
      data: { uid, call_id: 'call-1', agent_id: agentId },
    });
  });

  it('are listed newest first, by endpoint and status, page by page', async () => {
    const { call, uid, endpointId, recordCall, until } = await listening({ events: ['call.recorded'] });
    for (const id of ['call-1', 'call-2', 'call-3']) await recordCall(id);
    await until('call.recorded', 3);
    await sleep(500);
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
