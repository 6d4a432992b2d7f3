import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../bin/local/listen.ts';

const root = join(import.meta.dirname, '..', '..');

export type Emulator = {
  endpoint: string;
  /** The certificate it serves with. */
  certificate: string;
  /** The environment of a program that uses the emulator as AWS. */
  environment: Record<string, string>;
  /** The log of everything that a role was allowed or denied, as JSON lines. */
  grants: string;
  log: string;
  stop(): Promise<void>;
};

const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
const region = 'us-east-1';
/** The module that each function's process runs first. */
const preloaded = ['awslambda.mjs', 'execute-api.mjs'];

/**
 * Starts an emulated AWS that checks signatures and enforces IAM, over TLS: a bucket's policy asks for it.
 * Its functions inherit the `settings`.
 */
export const startEmulator = async (
  programs: string,
  folder: string,
  settings: Record<string, string>,
): Promise<Emulator> => {
  const port = await freePort();
  // A number, not a name: S3's clients then leave the bucket in the path.
  const endpoint = `https://127.0.0.1:${port}`;
  const certificate = join(folder, 'ministack-tls', 'server.crt');
  const log = join(folder, 'emulator.log');
  const grants = join(folder, 'grants.jsonl');
  const bin = join(root, 'node_modules', '.bin');
  const emulator = spawn(join(programs, 'python'), [join(import.meta.dirname, 'emulator.py')], {
    cwd: folder,
    // A group of its own, with all its functions' processes.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...credentials,
      ...settings,
      PATH: `${bin}:${process.env.PATH}`,
      AUTH: 'true',
      USE_SSL: '1',
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: 'localhost',
      MINISTACK_REGION: region,
      TMPDIR: folder,
      LOG_LEVEL: 'WARNING',
      EMULATOR_GRANTS: grants,
      NODE_EXTRA_CA_CERTS: certificate,
      EMULATOR_ENDPOINT: endpoint,
      NODE_OPTIONS: preloaded
        .map((file) => `--import=${pathToFileURL(join(import.meta.dirname, file)).href}`)
        .join(' '),
    },
  });
  const file = createWriteStream(log);
  emulator.stdout.pipe(file);
  emulator.stderr.pipe(file);
  // Throws when it could not be started at all.
  await once(emulator, 'spawn');
  const group = -(emulator.pid as number);
  const stop = async () => {
    if (emulator.exitCode !== null || emulator.signalCode !== null) return;
    process.kill(group, 'SIGKILL');
    await once(emulator, 'exit');
  };
  for (let waited = 0; ; waited += 250) {
    if (emulator.exitCode !== null) throw new Error(`The emulator ended with ${emulator.exitCode}: see ${log}.`);
    if (waited > 60_000) throw new Error(`The emulator did not start within a minute: see ${log}.`);
    if (existsSync(certificate) && (await answers(port))) break;
    await sleep(250);
  }
  const environment = {
    ...credentials,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL: endpoint,
    AWS_CA_BUNDLE: certificate,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  return { endpoint, certificate, environment, grants, log, stop };
};

const answers = async (port: number) => {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};
