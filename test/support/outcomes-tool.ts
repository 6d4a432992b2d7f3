import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../bin/outcomes/command-line.ts';
import { type CapturedRun, capturedRun } from './captured-run.ts';

/** Creates a file in a folder of its own. */
export const writeTestFile = (name: string, text: string | Buffer) => {
  const path = join(mkdtempSync(join(tmpdir(), 'outcomes-')), name);
  writeFileSync(path, text);
  return path;
};

type Options = { baseUrl: string; apiKey?: string; flags?: string[]; env?: object };

const listArguments = (command: string, file: string, { baseUrl, flags = [] }: Options) => [
  command,
  file,
  '--base-url',
  baseUrl,
  ...flags,
];

const makeEnvironment = ({ apiKey, env }: Options) => {
  const { VAP_API_KEY: _, ...inherited } = process.env;
  return { ...inherited, ...(apiKey && { VAP_API_KEY: apiKey }), ...env };
};

/** Starts a push in its own process, without a terminal. */
export const start = (file: string, options: Options) => {
  const child: ChildProcess = spawn(
    process.execPath,
    ['bin/voice-agents.ts', 'outcomes', ...listArguments('push', file, options)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: makeEnvironment(options),
    },
  );
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (text) => {
      texts[stream] += text;
    });
  }
  const ended = new Promise<CapturedRun>((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
  return { child, ended };
};

/** Runs a push in this process. */
export const push = (file: string, options: Options) =>
  capturedRun(run, listArguments('push', file, options), makeEnvironment(options));

/** Runs a pull in this process. */
export const pull = (file: string, options: Options) =>
  capturedRun(run, listArguments('pull', file, options), makeEnvironment(options));

/** Runs a plan in this process. */
export const plan = (file: string, options: Options) =>
  capturedRun(run, listArguments('plan', file, options), makeEnvironment(options));
