import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { agents } from '../../functions/store/agents.ts';
import { webhookEndpoints } from '../../functions/store/webhook-endpoints.ts';
import type { Received } from '../support/receiver.ts';
import { newEndpoint, newReceiver, type SentEvent, verified } from '../support/webhooks.ts';
import { newWorld, type World } from '../support/world.ts';

/** A user whose endpoint gets an event of each agent that it makes. */
const newWitness = async () => {
  const { uid, call } = await newWorld();
  const receiver = await newReceiver();
  await newEndpoint({ uid, call } as World, receiver.url, { events: ['agent.created'] });
  return async () => {
    const { agentId } = (await call('POST', '/agents', { body: { uid, name: 'Witness' } })).body;
    while (!(await receiver.received()).some(({ body }) => body.includes(agentId))) await sleep(100);
  };
};

/** Waits until the stream has been read up to now: with the creation of a world's own agent, before there is an endpoint. */
let changesAreRead: () => Promise<void>;
beforeAll(async () => {
  changesAreRead = await newWitness();
});

/** A world whose user has an endpoint, and the events that come to it, judged by the library of Standard Webhooks. */
const listening = async ({ events: asked = ['*'] }: { events?: string[] } = {}) => {
  const world = await newWorld();
  const receiver = await newReceiver();
  await changesAreRead();
  const { endpointId, secret } = await newEndpoint(world, receiver.url, { events: [...asked, 'agent.created'] });
  // The creation of the world's own agent may come, since it was a moment before.
  const isBefore = ({ type, data }: SentEvent) => type === 'agent.created' && data.agentId === world.agentId;
  const events = async () => {
    const all = (await receiver.received()).map((request) => verified(secret, request));
    return all.filter((event) => !isBefore(event));
  };
  const isPending = async () => {
    const query = { uid: world.uid, endpointId, status: 'pending' };
    return (await world.call('GET', '/webhook-deliveries', { query })).body.deliveries.length > 0;
  };
  return {
    ...world,
    receiver,
    endpointId,
    secret,
    events,
    /** Waits for the next events of a type, and leaves the others. */
    async until(type: string, count = 1): Promise<SentEvent[]> {
      for (const deadline = Date.now() + 50_000; ; await sleep(200)) {
        const found = (await events()).filter((event) => event.type === type);
        if (found.length >= count) return found;
        if (Date.now() > deadline)
          throw new Error(`${found.length} events ${type}, of ${JSON.stringify(await events())}`);
      }
    },
    /** Every event so far, once a last change has come through behind all of them, and no delivery is left that it has overtaken. */
    async all({ afterMilliseconds = 0 } = {}): Promise<SentEvent[]> {
      await sleep(afterMilliseconds);
      const marker = await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Marker' } });
      for (;;) {
        const found = await events();
        if (found.some(({ data }) => data.agentId === marker.body.agentId)) {
          await sleep(200);
          while (await isPending()) await sleep(200);
          return (await events()).filter(({ data }) => data.agentId !== marker.body.agentId);
        }
        await sleep(50);
      }
    },
  };
};

/** An event of few numbers waits 2 s for more of them. */
const blockListMilliseconds = 4000;

const typesOf = (events: SentEvent[]) => events.map(({ type }) => type).sort();

/** Each event once, by its id. */
const distinct = (events: SentEvent[]) => [...new Map(events.map((event) => [event.id, event])).values()];

