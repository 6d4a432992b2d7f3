import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { target, unique } from './world.ts';

const root = join(import.meta.dirname, '../..');

/** Where the operator is who gives the commands; gone after the last test. */
export const folder = mkdtempSync(join(tmpdir(), 'operator-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The settings an operator has who works on the table under test; none of them is set for the local run. */
export const settings = {
  TABLE_NAME: target.tableName,
  AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

export const start = (args: string[], environment: Record<string, string> = settings): ChildProcess =>
  spawn(process.execPath, [join(root, 'bin/operator.ts'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      INIT_CWD: folder,
      AWS_EC2_METADATA_DISABLED: 'true',
      ...environment,
    },
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
  return { code: code as number | null, signal, stdout, stderr };
};

export const operator = (...args: string[]) => ended(start(args));

/** Runs a command that is to succeed, and reads what it prints as JSON. */
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
