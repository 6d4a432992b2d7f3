import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBedrock } from '../../../../bin/local/bedrock.ts';
import { freePort, listen } from '../../../../bin/local/listen.ts';
import { userSays } from '../../../support/chat.ts';
import type { Target } from '../../../support/global-setup.ts';
import { until } from '../../../support/until.ts';
import { target } from '../../../support/world.ts';
import { findProcesses, listeningSockets } from './processes.ts';

const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

const folder = () => mkdtempSync(join(tmpdir(), 'voice-agent-run-'));

type Run = ReturnType<typeof start>;

const start = (options: string[], env: Record<string, string> = {}, command = [process.execPath, 'bin/local.ts']) => {
  const runFile = join(folder(), 'run.json');
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, '--port', '0', '--run-file', runFile, ...options], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    output.out += text;
  });
  child.stderr.on('data', (text) => {
    output.err += text;
  });
  return { child, output, runFile };
};

const ready = async ({ child, output }: Run): Promise<Target> => {
  await until(() => output.out.includes('\n') || child.exitCode !== null, { seconds: 120 });
  if (child.exitCode !== null) throw new Error(output.err);
  return JSON.parse(output.out) as Target;
};

const ended = async ({ child, output }: Run) => {
  if (child.exitCode === null) await once(child, 'close');
  return { code: child.exitCode, ...output };
};

const stop = async ({ child }: Run) => {
  const started = Date.now();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  return Date.now() - started;
};

