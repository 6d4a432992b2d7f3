import { describe, expect, it } from 'vitest';
import { newWorld, type World } from '../support/world.ts';

const push = (world: World, items: unknown) => world.call('POST', '/call-outcomes', { body: { items } });

describe('setting many outcomes', () => {
  it('sets each, by id and by phone, and lets what is wrong fail alone', async () => {
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

  it('takes 1,000 at once, and refuses none and one more', async () => {
    const world = await newWorld();
    const { agentId } = world;
    await Promise.all(Array.from({ length: 60 }, (_, n) => world.recordCall(`c${n}`)));
    const items = Array.from({ length: 1000 }, (_, n) => ({
      agentId,
      callIdOrPhone: `c${n % 70}`,
      custom_call_outcome_value: n,
    }));
    const answer = await push(world, items);
    expect(answer.status).toBe(200);
    expect(answer.body.updated.length + answer.body.failed.length).toBe(1000);
    expect(answer.body.failed.every((entry: { error: string }) => entry.error === 'call_not_found')).toBe(true);
    // The last change of a call that several items name is the one that stays.
    expect((await world.call('GET', `/calls/${agentId}/c5`)).body.custom_call_outcome_value).toBe(985);
    expect((await push(world, [])).status).toBe(400);
    expect((await push(world, [...items, items[0]])).status).toBe(400);
    expect((await push(world, { 0: items[0] })).status).toBe(400);
  });

  it('of two batches at once, each keeps what the other set', async () => {
    const world = await newWorld();
    const { agentId } = world;
    const ids = Array.from({ length: 40 }, (_, n) => `c${n}`);
    await Promise.all(ids.map((id) => world.recordCall(id)));
    const batch = (key: string) =>
      push(
        world,
        ids.map((id) => ({ agentId, callIdOrPhone: id, metadataMode: 'merge', custom_call_metadata: { [key]: 1 } })),
      );
    const answers = await Promise.all(['a', 'b', 'c'].map(batch));
    expect(answers.map(({ body }) => body.failed)).toEqual([[], [], []]);
    const { calls } = (await world.call('GET', `/calls/${agentId}`)).body;
    for (const call of calls) expect(Object.keys(call.custom_call_metadata).sort()).toEqual(['a', 'b', 'c']);
  });
});
