import { expect, it, onTestFinished } from 'vitest';
import { withOutcome } from '../../functions/domain/call-outcomes.ts';
import type { Call } from '../../functions/domain/calls.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { Calls } from '../../functions/store/calls/calls.ts';
import { callKey } from '../../functions/store/keys.ts';
import { openTable } from '../../functions/store/table.ts';
import { startPartitions } from '../support/partitions.ts';
import { newWorld, target, type World } from '../support/world.ts';

const push = (world: World, items: unknown) => world.call('POST', '/call-outcomes', { body: { items } });

it('setting many outcomes sets each by id or by phone, and an invalid one does not fail the others', async () => {
  const world = await newWorld();
  const stranger = await newWorld();
  const { agentId } = world;
  await world.recordCall('a', { startedAt: '2026-03-01T00:00:00Z' });
  await world.recordCall('b', { startedAt: '2026-03-02T00:00:00Z' });
  const answer = await push(world, [
    { agentId, callIdOrPhone: 'a', custom_call_outcome: 'won', custom_call_outcome_value: 5 },
    { agentId, callIdOrPhone: 'nope', custom_call_outcome: 'x' },
    { agentId, callIdOrPhone: '+14155550100', custom_call_outcome: 'last' },
    { agentId: stranger.agentId, callIdOrPhone: 'a' },
    'nonsense',
    { agentId, callIdOrPhone: 'a', custom_call_outcome_value: 'five' },
    { agentId, callIdOrPhone: '+14155550100', preference: 'first', custom_call_metadata: { k: 1 } },
    { agentId, callIdOrPhone: 'b' },
  ]);
  expect(answer.status).toBe(200);
  expect(answer.body.updated).toEqual([
    {
      index: 0,
      call_id: 'a',
      agent_id: agentId,
      phone: '+14155550100',
      updated_fields: ['custom_call_outcome', 'custom_call_outcome_value'],
    },
    { index: 2, call_id: 'b', agent_id: agentId, phone: '+14155550100', updated_fields: ['custom_call_outcome'] },
    { index: 6, call_id: 'a', agent_id: agentId, phone: '+14155550100', updated_fields: ['custom_call_metadata'] },
    { index: 7, call_id: 'b', agent_id: agentId, phone: '+14155550100', updated_fields: [] },
  ]);
  expect(answer.body.failed.map((entry: { index: number; error: string }) => [entry.index, entry.error])).toEqual([
    [1, 'call_not_found'],
    [3, 'insufficient_permissions'],
    [4, 'invalid_request'],
    [5, 'invalid_request'],
  ]);
  const a = (await world.call('GET', `/calls/${agentId}/a`)).body;
  expect(a).toMatchObject({
    custom_call_outcome: 'won',
    custom_call_outcome_value: 5,
    custom_call_metadata: { k: 1 },
  });
  expect(a.outcomeHistory.length).toBe(2);
});

const blocking = async (world: World, blockOnOutcomes: unknown) =>
  world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { blockOnOutcomes } } });
const userList = async (world: World) =>
  (await world.call('GET', '/block-list', { query: { uid: world.uid } })).body.entries.map(
    ({ number, reason }: { number: string; reason?: string }) => [number, reason],
  );
const set = (world: World, callId: string, body: object) =>
  world.call('PATCH', `/calls/${world.agentId}/${callId}`, { body });

it('the response to an outcome says that it blocks the number, and an existing entry stays as it is', async () => {
  const world = await newWorld();
  const { agentId } = world;
  expect((await blocking(world, ['do_not_call', 'abusive'])).status).toBe(200);
  await world.recordCall('a', { phone: '+14155550101' });
  await world.recordCall('b', { phone: '+14155550102' });
  await world.recordCall('withheld', { phone: null });
  const answer = await set(world, 'a', { custom_call_outcome: 'do_not_call' });
  expect(answer.body).toMatchObject({ call_id: 'a', updated_fields: ['custom_call_outcome'], blocked: true });
  const batch = await push(world, [
    { agentId, callIdOrPhone: 'a', custom_call_outcome: 'abusive' },
    { agentId, callIdOrPhone: 'b', custom_call_outcome: 'abusive' },
    { agentId, callIdOrPhone: 'b', custom_call_outcome: 'sold' },
    { agentId, callIdOrPhone: 'withheld', custom_call_outcome: 'abusive' },
  ]);
  const blocked = batch.body.updated.map((one: { blocked?: boolean }) => one.blocked);
  expect(blocked).toEqual([true, true, undefined, undefined]);
  expect(await userList(world)).toEqual([
    ['+14155550101', 'do_not_call'],
    ['+14155550102', 'abusive'],
  ]);
  expect((await world.blockList()).blockList).toEqual([]);
});

it('an outcome that a guest sets blocks the number for the agent, and never for its owner or the guest', async () => {
  const [world, guest] = [await newWorld(), await newWorld()];
  await agentSharing.get().share(world.agentId, world.uid, guest.uid);
  await blocking(world, ['do_not_call']);
  await world.recordCall('a');
  const body = { custom_call_outcome: 'do_not_call' };
  const answer = await guest.call('PATCH', `/calls/${world.agentId}/a`, { body });
  const bulk = await push(guest, [{ agentId: world.agentId, callIdOrPhone: 'a', ...body }]);
  expect([answer.body.blocked, bulk.body.updated[0].blocked]).toEqual([true, true]);
  expect([await userList(world), await userList(guest)]).toEqual([[], []]);
  expect((await world.blockList()).entries).toMatchObject([{ number: '+14155550100', reason: 'do_not_call' }]);
});

it('a call whose outcome has changed as often as is kept is still written for one unit', async () => {
  const world = await newWorld();
  const { agentId } = world;
  const facts = {
    agentPhone: '+14155550123',
    endedAt: '2026-03-01T10:05:00Z',
    durationSeconds: 300,
    status: 'completed',
  };
  const callId = 'CA0123456789abcdef0123456789abcdef';
  await world.recordCall(callId, facts);
  const partitions = await startPartitions(target.endpoints.dynamodb);
  onTestFinished(() => partitions.stop());
  const { pk } = callKey(agentId, callId);
  const calls = new Calls(openTable(target.tableName, { endpoint: partitions.endpoint }));
  const labels = ['appointment booked', 'no interest', ''];
  const sent: object[] = [];
  for (let n = 0; n < 25; n++) {
    const fields = n % 2 ? { custom_call_outcome: labels[n % 3] } : { custom_call_outcome_value: n };
    const [keyId, at] = [`key_01KB3M5T3Q8RXN2M6J4HB7C0D${n % 2}`, new Date(1.77e12 + n * 86_399_999).toISOString()];
    const key = { keyId, keyName: `batch ${n % 2}` };
    const change = (call: Call) => withOutcome(call, fields, 'replace', key, at);
    await calls.setOutcome({ agentId, reference: { callId }, change });
    sent.push({ at, ...key, fields: Object.keys(fields), ...fields });
  }
  expect(partitions.take().get(pk)?.write).toBe(25);
  const { body } = await world.call('GET', `/calls/${agentId}/${callId}`);
  expect(body.outcomeHistory).toEqual(sent.slice(-20));
});
