import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    setupFiles: ['test/quiet-logs.ts'],
    globalSetup: ['test/deployed/deployed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    // A function that is called for the first time is slow, which tests of what happens within a second notice.
    retry: 1,
  },
});
