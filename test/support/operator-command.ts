import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { run } from '../../bin/operator/command-line.ts';
import { type CapturedRun, capturedRun } from './captured-run.ts';
import { awsSettings, target, unique } from './world.ts';

const root = join(import.meta.dirname, '../..');

/** The folder in which commands run. Deleted after the last test. */
export const folder = mkdtempSync(join(tmpdir(), 'operator-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The environment of an operator who works on the table under test. */
export const settings = {
  TABLE_NAME: target.tableName,
  VAP_BASE_URL: target.baseUrl,
  TABLE_TIMEOUT_SECONDS: '20',
  AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb,
  ...awsSettings,
};

const makeEnvironment = (environment: Record<string, string>) => ({
  PATH: process.env.PATH,
  HOME: folder,
  INIT_CWD: folder,
  AWS_EC2_METADATA_DISABLED: 'true',
  ...environment,
});

/** Starts a command in its own process. */
export const start = (args: string[], environment: Record<string, string> = settings): ChildProcess =>
  spawn(process.execPath, [join(root, 'bin/voice-agents.ts'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: makeEnvironment(environment),
  });

export const ended = async (child: ChildProcess) => {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (text) => {
    stdout += text;
  });
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  const [code, signal] = await once(child, 'close');
  return { signal, ...withTarget({ code: code as number | null, stdout, stderr }) };
};

/** Runs a command in this process. */
export const runOperator = async (environment: Record<string, string>, args: string[]) =>
  withTarget(await capturedRun(run, args, makeEnvironment(environment)));

/** Takes the line about the table or service in use out of standard error. */
const withTarget = ({ code, stdout, stderr }: CapturedRun) => {
  const [line = '', target] = /^Using (.*)\.\n/.exec(stderr) ?? [];
  return { code, stdout, stderr: stderr.slice(line.length), target };
};

export const operator = (...args: string[]) => runOperator(settings, args);

/** Runs a command that must succeed, and reads its result as JSON. */
export const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await operator(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')).toHaveLength(2);
  return JSON.parse(stdout);
};

export const newFile = (content: string | Uint8Array, name = unique('file')) => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};

export const oneSentence = /^[^\n]+\n$/;

/** The error of a command with `--json`. */
export const jsonError = (error: string, message: string) => `${JSON.stringify({ error, message })}\n`;
