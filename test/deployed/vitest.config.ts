import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    // The emulator hands a stream over whole, where these watch it come; and the chat in the tests' own process is not
    // the deployed one. `deployment.test.ts` asks that.
    exclude: [...configDefaults.exclude, 'test/api/build-chat*.test.ts'],
    // S3 itself refuses a file that is larger than its form allows, so that it never comes to be checked.
    testNamePattern: /^(?!.*checks what came by it: too large)/,
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
