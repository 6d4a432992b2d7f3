import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Those run against a deployment: npm run test:deployed.
    exclude: ['test/deployed/**'],
    setupFiles: ['test/support/fresh-modules.ts', 'test/support/quiet-logs.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    isolate: false,
    // More than the processors of a small machine: many tests wait for the service, or for time to pass.
    maxWorkers: 3,
  },
});
