import { expect, it } from 'vitest';
import { newWorld, type World } from '../support/world.ts';

const facts = { phone: '+14155550100', direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };

const record = (world: World, items: unknown) => world.call('POST', '/calls', { body: { items } });

const read = async (world: World, callId: string) =>
  (await world.call('GET', `/calls/${world.agentId}/${callId}`)).body;

it('recording many calls records each with its outcome, as PUT and PATCH would, and an invalid item does not fail the others', async () => {
  const [world, stranger] = [await newWorld(), await newWorld()];
  const { agentId } = world;
  const outcome = {
    custom_call_outcome: 'won',
    custom_call_outcome_value: 1e200,
    custom_call_metadata: { exact: 1.5, nested: { a: [null] } },
  };
  const answer = await record(world, [
    { agentId, callId: 'a', ...facts, durationSeconds: 12, details: { recordingUrl: 'https://example.com/a' } },
    { agentId, callId: 'b', ...facts, ...outcome },
    { agentId, callId: '+14155550100', ...facts },
    { agentId: stranger.agentId, callId: 'c', ...facts },
    { agentId, callId: 'd', ...facts, direction: 'up' },
    'nonsense',
    { agentId, callId: 'e', ...facts, phone: null, custom_call_outcome: null },
    { agentId, callId: 'f', ...facts, custom_call_outcome_value: 'five' },
    { agentId, callId: '..', ...facts },
  ]);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.recorded).toEqual([
    { index: 0, callId: 'a' },
    { index: 1, callId: 'b' },
    { index: 6, callId: 'e' },
  ]);
  expect(answer.body.failed.map(({ index, error }: { index: number; error: string }) => [index, error])).toEqual([
    [2, 'invalid_request'],
    [3, 'insufficient_permissions'],
    [4, 'invalid_request'],
    [5, 'invalid_request'],
    [7, 'invalid_request'],
    [8, 'invalid_request'],
  ]);
  const startedAt = '2026-03-01T10:00:00.000Z';
  expect(await read(world, 'a')).toEqual({
    agentId,
    callId: 'a',
    ...facts,
    startedAt,
    durationSeconds: 12,
    details: { recordingUrl: 'https://example.com/a' },
  });
  const b = await read(world, 'b');
  expect(b).toMatchObject({ ...facts, startedAt, ...outcome });
  const { custom_call_metadata: _, ...values } = outcome;
  const by = { keyId: world.keyId, keyName: 'test' };
  expect(b.outcomeHistory).toEqual([{ at: b.outcomeUpdatedAt, ...by, fields: Object.keys(outcome), ...values }]);
  expect(await read(world, 'e')).toEqual({ agentId, callId: 'e', direction: 'inbound', startedAt });
  const { body } = await world.call('GET', `/calls/${agentId}`, { query: { phone: facts.phone } });
  expect(body.calls.map(({ callId }: { callId: string }) => callId).sort()).toEqual(['a', 'b']);
});

it('recording many calls changes nothing when the same calls are recorded again, as an export has them', async () => {
  const world = await newWorld();
  const { agentId } = world;
  await record(world, [{ agentId, callId: 'a', ...facts, custom_call_outcome: 'won' }]);
  const before = await read(world, 'a');
  const again = await record(world, [before]);
  expect(again.body).toEqual({ recorded: [{ index: 0, callId: 'a' }], failed: [] });
  expect(await read(world, 'a')).toEqual(before);
});

it('recording many calls corrects a call and keeps an outcome that is not named; of several items of one call the last wins', async () => {
  const world = await newWorld();
  const { agentId } = world;
  await record(world, [{ agentId, callId: 'a', ...facts, custom_call_outcome: 'won', custom_call_outcome_value: 5 }]);
  await record(world, [
    { agentId, callId: 'a', ...facts, phone: '+442071838750', durationSeconds: 1, custom_call_outcome: 'lost' },
    { agentId, callId: 'a', ...facts, phone: '+442071838750', durationSeconds: 2 },
  ]);
  expect(await read(world, 'a')).toMatchObject({
    phone: '+442071838750',
    durationSeconds: 2,
    custom_call_outcome: 'lost',
    custom_call_outcome_value: 5,
  });
  const { body } = await world.call('GET', `/calls/${agentId}`, { query: { phone: facts.phone } });
  expect(body.calls).toEqual([]);
});

it('setting an outcome again succeeds and adds nothing to the history, by PATCH and in bulk, even when merged', async () => {
  const world = await newWorld();
  const { agentId } = world;
  await world.recordCall('a');
  const outcome = {
    custom_call_outcome: 'won',
    custom_call_outcome_value: 5,
    custom_call_metadata: { k: { deep: 1 } },
  };
  const patch = (query = {}) => world.call('PATCH', `/calls/${agentId}/a`, { body: outcome, query });
  const first = (await patch()).body;
  const before = await read(world, 'a');
  expect(before.outcomeHistory).toHaveLength(1);
  expect((await patch()).body).toEqual(first);
  expect((await patch({ metadataMode: 'merge' })).body).toEqual(first);
  const items = [1, 2].map(() => ({ agentId, callIdOrPhone: 'a', ...outcome }));
  const { body } = await world.call('POST', '/call-outcomes', { body: { items } });
  expect(body.updated).toHaveLength(2);
  const clearing = { custom_call_outcome: null };
  await world.call('PATCH', `/calls/${agentId}/a`, { body: clearing });
  expect((await read(world, 'a')).outcomeHistory).toHaveLength(2);
  await world.call('PATCH', `/calls/${agentId}/a`, { body: clearing });
  expect((await read(world, 'a')).outcomeHistory).toHaveLength(2);
});

it('setting an outcome that is set already blocks its number again if that was unblocked', async () => {
  const world = await newWorld();
  const { agentId, uid } = world;
  await world.call('PATCH', `/agents/${agentId}`, { body: { configuration: { blockOnOutcomes: ['do_not_call'] } } });
  await world.recordCall('a', { phone: facts.phone });
  const set = () => world.call('PATCH', `/calls/${agentId}/a`, { body: { custom_call_outcome: 'do_not_call' } });
  await set();
  const before = await read(world, 'a');
  await world.call('DELETE', '/block-list', { body: { uid, numbers: [facts.phone] } });
  expect((await set()).body).toMatchObject({ success: true, blocked: true });
  const { body } = await world.call('GET', '/agent-block-list/check', {
    query: { uid, agentId, number: facts.phone },
  });
  expect(body.blocked).toBe(true);
  expect(await read(world, 'a')).toEqual(before);
});