describe.concurrent('events of agents', () => {
  it('are created, updated and deleted; a change that changes nothing is none', async () => {
    const { call, uid, until, all } = await listening({ events: ['agent.*'] });
    const made = (await call('POST', '/agents', { body: { uid, name: 'Desk', phoneNumber: '+14155550123' } })).body;
    const { agentId } = made;
    const [created] = await until('agent.created');
    expect(created?.data).toEqual({
      ...{ uid, agentId, name: 'Desk', phoneNumber: '+14155550123' },
      ...{ createdAt: made.createdAt, updatedAt: made.updatedAt },
    });
    expect(created?.timestamp).toBe(made.updatedAt);
    for (const body of [{}, { name: 'Desk' }, { name: 'Front desk' }]) {
      expect((await call('PATCH', `/agents/${agentId}`, { body })).status).toBe(200);
    }
    await until('agent.updated');
    await call('DELETE', `/agents/${agentId}`);
    const [deleted] = await until('agent.deleted');
    expect(deleted?.data).toEqual({ uid, agentId });
    const events = await all();
    expect(typesOf(events)).toEqual(['agent.created', 'agent.deleted', 'agent.updated']);
    expect(events.find(({ type }) => type === 'agent.updated')?.data).toMatchObject({ agentId, name: 'Front desk' });
  });

  it('a copy with websites, documents and blocked numbers is agent.created alone', async () => {
    const { call, uid, agentId, block, receiver, all } = await listening();
    await block(['+14155550100', '+14155550101']);
    const form = new FormData();
    form.set('uid', uid);
    form.set('agentId', agentId);
    form.append('files', new Blob(['Opening hours']), 'notes.txt');
    await call('POST', '/agent-documents', { body: form });
    await receiver.waitFor(2);
    const before = (await all()).length;
    const copy = (await call('POST', '/duplicate-agent', { body: { uid, agentId } })).body;
    expect(copy.copied).toMatchObject({ documents: 1, blockedNumbers: 2 });
    const after = (await all({ afterMilliseconds: blockListMilliseconds })).slice(before + 1);
    expect(typesOf(after)).toEqual(['agent.created']);
    expect(after[0]?.data).toMatchObject({ agentId: copy.agentId, sourceAgentId: agentId });
  });
});

describe.concurrent('events of block lists', () => {
  it('are one for each request, for an agent and for a user, with the first hundred numbers', async () => {
    const { call, uid, agentId, block, unblock, until, all } = await listening({ events: ['block_list.*'] });
    const numbers = Array.from({ length: 300 }, (_, index) => `+1415${5_000_000 + index}`);
    const { length: count } = (await block(numbers)).body.added;
    expect(count).toBeGreaterThan(100);
    const [first] = await until('block_list.updated');
    const nothing = { count: 0, numbers: [] };
    const added = { count, numbers: expect.any(Array) };
    expect(first?.data).toEqual({ uid, agentId, scope: 'agent', added, removed: nothing });
    expect(new Set(first?.data.added.numbers)).toHaveLength(100);
    expect(numbers).toEqual(expect.arrayContaining(first?.data.added.numbers));
    // Of these two, one is not blocked: the event waits until no more comes.
    await unblock([numbers[0], '+14155559999']);
    const [, second] = await until('block_list.updated', 2);
    expect(second?.data).toEqual({
      ...{ uid, agentId, scope: 'agent', added: nothing },
      removed: { count: 1, numbers: [numbers[0]] },
    });
    await call('POST', '/block-list', { body: { uid, numbers: ['+14155550142'] } });
    const [, , third] = await until('block_list.updated', 3);
    expect(third?.data).toEqual({
      ...{ uid, scope: 'user', removed: nothing },
      added: { count: 1, numbers: ['+14155550142'] },
    });
    // Nothing changes.
    await block([numbers[1]]);
    await unblock(['+14155559999']);
    await block(['nonsense']);
    expect(await all({ afterMilliseconds: blockListMilliseconds })).toHaveLength(3);
  });

  it('come from an outcome that blocks, too', async () => {
    const { call, uid, agentId, recordCall, until } = await listening();
    await call('PATCH', `/agents/${agentId}`, { body: { configuration: { blockOnOutcomes: ['do_not_call'] } } });
    await recordCall('call-1', { phone: '+14155550143' });
    await call('PATCH', `/calls/${agentId}/call-1`, { body: { custom_call_outcome: 'do_not_call' } });
    const [updated] = await until('block_list.updated');
    expect(updated?.data).toMatchObject({ uid, scope: 'user', added: { count: 1, numbers: ['+14155550143'] } });
    await until('call.outcome_updated');
  });
});

