import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiClient } from '../../../../functions/openapi/client/client.ts';
import type { Target } from '../../../support/global-setup.ts';
import { until } from '../../../support/until.ts';
import { findProcesses } from './processes.ts';

export const newFolder = () => join(mkdtempSync(join(tmpdir(), 'voice-agent-run-')), 'data');

/** Starts a local run, and returns its facts, its client, its output, and a function that ends it with everything it started. */
export const startRun = async (data: string, options: string[] = [], env: Record<string, string> = {}) => {
  const runFile = join(mkdtempSync(join(tmpdir(), 'voice-agent-run-')), 'run.json');
  const args = ['bin/local.ts', '--port', '0', '--json', '--run-file', runFile, '--data', data, ...options];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    output.out += text;
  });
  child.stderr.on('data', (text) => {
    output.err += text;
  });
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    await until(() => findProcesses(data).length === 0);
  };
  await until(() => output.out.includes('\n') || child.exitCode !== null, { seconds: 120 });
  if (child.exitCode !== null) throw new Error(output.err);
  const facts = JSON.parse(output.out) as Target;
  return { facts, output, end, api: apiClient(facts) };
};
export type Run = Awaited<ReturnType<typeof startRun>>;
