import { expect, it, vi } from 'vitest';
import { Deadline, expired } from '../../../functions/chat/stream/deadline.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';

useFakeTimers();

it('a deadline returns the outcome of a promise that is in time, and leaves no timer', async () => {
  const deadline = new Deadline(1_000);
  expect(await deadline.wait(Promise.resolve('done'))).toBe('done');
  await expect(deadline.wait(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});

it('a deadline expires for a promise that is late, counted from its start', async () => {
  const deadline = new Deadline(1_000, performance.now() - 400);
  const outcome = vi.fn();
  deadline.wait(new Promise(() => {})).then(outcome);
  await vi.advanceTimersByTimeAsync(599);
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(outcome).toHaveBeenCalledWith(expired);
  const later = vi.fn();
  deadline.wait(new Promise(() => {})).then(later);
  await vi.advanceTimersByTimeAsync(0);
  expect(later).toHaveBeenCalledWith(expired);
});
