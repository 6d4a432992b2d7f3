import { expect, it, vi } from 'vitest';
import { keepAlive } from '../../../functions/chat/stream/keep-alive.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';

useFakeTimers();

it('a kept-alive stream has a comment after each interval of silence, and none between events', async () => {
  async function* events() {
    yield 'a';
    await new Promise((resolve) => setTimeout(resolve, 25_000));
    yield 'b';
    yield 'c';
  }
  const read: string[] = [];
  const reading = (async () => {
    for await (const event of keepAlive(events(), 10_000)) read.push(event);
  })();
  await vi.advanceTimersByTimeAsync(30_000);
  await reading;
  expect(read).toEqual(['a', ': ping\n\n', ': ping\n\n', 'b', 'c']);
  expect(vi.getTimerCount()).toBe(0);
});

it('a kept-alive stream gets no comment while it is not read', async () => {
  async function* events() {
    yield 'a';
    yield 'b';
  }
  const kept = keepAlive(events(), 10_000);
  await kept.next();
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await kept.next()).value).toBe('b');
  await kept.return(undefined);
  expect(vi.getTimerCount()).toBe(0);
});
