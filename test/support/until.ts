import { vi } from 'vitest';

/**
 * Waits until a check returns a truthy value, and returns it. The bound is generous, since the machine may be busy. This also
 * works in concurrent tests, where `expect.poll` does not.
 */
export const until = <T>(check: () => T | Promise<T>, seconds = 50, interval = 200) =>
  vi.waitUntil(check, { timeout: seconds * 1000, interval });
