import { globSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';
import { makePatience } from '../support/patience.ts';
import { isTried } from '../support/sample.ts';

/** The tests in every sample: each operation, keys, uploads, hooks, the stream's reader, deliveries, the chat and MCP. */
const always = [
  'build-chat-by-http',
  'call-figures',
  'documents-upload',
  'documents-upload-form',
  'every-endpoint',
  'mcp',
  'signed-hooks',
  'webhook-deliveries',
  'webhook-events',
].map((name) => `test/api/${name}.test.ts`);
const leftOut = globSync('test/{api,acceptance/api,bin/agents}/*.test.ts').filter(
  (file) => !always.includes(file) && !isTried(file),
);

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    exclude: [
      ...configDefaults.exclude,
      ...leftOut,
      // The chat in the tests' own process is not the deployed one, which `build-chat-by-http.test.ts` calls.
      'test/api/build-chat-!(by-http).test.ts',
      // An S3 that fails is put before a handler in the tests' own process.
      'test/api/documents-without-s3.test.ts',
      // So is a table that is slow, or does not answer.
      'test/api/many-items-of-a-slow-table.test.ts',
      'test/api/hooks-without-table.test.ts',
    ],
    ...common,
    ...{ tagsFilter: ['!local-only'] },
    globalSetup: ['test/deployed/deployed.ts'],
    // A few processes do the background work of all tests.
    ...makePatience(300),
    testTimeout: 900_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
  },
});
