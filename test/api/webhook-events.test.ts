import { describe, expect, inject, it } from 'vitest';
import { listening } from '../support/webhook-events.ts';
import type { SentEvent } from '../support/webhooks.ts';

/** An event of few numbers waits 2 s for more of them. */
const blockListMilliseconds = 3000;

const typesOf = (events: SentEvent[]) => events.map(({ type }) => type).sort();

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
