/** `npm run test:clock`: runs the tests that know what time it is while midnight, a month's end and changes of summer time pass. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { momentsAfter } from './moments.ts';

/** The first tests run before the moment, the others after it. */
const leadMilliseconds = 45_000;
const folder = import.meta.dirname;
const vitest = join(folder, '../../node_modules/vitest/vitest.mjs');
const preload = `--import ${join(folder, 'shift-clock.mjs')}`;

const failed: string[] = [];
for (const { what, at, timeZone } of momentsAfter(new Date())) {
  console.error(`\nThe tests run across ${what}: ${at.toISOString()} in ${timeZone}.`);
  const shift = at.getTime() - leadMilliseconds - Date.now();
  const env = {
    ...process.env,
    TZ: timeZone,
    CLOCK_SHIFT_MILLISECONDS: String(shift),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${preload}`.trim(),
  };
  const args = [vitest, 'run', '--config', join(folder, 'vitest.config.ts'), ...process.argv.slice(2)];
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit', env }), 'exit');
  if (code !== 0) failed.push(what);
}
if (failed.length > 0) console.error(`Tests failed across ${failed.join(' and across ')}.`);
process.exitCode = failed.length > 0 ? 1 : 0;
