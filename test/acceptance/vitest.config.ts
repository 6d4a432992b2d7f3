import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { common, wholeTable } from '../../vitest.config.ts';
import { makePatience } from '../support/patience.ts';

const project = {
  ...common,
  setupFiles: [...common.setupFiles, 'test/acceptance/heavy-tests.ts'],
  // Three files at a time compete for two processors.
  ...makePatience(600),
  testTimeout: 720_000,
  hookTimeout: 240_000,
};

const heavy = globSync('test/**/*.test.ts', { exclude: ['test/acceptance/**'] }).filter((file) =>
  /'heavy'|itInAnyHistory/.test(readFileSync(file, 'utf8')),
);
/** The heavy tests among those of `npm test`. */
const heavyTests = { ...project, include: heavy, ...{ tagsFilter: ['heavy'] } };

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    globalSetup: ['test/acceptance/packages.ts', 'test/support/global-setup.ts'],
    // More than a small machine has processors: half of the time, tests wait.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...heavyTests,
          name: 'heavy, whole table',
          include: heavy.filter((file) => wholeTable.some((pattern) => matchesGlob(file, pattern))),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...project,
          name: 'acceptance',
          include: ['test/acceptance/**/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...heavyTests,
          name: 'heavy',
          exclude: [...configDefaults.exclude, ...wholeTable],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
