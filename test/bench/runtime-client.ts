import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { CpuGroup } from './cpu-group.ts';

const version = '4.0.2';
const root = join(import.meta.dirname, '..', '..');

/** Thrown when functions cannot run here as Lambda runs them. The message says why. */
export class RuntimeClientMissingError extends Error {
  override readonly name = 'RuntimeClientMissingError';
}

/**
 * The path of AWS's own runtime client for Node. It is built on first use, in a minute or two, and kept under `.local/`;
 * `RUNTIME_CLIENT` names another folder for it.
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
    throw new RuntimeClientMissingError(`Lambda’s own runtime client is not used: building it needs ${needs}.`);
  }
  say('Building Lambda’s own runtime client, once; this takes a minute or two …');
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
  let output = '';
  for (const stream of [building.stdout, building.stderr]) {
    stream.on('data', (text) => {
      output = (output + text).slice(-10_000);
    });
  }
  // Everything else on the machine goes first.
  if (building.pid) setPriority(building.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const stop = () => building.kill();
  process.once('exit', stop);
  const [code] = await once(building, 'close');
  process.off('exit', stop);
  const native = join(folder, 'node_modules', 'aws-lambda-ric', 'rapid-client.node');
  if (code !== 0 || !existsSync(native)) {
    throw new RuntimeClientMissingError(`Lambda’s own runtime client is not used: the build failed.\n${output}`);
  }
  mkdirSync(join(folder, 'complete'));
  return client;
};

/**
 * Makes the build quick and independent of the network: no optimization of the HTTP client that it contains, a plain shell
 * for its configure script, and Node's headers from the package that Node came with.
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

/** The result of running a function with one event. Times are milliseconds after its process was started. */
export type Invocation = {
  /** `error`: its handler threw; `init error`: it could not be loaded. Then the parts say why. */
  outcome: 'response' | 'error' | 'init error' | 'ended' | 'timed out';
  headers: IncomingMessage['headers'];
  /** The time at which the function was initialized, and requested its event. */
  initializedAt: number;
  /** The parts of the first response, each with its time of arrival. */
  parts: { at: number; bytes: Buffer }[];
  log: string;
};

/** A function's bundle, its environment and its event. */
export type Run = {
  /** The folder of its bundle. */
  folder: string;
  functionName: string;
  /** The whole of its environment, except for what Lambda itself adds. */
  environment: Record<string, string>;
  event: unknown;
  timeoutSeconds?: number;
  /** Limits the function's CPU from its event on, as Lambda does: initialization has a full core. */
  cpu?: { group: CpuGroup; share: number };
};

/** Runs a function's bundle in a process of its own under the runtime client, as Lambda does: it asks for an event, and posts its response. */
export const runUnderRuntimeClient = async (client: string, run: Run): Promise<Invocation> => {
  const { folder, functionName, environment, event, timeoutSeconds = 60, cpu } = run;
  const events = [event];
  const done = Promise.withResolvers<Pick<Invocation, 'outcome' | 'headers' | 'parts'>>();
  let startedAt = 0;
  let initializedAt = 0;
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? '';
    if (url.endsWith('/invocation/next')) {
      // After its event the function waits until it is ended.
      if (events.length === 0) return;
      initializedAt ||= performance.now() - startedAt;
      cpu?.group.limit(cpu.share);
      response.writeHead(200, {
        'content-type': 'application/json',
        'lambda-runtime-aws-request-id': randomUUID(),
        'lambda-runtime-deadline-ms': String(Date.now() + timeoutSeconds * 1000),
        'lambda-runtime-invoked-function-arn': `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
      });
      response.end(JSON.stringify(events.shift()));
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
  cpu?.group.limit(undefined);
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
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
      AWS_LAMBDA_LOG_STREAM_NAME: 'here',
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: 'index.handler',
    },
  });
  if (child.pid) cpu?.group.add(child.pid);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      log += text;
    });
  }
  const nothing = { headers: {}, parts: [] };
  const closed = once(child, 'close').then(() => done.resolve({ outcome: 'ended', ...nothing }));
  const late = setTimeout(() => done.resolve({ outcome: 'timed out', ...nothing }), timeoutSeconds * 1000);
  const outcome = await done.promise;
  clearTimeout(late);
  child.kill('SIGKILL');
  await closed;
  server.close();
  server.closeAllConnections();
  return { ...outcome, initializedAt, log };
};
