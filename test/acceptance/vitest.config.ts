import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import local from '../../vitest.config.ts';

const { setupFiles, tags, pool, isolate, expect } = local.test ?? {};
const project = { setupFiles, tags, pool, isolate, expect, testTimeout: 240_000, hookTimeout: 240_000 } as const;

const heavy = globSync('test/**/*.test.ts').filter((file) => /'heavy'|itInAnyHistory/.test(readFileSync(file, 'utf8')));

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    globalSetup: ['test/acceptance/packages.ts', 'test/support/global-setup.ts'],
    // More than a small machine has processors: half of the time, tests wait.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...project,
          name: 'acceptance',
          include: ['test/acceptance/**/*.test.ts'],
        },
      },
      // The heavy tests among those of `npm test`.
      { test: { ...project, name: 'heavy', include: heavy, ...{ tagsFilter: ['heavy'] } } },
    ],
  },
});
