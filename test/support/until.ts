import { vi } from 'vitest';
import { patienceSeconds } from './patience.ts';

/**
 * Waits until a check returns a truthy value, and returns it. This also works in concurrent tests, where `expect.poll` does not.
 */
export const until = <T>(check: () => T | Promise<T>, { seconds = patienceSeconds, interval = 200 } = {}) =>
  vi.waitUntil(check, { timeout: seconds * 1000, interval });

/** Repeats a request that may be repeated until it gets a response, as a caller does. */
export const untilAnswered = async <T>(request: () => Promise<T>, retries = 5): Promise<T> => {
  for (let retry = 0; ; retry++) {
    try {
      return await request();
    } catch (error) {
      if (retry === retries) throw error;
    }
  }
};
