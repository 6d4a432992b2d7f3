import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import local from '../../vitest.config.ts';

/** Tests that ask nothing of the deployment, since faults are put before a handler in the tests' own process, or what the emulator cannot show. */
const elsewhere = [
  // The emulator hands a stream over whole, where these watch it come.
  '.*streams the answer while it is produced',
  '.*keeps working when a client disconnects',
  'Stripe ',
  'a call to Stripe ',
  'the fake Stripe ',
  '.*is whole or absent when ',
  '.*finishes when it is killed at any write',
  '.*ends whatever dies on the way',
  // S3 itself rejects a file that is larger than its form allows, so that the check is never reached.
  '.*checks what came by it: too large',
  // Thousands of requests, whose bodies the function alone decides on.
  '.*with any value in any field',
];

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
    testNamePattern: new RegExp(`^(?!${elsewhere.join('|')})`),
    setupFiles: local.test?.setupFiles,
    globalSetup: ['test/deployed/deployed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
    // A function that is called for the first time is slow, which tests of what happens within a second notice.
    retry: 2,
  },
});
