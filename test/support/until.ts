import { vi } from 'vitest';
import { patienceSeconds } from './patience.ts';

/**
 * Waits until a check returns a truthy value, and returns it. This also works in concurrent tests, where `expect.poll` does not.
 */
export const until = <T>(check: () => T | Promise<T>, { seconds = patienceSeconds, interval = 200 } = {}) =>
  vi.waitUntil(check, { timeout: seconds * 1000, interval });
