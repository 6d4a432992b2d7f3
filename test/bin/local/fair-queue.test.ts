import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairQueue } from '../../../bin/local/fair-queue.ts';

it('a user with much work takes three of four slots, and the last one is for users without running work', async () => {
  const queue = new FairQueue(4);
  const running: string[] = [];
  const ends: (() => void)[] = [];
  const add = (user: string) =>
    queue.add(user, () => {
      running.push(user);
      return new Promise((resolve) => ends.push(resolve));
    });
  for (let n = 0; n < 5; n++) add('much');
  expect(running).toEqual(['much', 'much', 'much']);
  add('little');
  add('little');
  expect(running).toEqual(['much', 'much', 'much', 'little']);
  ends[0]?.();
  await setImmediate();
  expect(running).toHaveLength(4);
  ends[1]?.();
  await setImmediate();
  expect(running.slice(4)).toEqual(['much']);
});
