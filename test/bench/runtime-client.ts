import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

const version = '4.0.2';
const root = join(import.meta.dirname, '..', '..');

/** Why functions cannot be run here as Lambda runs them, in a sentence. */
export class RuntimeClientMissingError extends Error {
  override readonly name = 'NoRuntimeClient';
}

/**
 * AWS's own runtime client for Node: the path of its program. It is built where it is used first, in a minute or two, and
 * kept under `.local/`; `RUNTIME_CLIENT` names another folder for it.
 */
export const runtimeClient = async (say: (sentence: string) => void = () => {}): Promise<string> => {
  const folder = process.env.RUNTIME_CLIENT ?? join(root, '.local', `aws-lambda-ric-${version}`);
  const client = join(folder, 'node_modules', 'aws-lambda-ric', 'index.mjs');
  if (existsSync(join(folder, 'complete'))) return client;
  const missing = ['g++', 'make', 'cmake', 'python3', 'xz'].filter(
    (tool) => spawnSync(tool, ['--version']).status !== 0,
  );
  if (process.platform !== 'linux' || missing.length > 0) {
    const needs = missing.length > 0 ? missing.join(', ') : 'Linux';
    throw new RuntimeClientMissingError(`Lambda’s own runtime client is left out: to be built here it needs ${needs}.`);
  }
  say('Lambda’s own runtime client is built for this machine, once; that takes a minute or two …');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, allowScripts: { 'aws-lambda-ric': true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--foreground-scripts'];
  const building = spawn('npm', [...install, `aws-lambda-ric@${version}`], {
    cwd: folder,
    env: buildSettings(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  for (const stream of [building.stdout, building.stderr]) {
    stream.on('data', (text) => {
      told = (told + text).slice(-10_000);
    });
  }
  // Whatever else runs beside it goes first.
  if (building.pid) setPriority(building.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const stop = () => building.kill();
  process.once('exit', stop);
  const [code] = await once(building, 'close');
  process.off('exit', stop);
  const native = join(folder, 'node_modules', 'aws-lambda-ric', 'rapid-client.node');
  if (code !== 0 || !existsSync(native)) {
    throw new RuntimeClientMissingError(
      `Lambda’s own runtime client is left out: it could not be built here.\n${told}`,
    );
  }
  mkdirSync(join(folder, 'complete'));
  return client;
};

/**
 * What makes the build quick and self-sufficient: no optimization of the HTTP client that it carries, the plainest shell
 * for its thousand questions to the compiler, and Node's headers from the package that Node came with, not from the network.
 */
const buildSettings = () => {
  const node = join(process.execPath, '..', '..');
  const withHeaders = [node, join(root, 'node_modules', 'node', 'node_modules', `node-linux-${process.arch}`)].find(
    (folder) => existsSync(join(folder, 'include', 'node', 'node.h')),
  );
  return {
    ...process.env,
    CFLAGS: '-O0',
    CXXFLAGS: '-O0',
    ...(existsSync('/bin/dash') && { CONFIG_SHELL: '/bin/dash' }),
    ...(withHeaders && { npm_config_nodedir: withHeaders }),
  };
};

/** What came of one invocation: its parts with when each arrived, in milliseconds after the process was started. */
export type Invocation = {
  /** Whether the function answered; what it could not do, or why it could not be loaded, is the answer otherwise. */
  outcome: 'response' | 'error' | 'init error' | 'ended' | 'timed out';
  headers: IncomingMessage['headers'];
  parts: { at: number; bytes: Buffer }[];
  log: string;
};

/** What a function is run with. */
export type Run = {
  /** The folder of its bundle. */
  folder: string;
  functionName: string;
  /** The whole of its environment, but for what Lambda itself adds. */
  environment: Record<string, string>;
  event: unknown;
  timeoutSeconds?: number;
};

/**
 * Runs a function's bundle in a process of its own, under the runtime client, as Lambda does: it asks for its event,
 * and its answer, or why it could not be loaded, is sent to us.
 */
export const runUnderRuntimeClient = async (client: string, run: Run): Promise<Invocation> => {
  const { folder, functionName, environment, event, timeoutSeconds = 60 } = run;
  const done = Promise.withResolvers<Omit<Invocation, 'log'>>();
  let startedAt = 0;
  let asked = false;
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? '';
    if (url.endsWith('/invocation/next')) {
      // The second time it waits for ever: there is one event.
      if (asked) return;
      asked = true;
      response.writeHead(200, {
        'content-type': 'application/json',
        'lambda-runtime-aws-request-id': randomUUID(),
        'lambda-runtime-deadline-ms': String(Date.now() + timeoutSeconds * 1000),
        'lambda-runtime-invoked-function-arn': `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
      });
      response.end(JSON.stringify(event));
      return;
    }
    const parts: Invocation['parts'] = [];
    for await (const bytes of request as AsyncIterable<Buffer>)
      parts.push({ at: performance.now() - startedAt, bytes });
    response.writeHead(202).end('{}');
    const outcome = url.endsWith('/response') ? 'response' : url.includes('/init/') ? 'init error' : 'error';
    done.resolve({ outcome, headers: request.headers, parts });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  startedAt = performance.now();
  const child = spawn(process.execPath, [client, 'index.handler'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_LAMBDA_FUNCTION_NAME: functionName,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
      AWS_LAMBDA_LOG_STREAM_NAME: 'here',
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
  const nothing = { headers: {}, parts: [] };
  child.once('close', () => done.resolve({ outcome: 'ended', ...nothing }));
  const late = setTimeout(() => done.resolve({ outcome: 'timed out', ...nothing }), timeoutSeconds * 1000);
  const outcome = await done.promise;
  clearTimeout(late);
  child.kill('SIGKILL');
  server.close();
  server.closeAllConnections();
  return { ...outcome, log };
};
