import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { run, tests } from '../../vitest.config.ts';

/** The files of `npm test` that know what time it is. */
const include = globSync('test/**/*.test.ts', { exclude: ['test/{acceptance,deployed}/**'] }).filter((file) =>
  /Date\.now\(|new Date\(|setSystemTime|useFakeTimers|timeZone/.test(readFileSync(file, 'utf8')),
);

export default defineConfig({
  test: { ...run, ...tests, root: join(import.meta.dirname, '../..'), include },
});
