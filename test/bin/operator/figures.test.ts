import { expect, it } from 'vitest';
import { CallFigures } from '../../../functions/figures/call-figures.ts';
import { table } from '../../../functions/store/table.ts';
import { json, operator } from '../../support/operator-command.ts';
import { until } from '../../support/until.ts';
import { newWorld, unique } from '../../support/world.ts';

it('figures recount counts the calls of all agents of a user, and ends pending counts', async () => {
  const world = await newWorld();
  const { uid, agentId, call } = world;
  await world.recordCall('one');
  await world.recordCall('two', { startedAt: '2026-03-20T10:00:00Z' });
  const query = { uid, agentId, from: '2026-03-01', to: '2026-04-01', by: 'week' };
  const figures = async () => (await call('GET', '/call-figures', { query })).body;
  const exact = await until(async () => {
    const found = await figures();
    return found.totals.calls === 2 && found.pending === undefined && found;
  });
  const callFigures = new CallFigures(table.get());
  // This is the state after a restore: figures and messages are from another time than the calls.
  await callFigures.removeAll(agentId);
  await callFigures.mark({ agentId, day: '2026-03-20' }, [0], 'a change whose message was lost');
  await callFigures.mark({ agentId, day: '2026-03-25' }, [0], 'a change of a call that is gone');
  expect(await figures()).toMatchObject({ totals: { calls: 0 }, pending: true });
  expect(await json('figures', 'recount', '--uid', uid)).toEqual({ agents: 1, days: 3 });
  expect(await figures()).toEqual(exact);
  expect(await json('figures', 'recount', '--agent-id', agentId)).toEqual({ agents: 1, days: 3 });
  expect(await figures()).toEqual(exact);
});

it('figures recount reports a missing user or agent', async () => {
  const neither = await operator('figures', 'recount');
  expect([neither.code, neither.stderr]).toEqual([
    2,
    'Name the agent with --agent-id, or the owner of the agents with --uid.\n',
  ]);
  expect((await operator('figures', 'recount', '--uid', unique('nobody'))).stderr).toMatch(/^There is no user/);
  expect((await operator('figures', 'recount', '--agent-id', unique('none'))).stderr).toMatch(/^There is no agent/);
});
