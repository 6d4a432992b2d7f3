import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import local from '../../vitest.config.ts';

export default defineConfig({
  test: {
    ...local.test,
    root: join(import.meta.dirname, '../..'),
    // The random histories of `npm test` run here, too, more of them.
    include: ['test/acceptance/**/*.test.ts', 'test/**/*-histories.test.ts'],
    exclude: [],
    env: { HISTORIES: '40' },
    globalSetup: ['test/acceptance/packages.ts', 'test/support/global-setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