describe.concurrent('events of calls', () => {
  it('are recorded, corrected, given an outcome and deleted; what repeats itself is none, an outcome set again is one', async () => {
    const { call, uid, agentId, recordCall, all } = await listening({ events: ['call.*'] });
    await recordCall('call-1');
    await recordCall('call-1');
    await recordCall('call-1', { durationSeconds: 30 });
    const path = `/calls/${agentId}/call-1`;
    const outcome = { custom_call_outcome: 'booked', custom_call_outcome_value: 1.5 };
    await call('PATCH', path, { body: {} });
    await call('PATCH', path, { body: outcome });
    await call('PATCH', path, { body: outcome });
    await call('POST', '/call-outcomes', {
      body: { items: [{ agentId, callIdOrPhone: 'call-1', custom_call_outcome: 'lost' }] },
    });
    const events = await all();
    const ids = { uid, call_id: 'call-1', agent_id: agentId };
    const facts = { phone: '+14155550100', direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' };
    expect(typesOf(events)).toEqual([
      ...['call.outcome_updated', 'call.outcome_updated', 'call.outcome_updated'],
      ...['call.recorded', 'call.recorded'],
    ]);
    const data = events.map((event) => event.data);
    expect(data).toContainEqual({ ...ids, ...facts });
    expect(data).toContainEqual({ ...ids, ...facts, durationSeconds: 30 });
    expect(data.filter((one) => one.custom_call_outcome === 'booked')).toHaveLength(2);
    expect(data).toContainEqual({ ...ids, ...facts, durationSeconds: 30, ...outcome, custom_call_outcome: 'lost' });
    await call('DELETE', path);
    const deleted = (await all()).filter(({ type }) => type === 'call.deleted');
    expect(deleted.map((event) => event.data)).toEqual([ids]);
  });

  it('leave out metadata over 10 KB, and stay under 20 KB', async () => {
    const { call, agentId, recordCall, receiver, until } = await listening({ events: ['call.outcome_updated'] });
    await recordCall('call-1');
    const path = `/calls/${agentId}/call-1`;
    const metadata = (length: number) => ({ custom_call_metadata: { note: 'ü'.repeat(length) } });
    await call('PATCH', path, { body: { ...metadata(5000), custom_call_outcome: 'ü'.repeat(256) } });
    const [small] = await until('call.outcome_updated');
    expect(small?.data).toMatchObject(metadata(5000));
    expect(small?.data).not.toHaveProperty('truncated');
    await call('PATCH', path, { body: metadata(6000) });
    const [, large] = await until('call.outcome_updated', 2);
    expect(large?.data).toMatchObject({ truncated: true });
    expect(large?.data).not.toHaveProperty('custom_call_metadata');
    for (const { body } of await receiver.received()) expect(Buffer.byteLength(body)).toBeLessThan(20 * 1024);
  });
});

describe.concurrent('events of knowledge', () => {
  it('a website is ready, failed and deleted', async () => {
    const { call, uid, agentId, until, all } = await listening({ events: ['website.*'] });
    const site = inject('siteOrigin');
    await fetch(`${site}/webhooks-page`, {
      method: 'PUT',
      body: JSON.stringify({ body: '<title>Hours</title><p>Open.' }),
    });
    const add = async (url: string) =>
      (await call('POST', '/agent-websites', { body: { uid, agentId, url } })).body.websiteId;
    const good = await add(`${site}/webhooks-page`);
    const bad = await add(`${site}/webhooks-page-that-is-not-there`);
    const [ready] = await until('website.ready');
    expect(ready?.data).toMatchObject({ uid, agentId, websiteId: good, url: `${site}/webhooks-page`, pages: 1 });
    const [failed] = await until('website.failed');
    expect(failed?.data).toMatchObject({ uid, agentId, websiteId: bad, error: expect.any(String) });
    await call('POST', '/agent-websites/refresh', { body: { uid, agentId, websiteId: good } });
    await until('website.ready', 2);
    await call('PATCH', '/agent-websites', { body: { uid, agentId, websiteId: good, active: false } });
    await call('DELETE', '/agent-websites', { query: { uid, agentId, websiteId: good } });
    await until('website.deleted');
    expect(typesOf(await all())).toEqual(['website.deleted', 'website.failed', 'website.ready', 'website.ready']);
  });

  it('a document is ready, failed and deleted', async () => {
    const { call, uid, agentId, until, all } = await listening({ events: ['document.*'] });
    const form = new FormData();
    form.set('uid', uid);
    form.set('agentId', agentId);
    form.append('files', new Blob(['Opening hours']), 'notes.txt');
    form.append('files', new Blob(['%PDF-1.4 broken']), 'broken.pdf');
    const { documentIds } = (await call('POST', '/agent-documents', { body: form })).body;
    const [ready] = await until('document.ready');
    expect(ready?.data).toMatchObject({ uid, agentId, documentId: documentIds[0], name: 'notes.txt', size: 13 });
    const [failed] = await until('document.failed');
    expect(failed?.data).toMatchObject({ documentId: documentIds[1], error: expect.any(String) });
    await call('DELETE', '/agent-documents', { query: { uid, agentId, documentId: documentIds[0] } });
    await until('document.deleted');
    expect(typesOf(await all())).toEqual(['document.deleted', 'document.failed', 'document.ready']);
  });
});

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