const ask = async (run: Target, path: string, body?: object) => {
  const response = await fetch(run.baseUrl + path, {
    headers: { 'x-authorization': run.apiKey },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
  return { status: response.status, body: (await response.json()) as any };
};

const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('npm start', () => {
  const data = folder();
  const env: Record<string, string> = { APP_ORIGIN: 'https://app.example.com', TABLE_NAME: 'my-table' };
  let bedrock: Awaited<ReturnType<typeof startBedrock>>;
  const credentials: (string | undefined)[] = [];
  let stripe: Awaited<ReturnType<typeof listen>>;
  const stripeKeys: (string | undefined)[] = [];
  let site: Awaited<ReturnType<typeof listen>>;
  let siteResponds = false;
  let run: Run;
  let facts: Target;

  beforeAll(async () => {
    bedrock = await startBedrock({ onRequest: ({ headers }) => void credentials.push(headers.authorization) });
    const server = createHttpServer((request, response) => {
      stripeKeys.push(request.headers.authorization);
      response.end(
        JSON.stringify({ object: 'list', data: [{ id: 'in_1', object: 'invoice' }], has_more: false, url: '' }),
      );
    });
    stripe = await listen(server);
    site = await listen(
      createHttpServer((_, response) => {
        if (siteResponds) response.setHeader('content-type', 'text/html').end('<title>A page</title><p>Some text.');
      }),
    );
    env.CRAWL_TRUSTED_ORIGINS = site.endpoint;
    const profile = join(folder(), 'credentials');
    writeFileSync(profile, '[work]\naws_access_key_id = AKIAWORK\naws_secret_access_key = secret-of-work\n');
    run = start(
      ['--json', '--data', data],
      {
        ...env,
        // The shell of a developer who works with AWS, with the settings of a model and of a Stripe account.
        AWS_PROFILE: 'work',
        AWS_SHARED_CREDENTIALS_FILE: profile,
        AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
        AWS_REGION: 'eu-central-1',
        AWS_SESSION_TOKEN: 'expired',
        AWS_USE_FIPS_ENDPOINT: 'true',
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.endpoint,
        CHAT_MODEL_ID: 'a-model',
        STRIPE_SECRET_KEY: 'sk_test_given',
        STRIPE_API_BASE: stripe.endpoint,
      },
      ['npm', '-s', 'start', '--'],
    );
    facts = await ready(run);
  });
  afterAll(async () => {
    await bedrock.stop();
    await stripe.stop();
    await site.stop();
  });

  it('npm start works with an AWS profile and other AWS settings in the environment, and honors the service’s own', async () => {
    expect(facts).toMatchObject({ appOrigin: 'https://app.example.com', tableName: 'my-table', customerId: null });
    const { uid, agentId } = facts;
    const blocked = await ask(facts, '/agent-block-list', { uid, agentId, numbers: ['+14155550111'] });
    expect(blocked.body.added).toEqual(['+14155550111']);
    expect(
      run.output.out
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('{')),
    ).toHaveLength(1);
  });

  it('npm start uses a real model with the credentials of the profile, and a given Stripe account', async () => {
    expect(facts.endpoints).toMatchObject({ stripe: stripe.endpoint, bedrock: bedrock.endpoint });
    const body = JSON.stringify({ id: 'c', messages: [userSays('Hello!')] });
    const answer = await fetch(`${facts.baseUrl}/chat/build`, { method: 'POST', body });
    expect(await answer.text()).toMatch(/"text-delta".*data: \[DONE\]/s);
    expect(credentials[0]).toMatch(/Credential=AKIAWORK\/\d+\/eu-central-1\//);
    const headers = { origin: facts.appOrigin };
    const invoices = JSON.stringify({ customerId: 'cus_1' });
    const response = await fetch(`${facts.baseUrl}/get-invoices`, { method: 'POST', headers, body: invoices });
    expect(response.status).toBe(200);
    expect(stripeKeys).toEqual(['Bearer sk_test_given']);
  });

  it('npm start listens only on loopback, and another user of this machine finds nothing in the database, the files and the queue', async () => {
    const sockets = listeningSockets(run.child.pid as number);
    const loopback = ['0100007F', '00000000000000000000000001000000', '0000000000000000FFFF00000100007F'];
    const open = sockets.filter(({ address }) => !loopback.includes(address));
    expect(open).toEqual([]);
    expect(sockets.length).toBeGreaterThanOrEqual(3);

    const endpoint = facts.endpoints.dynamodb as string;
    const listTables = async (accessKeyId: string) => {
      const stranger = { accessKeyId, secretAccessKey: 'any' };
      const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: stranger });
      return (await client.send(new ListTablesCommand())).TableNames;
    };
    expect(await listTables('local')).toEqual([]);
    expect(await listTables(facts.credentials.accessKeyId)).toEqual(['my-table']);
    const { s3 = '', sqs = '' } = facts.endpoints;
    const readStatus = async (url: string) => (await fetch(url)).status;
    expect(await readStatus(`${s3}/voice-agent-platform-files?list-type=2`)).toBe(403);
    expect(await readStatus(`${sqs}/_fauxqs/queues/jobs`)).toBe(403);
  });

  it('npm start writes files that only their owner can read, and no credentials but its own', async () => {
    const { baseUrl, tableName, endpoints, credentials } = facts;
    const written = readFileSync(run.runFile, 'utf8');
    expect(JSON.parse(written)).toMatchObject({ baseUrl, tableName, endpoints, credentials, region: 'us-east-1' });
    expect(written).not.toMatch(/AKIAWORK|secret-of-work|expired|sk_test_given/);
    expect(readMode(run.runFile)).toBe('600');
    expect(readMode(data)).toBe('700');
    const modes = readdirSync(data).map((name) => [name, readMode(join(data, name))]);
    expect(modes.length).toBeGreaterThanOrEqual(4);
    expect(modes).toEqual(modes.map(([name]) => [name, '600']));
  });

  it('npm start does not start a second time on the same data folder', async () => {
    const second = await ended(start(['--json', '--data', data], env));
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toMatch(/^Another run uses the data in [^\n]+\n$/);
  });

  it('npm start leaves no process when it is killed, and has its data and unfinished jobs at the next start', async () => {
    expect(findProcesses(data).some(({ command }) => command.includes('DynamoDBLocal.jar'))).toBe(true);
    const { uid, agentId } = facts;
    const website = { uid, agentId, url: site.endpoint };
    const { websiteId } = (await ask(facts, '/agent-websites', website)).body;
    const readStatus = async (run: Target) => {
      const { websites } = (await ask(run, `/agent-websites?uid=${uid}&agentId=${agentId}`)).body;
      return websites.find(({ id }: { id: string }) => id === websiteId).status;
    };
    await expect.poll(() => readStatus(facts)).toBe('crawling');
    const { pid } = JSON.parse(readFileSync(run.runFile, 'utf8'));
    process.kill(pid, 'SIGKILL');
    await until(() => findProcesses(data).length === 0);
    siteResponds = true;

    const second = start(['--data', data], env);
    await until(() => second.output.out.includes('Ctrl-C'));
    const { out } = second.output;
    expect(out).toContain(facts.apiKey);
    expect(out).toMatch(/answered by a fake model/);
    expect(out).toMatch(/of a fake Stripe/);
    expect(out).toContain('may call from https://app.example.com');

    // The printed commands can be pasted into a shell unchanged.
    const lines = out.split('\n').filter((line) => /^ {2}(curl|export) /.test(line));
    const shell = spawn(
      'sh',
      [
        '-c',
        `${lines.join('; echo\n')}; echo\ncurl -s "$VAP_BASE_URL/agent-block-list?uid=$VAP_USER&agentId=$VAP_AGENT" -H "x-authorization: $VAP_API_KEY"`,
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let text = '';
    for await (const chunk of shell.stdout) text += chunk;
    const answers = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(4);
    for (const answer of answers) expect(answer).not.toHaveProperty('error');
    expect(answers[3].blockList).toContain('+14155550111');

    const again = { ...facts, baseUrl: /VAP_BASE_URL=(\S+)/.exec(out)?.[1] ?? '' };
    await expect.poll(() => readStatus(again)).toBe('ready');
    const { documents } = (await ask(again, `/agent-documents?uid=${uid}&agentId=${agentId}`)).body;
    expect(await (await fetch(documents[0].fileUrl)).text()).toContain('Opening hours');
    await ask(again, `/calls/${agentId}/%2B14155550111`);
    await ask({ ...again, apiKey: `${facts.apiKey}x` }, `/agents/${agentId}`);
    await ask(again, '/agent-block-list', { uid, agentId });
    expect(await stop(second)).toBeLessThan(3000);
    expect(second.child.exitCode).toBe(0);
    expect(existsSync(second.runFile)).toBe(false);
    await until(() => findProcesses(data).length === 0, { seconds: 3 });

    // The log is for people, and has neither keys nor phone numbers.
    const { err } = second.output;
    expect(err).toMatch(/^[\d:]{8} GET \/agents 200 \d+ ms$/m);
    expect(err).toMatch(/^[\d:]{8} POST \/agent-block-list 400 \d+ ms numbers: is required [\w-]{36}( agent_\w+)?$/m);
    expect(err).toMatch(/^[\d:]{8} GET \/calls\/…\/… 404 \d+ ms \S.* [\w-]{36} agent_\w+$/m);
    expect(err).toMatch(/^[\d:]{8} GET \/agents\/… 401 \d+ ms \S/m);
    expect(err).not.toMatch(/vap_|4155550111|"time":/);
  }, 120_000);

  it('a request that comes while the service starts is answered or refused, and a database that dies ends the run', async () => {
    const place = folder();
    const port = await freePort();
    const run = start(['--json', '--data', place, '--port', String(port)]);
    const outcomes: Promise<number | 'refused'>[] = [];
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/openapi.json`, { signal: AbortSignal.timeout(100_000) }).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        (error) => (error.cause?.code === 'ECONNREFUSED' ? 'refused' : Promise.reject(error)),
      );
    // This checks at once, because the service may listen before the first tenth of a second has passed.
    outcomes.push(ask());
    const asking = setInterval(() => outcomes.push(ask()), 100);
    await ready(run).finally(() => clearInterval(asking));
    const counts = new Set(await Promise.all(outcomes));
    expect(counts).toEqual(new Set(['refused', 200]));

    const java = findProcesses(place).find(
      ({ command }) => command.includes('DynamoDBLocal.jar') && !command.includes('guard.mjs'),
    );
    // The pid 0 would be the whole group of this process.
    if (!java) throw new Error('DynamoDB Local does not run.');
    process.kill(java.pid, 'SIGKILL');
    const { code, err } = await ended(run);
    expect(code).toBe(1);
    expect(err).toMatch(/^\S+ DynamoDB Local has ended.*\nThe run ends with it\./m);
    await until(() => findProcesses(place).length === 0);
  }, 120_000);

  it.each([200, 1500, 4000])('npm start leaves no process when npm gets SIGTERM after %i ms', async (milliseconds) => {
    const place = folder();
    const npm = start(['--json', '--data', place], {}, ['npm', '-s', 'start', '--']);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const end = ended(npm);
    npm.child.kill('SIGTERM');
    await until(() => findProcesses(place).length === 0);
    // No stack of a part that lost the others.
    expect((await end).err).not.toMatch(/^ +at /m);
  });

  it.runIf(process.platform === 'linux')('a killed process group leaves no DynamoDB Local', async () => {
    const place = folder();
    const run = start(['--json', '--data', place], {}, ['setsid', process.execPath, 'bin/local.ts']);
    await ready(run);
    if (!run.child.pid) throw new Error('The run has not started.');
    process.kill(-run.child.pid, 'SIGKILL');
    await until(() => findProcesses(place).length === 0);
  });

  it.runIf(process.platform === 'linux').each(['', ' sh -c'])(
    'npm start leaves no process when npm has ended before its script begins, with its shell or without (%j)',
    async (shell) => {
      const place = folder();
      const run = `npm_lifecycle_event=start '${process.execPath}' bin/run.mjs bin/local.ts --json --data '${place}'`;
      // A shell with a second command stays until the first one ends.
      spawnSync('sh', ['-c', shell ? `${shell} "${run}; :" &` : `${run} &`], { stdio: 'ignore' });
      await until(() => findProcesses(place).length === 0);
    },
  );

  it('npm start reports in one sentence why it cannot start', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const port = new URL(target.baseUrl).port;
    const [misused, taken, noFolder, impossible, noDays, noOrigin, noJava] = await Promise.all([
      ended(start(['--json', '--port', 'x'])),
      ended(start(['--json', '--port', port])),
      ended(start(['--json', '--data', join(file, 'data')])),
      ended(start(['--json', '--data', '/proc/nope'])),
      ended(start(['--json'], { CALL_RETENTION_DAYS: '0' })),
      ended(start(['--json'], { APP_ORIGIN: 'foo' })),
      ended(start(['--json'], { PATH: folder(), JAVA_HOME: '' })),
    ]);
    expect(misused).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/^error: option '--port <number>' [^\n]+\n$/),
    });
    expect(taken.err).toMatch(/^Port \d+ is taken: choose another one, .*\n$/);
    expect(noFolder.err).toBe(
      `The data cannot be kept in ${file}/data (ENOTDIR): name a writable folder, as in \`npm start -- --data data\`.\n`,
    );
    expect(impossible.err).toMatch(/^The data cannot be kept in \/proc\/nope \(ENOENT\): .*\n$/);
    expect(noDays.err).toMatch(/\nThe setting CALL_RETENTION_DAYS must be from 1 to 3650, and is "0"\.\n$/);
    expect(noOrigin.err).toMatch(/\nThe setting APP_ORIGIN must be an origin such as [^\n]+\n$/);
    expect(noJava.err.split('\n').at(-2)).toMatch(
      /^DynamoDB Local needs Java: install Java 17 .* or Python 3 with pip/,
    );
    for (const { code, out } of [taken, noFolder, impossible, noDays, noOrigin, noJava])
      expect({ code, out }).toEqual({ code: 1, out: '' });
  });
});

it('npm start keeps its data in a folder with any name, whatever the locale is', async () => {
  const data = join(folder(), '🚀 Tést');
  const run = start(['--json', '--demo-days', '0', '--data', data], { LANG: 'C', LC_ALL: 'C' });
  expect((await ask(await ready(run), '/key')).status).toBe(200);
  expect(readdirSync(data).filter((name) => name.endsWith('_us-east-1.db'))).toHaveLength(1);
  await stop(run);
});

it('npm start -- --help and --version print at once, and install nothing in a fresh clone', async () => {
  const clone = folder();
  for (const file of ['package.json', 'package-lock.json', 'bin/run.mjs', 'bin/local/help.txt']) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(file, join(clone, file));
  }
  const print = async (option: string) => {
    const child = spawn(process.execPath, ['bin/run.mjs', 'bin/local.ts', option], { cwd: clone });
    let text = '';
    for await (const chunk of child.stdout) text += chunk;
    return text;
  };
  expect(await print('--help')).toBe(readFileSync('bin/local/help.txt', 'utf8'));
  expect(await print('--version')).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`);
  expect(existsSync(join(clone, 'node_modules'))).toBe(false);
});

it('npm start -- --watch restarts when a source file changes, with the same data and key', async () => {
  const run = start(['--watch', '--json']);
  const lines = () => run.output.out.split('\n').filter(Boolean);
  await until(() => lines().length === 1);
  utimesSync('bin/local/welcome.ts', new Date(), new Date());
  await until(() => lines().length === 2);
  expect(run.output.err).toContain('Restarting, because a source file changed');
  const [first, second] = lines().map((line) => JSON.parse(line));
  expect(second).toMatchObject({ apiKey: first.apiKey, agentId: first.agentId });
  expect(await stop(run)).toBeLessThan(5000);
}, 120_000);

it('stores that are given are used; with DynamoDB down, requests fail within six seconds and work again when it is back', async () => {
  const requests: string[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.headers['x-amz-target'] ?? request.url}`);
    response.writeHead(503).end();
  });
  const given = await listen(server);
  const proxy = await startProxy(new URL(target.endpoints.dynamodb));
  const run = start(['--json', '--json-log'], {
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    AWS_ENDPOINT_URL_SQS: given.endpoint,
    AWS_ENDPOINT_URL_S3: given.endpoint,
    // AWS behaves the same.
    TABLE_TIMEOUT_SECONDS: '5',
  });
  const facts = await ready(run);
  expect(facts.endpoints).toMatchObject({ dynamodb: proxy.url, s3: given.endpoint, sqs: given.endpoint });
  const { uid, agentId } = facts;
  expect(requests.some((line) => line.startsWith('PUT /'))).toBe(true);
  const added = await ask(facts, '/agent-websites', { uid, agentId, url: 'https://www.example.com/' });
  expect(added).toMatchObject({ status: 500, body: { error: 'internal_error' } });
  expect(requests).toContain('POST AmazonSQS.SendMessage');

  const list = () => ask(facts, `/agent-block-list?uid=${uid}&agentId=${agentId}`);
  expect((await list()).status).toBe(200);
  for (const mode of ['silent', 'refusing'] as const) {
    proxy.mode(mode);
    const started = Date.now();
    expect(await list()).toEqual({ status: 500, body: { error: 'internal_error', message: expect.any(String) } });
    expect(Date.now() - started, mode).toBeLessThan(6000);
    proxy.mode('open');
    expect((await list()).status, mode).toBe(200);
  }
  await stop(run);
  expect(run.output.err).toMatch(/^\{"time":.*"operation":"listBlockedNumbers","status":500/m);
  proxy.close();
  await given.stop();
}, 90_000);

/** A proxy for DynamoDB that can stop responding, or refuse connections. */
const startProxy = async (to: URL) => {
  let mode: 'open' | 'silent' | 'refusing' = 'open';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (mode === 'refusing') return socket.destroy();
    const upstream = connect(Number(to.port), to.hostname);
    upstream.on('error', () => socket.destroy());
    socket.on('data', (data) => mode === 'open' && upstream.write(data));
    upstream.on('data', (data) => socket.write(data));
    socket.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    mode(next: typeof mode) {
      mode = next;
      if (next === 'refusing') for (const socket of sockets) socket.destroy();
    },
    close: () => server.close(),
  };
};
