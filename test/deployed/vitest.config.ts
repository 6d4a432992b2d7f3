import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import local from '../../vitest.config.ts';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    exclude: [
      ...configDefaults.exclude,
      // The chat in the tests' own process is not the deployed one, which `build-chat-by-http.test.ts` calls.
      'test/api/build-chat-!(by-http).test.ts',
      // An S3 that fails is put before a handler in the tests' own process.
      'test/api/documents-without-s3.test.ts',
      // So is a table that does not answer.
      'test/api/hooks-without-table.test.ts',
    ],
    tags: local.test?.tags,
    expect: local.test?.expect,
    ...{ tagsFilter: ['!local-only'] },
    // A function that is called for the first time is slow, which tests of what happens within a second notice.
    retry: 2,
    setupFiles: local.test?.setupFiles,
    globalSetup: ['test/deployed/deployed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
  },
});
