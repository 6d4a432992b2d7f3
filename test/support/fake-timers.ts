import { afterEach, beforeEach, vi } from 'vitest';

/** Lets the tests of a file control the time of timers and of the clock. */
export const useFakeTimers = (): void => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());
};
