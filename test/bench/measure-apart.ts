import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Figure } from './benchmark.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Measures a row in a process and with a table of its own, as when it is the only one: data, compiled code and memory of other
 * rows do not count. Returns undefined for a row that fails, which reports the reason.
 */
export const measureApart = async (name: string): Promise<Figure[] | undefined> => {
  const bench = [process.execPath, join(root, 'test/bench/bench.ts'), name, '--json'];
  // Standard input stays open: when it closes, the row ends.
  const running = spawn(process.execPath, [join(root, 'bin/guard.mjs'), ...bench], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(running.stdout), once(running, 'close')]);
  return output === '' ? undefined : JSON.parse(output)[name];
};
