import { describe, expect, it } from 'vitest';
import { exampleFacts } from '../support/call-facts.ts';
import { upload } from '../support/uploads.ts';
import { listEvents, listening } from '../support/webhook-events.ts';
import type { SentEvent } from '../support/webhooks.ts';

const listTypes = (events: SentEvent[]) => events.map(({ type }) => type).sort();

describe.concurrent('events of agents', () => {
  it('an agent has events when it is created, updated and deleted, and none for a change that changes nothing', async () => {
    const { call, uid, until, all } = await listening({ events: ['agent.*'], countsRequests: false });
    const made = (
      await call('POST', '/agents', { body: { uid, name: 'Desk', phoneNumber: '+14155550123', key: 'desk' } })
    ).body;
    const { agentId } = made;
    const [created] = await until('agent.created');
    expect(created?.data).toEqual({
      ...{ uid, agentId, name: 'Desk', phoneNumber: '+14155550123', key: 'desk' },
      ...{ version: 1, createdAt: made.createdAt, updatedAt: made.updatedAt },
    });
    expect(created?.timestamp).toBe(made.updatedAt);
    const change = { name: 'Front desk', configuration: { greeting: 'Hello' }, phoneNumber: null, note: 'Why not' };
    for (const body of [{}, { name: 'Desk' }, change]) {
      expect((await call('PATCH', `/agents/${agentId}`, { body })).status).toBe(200);
    }
    await until('agent.updated');
    const split = [{ version: 1, percent: 100 }];
    for (const _ of [1, 2]) await call('PUT', `/agents/${agentId}/traffic`, { body: { uid, split } });
    expect((await until('agent.traffic_updated'))[0]?.data).toEqual({ uid, agentId, split, keyId: expect.any(String) });
    await call('DELETE', `/agents/${agentId}`);
    const [deleted] = await until('agent.deleted');
    expect(deleted?.data).toEqual({ uid, agentId });
    const events = await all();
    expect(listTypes(events)).toEqual(['agent.created', 'agent.deleted', 'agent.traffic_updated', 'agent.updated']);
    expect(events.find(({ type }) => type === 'agent.updated')?.data).toMatchObject({
      ...{ agentId, name: 'Front desk', version: 2, keyId: expect.any(String), note: 'Why not' },
      changed: ['name', 'configuration.greeting', 'phoneNumber'],
    });
  });

  it('a copy with websites, documents and blocked numbers makes only the event agent.created', async () => {
    const world = await listening();
    const { call, uid, agentId, block, receiver, all } = world;
    await block(['+14155550100', '+14155550101']);
    await upload(world, [['notes.txt', 'Opening hours']]);
    await receiver.waitFor(2);
    const before = (await all()).length;
    const copy = (await call('POST', '/duplicate-agent', { body: { uid, agentId } })).body;
    expect(copy.copied).toMatchObject({ documents: 1, blockedNumbers: 2 });
    const after = (await all()).slice(before + 1);
    expect(listTypes(after)).toEqual(['agent.created']);
    // No event waits for more numbers either.
    expect(await listEvents({ agentId: copy.agentId })).toEqual([]);
    expect(after[0]?.data).toMatchObject({ agentId: copy.agentId, sourceAgentId: agentId });
  });
});

describe.concurrent('events of calls', () => {
  it('a call has events when it is recorded, corrected, gets an outcome and is deleted; a repeated record and an outcome that is set already have none', async () => {
    const { call, uid, agentId, recordCall, all } = await listening({ events: ['call.*'], countsRequests: false });
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
    const whole = { ...outcome, phone: null, direction: 'outbound', startedAt: '2026-03-02T10:00:00.000Z' };
    for (const _ of [1, 2])
      await call('POST', '/calls', { body: { items: [{ agentId, callId: 'call-2', ...whole }] } });
    const events = await all();
    const ids = { uid, call_id: 'call-1', agent_id: agentId };
    const facts = { phone: '+14155550100', direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' };
    expect(listTypes(events)).toEqual([
      ...['call.outcome_updated', 'call.outcome_updated', 'call.outcome_updated'],
      ...['call.recorded', 'call.recorded', 'call.recorded'],
    ]);
    const data = events.map((event) => event.data);
    expect(data).toContainEqual({ ...ids, ...facts });
    expect(data).toContainEqual({ ...ids, ...facts, durationSeconds: 30 });
    expect(data.filter((one) => one.custom_call_outcome === 'booked')).toHaveLength(3);
    expect(data).toContainEqual({ ...ids, ...facts, durationSeconds: 30, ...outcome, custom_call_outcome: 'lost' });
    await call('DELETE', path);
    const deleted = (await all()).filter(({ type }) => type === 'call.deleted');
    expect(deleted.map((event) => event.data)).toEqual([ids]);
  });

  it('an event of a call has every fact of it but its details', async () => {
    const { agentId, uid, recordCall, until } = await listening({ events: ['call.recorded'], countsRequests: false });
    await recordCall('call-1', exampleFacts);
    const { details, ...facts } = exampleFacts;
    const ids = { uid, call_id: 'call-1', agent_id: agentId };
    expect((await until('call.recorded'))[0]?.data).toEqual({ ...ids, ...facts });
  });

  it('events of calls leave out metadata over 10 KB, and stay under 20 KB', async () => {
    const { call, agentId, recordCall, receiver, until } = await listening({
      events: ['call.outcome_updated'],
      countsRequests: false,
    });
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
