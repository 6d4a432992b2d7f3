import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Started } from './started.ts';

const root = join(import.meta.dirname, '../..');
const folders = ['bin', 'functions', 'lib'];
/** The delay before a restart, because an editor writes a file in several steps. */
const quietMilliseconds = 200;

/**
 * Runs this command without `--watch`, and starts it again whenever a source file changes. Its data are kept across restarts.
 */
export const watchSources = (args: string[], data: string | undefined): Started => {
  const temporary = data === undefined ? mkdtempSync(join(tmpdir(), 'voice-agent-watch-')) : undefined;
  const command = [
    join(root, 'bin/local.ts'),
    ...args.filter((argument) => argument !== '--watch'),
    ...(temporary ? ['--data', temporary] : []),
  ];
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;

  const stopChild = async () => {
    const stopping = child;
    child = undefined;
    if (!stopping || stopping.exitCode !== null) return;
    stopping.kill('SIGTERM');
    await once(stopping, 'exit');
  };
  const start = () => {
    // After a run that ends by itself, this waits for the next change, since the source may not compile.
    child = spawn(process.execPath, command, { stdio: 'inherit' });
  };
  const restart = async () => {
    console.error('Restarting, because a source file changed …');
    await stopChild();
    start();
  };
  const watchers = folders.map((folder) =>
    watch(join(root, folder), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(restart, quietMilliseconds);
    }),
  );
  start();
  return {
    async stop() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      await stopChild();
      if (temporary) rmSync(temporary, { recursive: true, force: true });
    },
  };
};
