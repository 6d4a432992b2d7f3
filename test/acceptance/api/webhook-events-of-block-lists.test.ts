import { expect, it } from 'vitest';
import { blockManyNumbers, listening } from '../../support/webhook-events.ts';

/** An event of few numbers waits 2 s for more of them. */
const blockListMilliseconds = 3000;

it('events of block lists are one for each request, for an agent and for a user, with the first hundred numbers', async () => {
  const world = await listening({ events: ['block_list.*'] });
  const { call, uid, agentId, block, unblock, until, all } = world;
  const { numbers, nothing } = await blockManyNumbers(world);
  // One of these two is not blocked, so the event waits until no more numbers arrive.
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
