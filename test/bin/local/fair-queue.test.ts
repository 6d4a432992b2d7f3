import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
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

it('on a busy machine a user runs one piece of work a second, and another user begins at once', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isBusy = true;
  const queue = new FairQueue(8, () => isBusy);
  const begun: string[] = [];
  const add = (user: string) => queue.add(user, async () => void begun.push(user));
  for (let n = 0; n < 9; n++) add('much');
  await vi.advanceTimersByTimeAsync(900);
  add('little');
  expect(begun).toEqual(['much', 'little']);
  await vi.advanceTimersByTimeAsync(2200);
  expect(begun).toEqual(['much', 'little', 'much', 'much', 'much']);
  isBusy = false;
  await vi.advanceTimersByTimeAsync(100);
  expect(begun).toHaveLength(10);
});
