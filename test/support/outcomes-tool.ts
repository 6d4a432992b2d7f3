import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file in a folder of its own. */
export const fileOf = (name: string, text: string | Buffer) => {
  const path = join(mkdtempSync(join(tmpdir(), 'outcomes-')), name);
  writeFileSync(path, text);
  return path;
};

export type Run = { status: number | null; stdout: string; stderr: string };

/** Starts `npm run outcomes -- push` as a shell would, without a terminal. */
export const start = (file: string, options: { baseUrl: string; apiKey?: string; flags?: string[]; env?: object }) => {
  const { baseUrl, apiKey, flags = [], env } = options;
  const { VAP_API_KEY: _, ...inherited } = process.env;
  const child: ChildProcess = spawn(
    process.execPath,
    ['bin/outcomes.ts', 'push', file, '--base-url', baseUrl, ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...inherited, ...(apiKey && { VAP_API_KEY: apiKey }), ...env } },
  );
  const run: Run = { status: null, stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => {
    run.stdout += text;
  });
  child.stderr?.on('data', (text) => {
    run.stderr += text;
  });
  const ended = new Promise<Run>((resolve) => child.once('close', (status) => resolve({ ...run, status })));
  return { child, ended };
};

export const push = (...given: Parameters<typeof start>) => start(...given).ended;
