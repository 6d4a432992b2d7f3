import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const version = '4.0.2';
const root = join(import.meta.dirname, '..', '..');

/** Why functions cannot be run here as Lambda runs them, in a sentence. */
export class NoRuntimeClient extends Error {
  override readonly name = 'NoRuntimeClient';
}

/** AWS's own runtime client for Node, installed where it is used: it is built on this machine, which takes minutes. */
export const runtimeClient = (): string => {
  const folder = process.env.RUNTIME_CLIENT ?? join(root, '.local', `aws-lambda-ric-${version}`);
  const client = join(folder, 'node_modules', 'aws-lambda-ric', 'index.mjs');
  if (existsSync(join(folder, 'complete'))) return client;
  for (const tool of ['g++', 'make', 'cmake']) {
    if (spawnSync(tool, ['--version']).status === 0) continue;
    throw new NoRuntimeClient(`The functions are not run under Lambda’s own runtime client: it is built with ${tool}.`);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const { NODE_EXTRA_CA_CERTS: _, AWS_CA_BUNDLE: __, ...env } = process.env;
  const made = spawnSync('npm', ['install', '--no-audit', '--no-fund', `aws-lambda-ric@${version}`], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  if (made.status !== 0 || !existsSync(client)) throw new Error(`aws-lambda-ric was not built:\n${made.stderr}`);
  mkdirSync(join(folder, 'complete'));
  return client;
};

/** What came of one invocation: its parts with when each arrived, in milliseconds after the process was started. */
export type Invocation = {
  ok: boolean;
  headers: IncomingMessage['headers'];
  parts: { at: number; bytes: Buffer }[];
  log: string;
};

/**
 * Runs a function's bundle in a process of its own, under the runtime client, as Lambda does: it asks for its event,
 * and its answer, or why it could not be loaded, is sent to us.
 */
export const runUnderRuntimeClient = async (
  client: string,
  options: { folder: string; functionName: string; environment: Record<string, string>; event: unknown },
): Promise<Invocation> => {
  const { folder, functionName, environment, event } = options;
  const done = Promise.withResolvers<Omit<Invocation, 'log'>>();
  let startedAt = 0;
  let asked = false;
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.endsWith('/invocation/next')) {
      // The second time it waits for ever: there is one event.
      if (asked) return;
      asked = true;
      response.writeHead(200, {
        'content-type': 'application/json',
        'lambda-runtime-aws-request-id': randomUUID(),
        'lambda-runtime-deadline-ms': String(Date.now() + 60_000),
        'lambda-runtime-invoked-function-arn': `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
      });
      response.end(JSON.stringify(event));
      return;
    }
    const parts: Invocation['parts'] = [];
    for await (const bytes of request as AsyncIterable<Buffer>)
      parts.push({ at: performance.now() - startedAt, bytes });
    response.writeHead(202).end('{}');
    done.resolve({ ok: Boolean(request.url?.endsWith('/response')), headers: request.headers, parts });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  startedAt = performance.now();
  const child = spawn(process.execPath, [client, 'index.handler'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      ...environment,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_LAMBDA_FUNCTION_NAME: functionName,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: 'index.handler',
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      log += text;
    });
  }
  child.once('exit', () => done.resolve({ ok: false, headers: {}, parts: [] }));
  const outcome = await done.promise;
  child.kill('SIGKILL');
  server.close();
  server.closeAllConnections();
  return { ...outcome, log };
};
