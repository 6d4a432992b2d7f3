import { expect, it, onTestFinished } from 'vitest';
import { Calls } from '../../functions/store/calls/calls.ts';
import { openTable } from '../../functions/store/table.ts';
import { listCalls } from '../support/listed-calls.ts';
import { startPartitions } from '../support/partitions.ts';
import { target, unique, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();

const facts = { direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' } as const;

/** Calls on a table that refuses as partitions do. */
const open = async (write: number) => {
  const partitions = await startPartitions(target.endpoints.dynamodb);
  onTestFinished(() => partitions.stop());
  partitions.limit({ read: 1e6, write });
  const table = openTable(target.tableName, { endpoint: partitions.endpoint });
  return { calls: new Calls(table), table };
};

/** The time that calls took, in milliseconds. */
const timed = async <T>(work: () => Promise<T>) => {
  const began = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - began };
};

it('a request for an overloaded agent fails as overloaded soon, while another agent is served', async () => {
  const { calls, table } = await open(4);
  const [hot, cold] = [unique('agent'), unique('agent')];
  const recorded = await Promise.all(
    Array.from({ length: 30 }, (_, n) => timed(() => calls.record(hot, `call-${n}`, facts).catch((error) => error))),
  );
  const refused = recorded.filter(({ result }) => result instanceof Error);
  // The number depends on how fast the machine sends them, because the key has four units per second.
  expect(refused.length).toBeGreaterThan(0);
  for (const { result } of refused)
    expect(result).toMatchObject({ code: 'overloaded', status: 503, retryAfterSeconds: 1 });
  expect(await calls.record(cold, 'call', facts)).toMatchObject({ agentId: cold });
  // Refused writes were not written in part.
  const stored = await listCalls(hot, {}, table);
  expect(stored.map(({ callId }) => callId).sort()).toEqual(
    recorded.flatMap(({ result }) => (result instanceof Error ? [] : [result.callId])).sort(),
  );
});

it('an outcome of one call is overloaded when its key is throttled', async () => {
  const { calls, table } = await open(1e6);
  const agentId = unique('agent');
  await calls.record(agentId, 'call', facts);
  const { calls: throttled } = await open(0.001);
  const change = { agentId, reference: { callId: 'call' } };
  const setOutcome = (value: number) =>
    throttled.setOutcome({ ...change, change: (call) => ({ ...call, custom_call_outcome_value: value }) });
  expect(await setOutcome(1)).toMatchObject({ custom_call_outcome_value: 1 });
  await expect(setOutcome(2)).rejects.toMatchObject({ code: 'overloaded' });
  expect(table.name).toBe(target.tableName);
});

it('a job waits for a throttled table', async () => {
  process.env.TABLE_THROTTLED_MILLISECONDS = '20000';
  onTestFinished(() => void delete process.env.TABLE_THROTTLED_MILLISECONDS);
  const { calls, table } = await open(20);
  const agentId = unique('agent');
  await Promise.all(Array.from({ length: 20 }, (_, n) => calls.record(agentId, `call-${n}`, facts)));
  expect(await listCalls(agentId, {}, table)).toHaveLength(20);
});
