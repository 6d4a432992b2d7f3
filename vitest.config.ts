import { defineConfig } from 'vitest/config';
import { ScansFirst } from './test/support/scans-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Those have their own commands: npm run test:acceptance, npm run test:deployed.
    exclude: ['test/acceptance/**', 'test/deployed/**'],
    tags: [
      {
        name: 'heavy',
        description: 'Takes seconds of a processor, or writes much: runs in npm run test:acceptance.',
        timeout: 600_000,
      },
    ],
    ...{ tagsFilter: ['!heavy'] },
    setupFiles: ['test/support/fresh-modules.ts', 'test/support/quiet-logs.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { sequencer: ScansFirst },
    testTimeout: 60_000,
    // A condition that must come true is waited for, however busy the machine is. Most are requests, which cost more than they wait.
    expect: { poll: { timeout: 50_000, interval: 200 } },
    hookTimeout: 120_000,
    pool: 'forks',
    isolate: false,
    // More than a small machine has processors, since tests wait a third of the time. With four, those of the one DynamoDB Local miss deadlines.
    maxWorkers: 3,
  },
});
