import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import type { Target } from '../../support/global-setup.ts';
import { target } from '../../support/world.ts';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const folder = () => mkdtempSync(join(tmpdir(), 'voice-agent-run-'));

const start = (options: string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, ['bin/local.ts', '--run-file', join(folder(), 'run.json'), ...options], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    said.out += text;
  });
  child.stderr.on('data', (text) => {
    said.err += text;
  });
  return { child, said };
};

const ready = async ({ child, said }: ReturnType<typeof start>): Promise<Target> => {
  while (!said.out.includes('\n')) {
    if (child.exitCode !== null) throw new Error(said.err);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return JSON.parse(said.out) as Target;
};

const stop = async (child: ChildProcess) => {
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

describe('npm start', () => {
  it('prints one JSON line with everything a caller needs, and nothing else', () => {
    expect(target).toEqual(
      expect.objectContaining({
        baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        apiKey: expect.stringMatching(/^vap_/),
        uid: expect.any(String),
        agentId: expect.any(String),
        otherUid: expect.any(String),
        otherApiKey: expect.stringMatching(/^vap_/),
        otherAgentId: expect.any(String),
        appOrigin: target.baseUrl,
        customerId: expect.stringMatching(/^cus_/),
        callId: expect.any(String),
        phone: expect.stringMatching(/^\+/),
        tableName: expect.any(String),
      }),
    );
    expect(Object.keys(target.endpoints)).toEqual(['dynamodb', 's3', 'sqs', 'stripe', 'bedrock']);
  });

  it('has two calls with the demo number, and keeps the two users apart', async () => {
    const calls = await ask(target, `/calls/${target.agentId}?phone=${encodeURIComponent(target.phone)}`);
    expect(calls.body.calls.length).toBeGreaterThanOrEqual(2);
    expect(calls.body.calls.map((call: { callId: string }) => call.callId)).toContain(target.callId);
    expect((await ask(target, `/agents/${target.otherAgentId}`)).status).toBe(401);
    expect((await ask({ ...target, apiKey: target.otherApiKey }, `/agents/${target.otherAgentId}`)).status).toBe(200);
    expect((await ask({ ...target, apiKey: target.otherApiKey }, `/agents/${target.agentId}`)).status).toBe(401);
  });

  it('keeps the data between runs when it is told where, honours APP_ORIGIN, and ends within three seconds', async () => {
    const data = folder();
    const env = { APP_ORIGIN: 'https://app.example.com', TABLE_NAME: 'my-table' };
    const first = start(['--port', '0', '--json', '--data', data], env);
    const before = await ready(first);
    expect(before).toMatchObject({ appOrigin: 'https://app.example.com', tableName: 'my-table' });
    const { uid, agentId } = before;
    await ask(before, '/agent-block-list', { uid, agentId, numbers: ['+14155550111'] });
    expect(await stop(first.child)).toBeLessThan(3000);
    expect(first.child.exitCode).toBe(0);
    expect(first.said.out.trim().split('\n').length).toBe(1);

    const second = start(['--port', '0', '--json', '--data', data], env);
    const after = await ready(second);
    expect(after).toMatchObject({ uid, agentId, apiKey: before.apiKey, callId: before.callId });
    const list = await ask(after, `/agent-block-list?uid=${uid}&agentId=${agentId}`);
    expect(list.body.blockList).toEqual(['+14155550111']);
    await stop(second.child);
  });

  it('ends within three seconds, and DynamoDB Local with it, when npm is told to end', async () => {
    const file = join(folder(), 'run.json');
    const npm = spawn('npm', ['start', '--', '--port', '0', '--json', '--run-file', file], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    running.push(npm);
    for await (const line of createInterface({ input: npm.stdout })) if (line.startsWith('{')) break;
    const { pid, endpoints } = JSON.parse(readFileSync(file, 'utf8'));
    const started = Date.now();
    npm.kill('SIGTERM');
    const isAlive = () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    while (isAlive() && Date.now() - started < 3000) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive()).toBe(false);
    await expect(fetch(endpoints.dynamodb)).rejects.toThrow();
  });

  it('notes how to reach it while it runs, and takes the note away at the end', async () => {
    const file = join(folder(), 'run.json');
    const run = start(['--port', '0', '--json', '--run-file', file]);
    const { baseUrl, tableName, endpoints } = await ready(run);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: run.child.pid, baseUrl, tableName, endpoints });
    await stop(run.child);
    expect(existsSync(file)).toBe(false);
  });

  it('says what to do when the port is taken, the data has no place, or Java is missing, in one sentence', async () => {
    const taken = start(['--json', '--port', new URL(target.baseUrl).port]);
    await once(taken.child, 'exit');
    expect(taken.child.exitCode).toBe(1);
    expect(taken.said.err).toMatch(/^Port \d+ is taken: start with another one, .*\n$/);
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const noFolder = start(['--json', '--port', '0', '--data', file]);
    await once(noFolder.child, 'exit');
    expect(noFolder.child.exitCode).toBe(1);
    expect(noFolder.said.err).toBe(
      `The data cannot be kept in ${file} (EEXIST): name a folder that may be written, as in \`npm start -- --data data\`.\n`,
    );
    const noJava = start(['--json', '--port', '0'], { PATH: folder() });
    await once(noJava.child, 'exit');
    expect(noJava.child.exitCode).toBe(1);
    expect(noJava.said.err).toMatch(/^Java was not found: install Java 17.*\n$/);
    expect(taken.said.out + noFolder.said.out + noJava.said.out).toBe('');
  });

  it('greets a person with three curl lines that work when pasted', async () => {
    const run = start(['--port', '0']);
    while (!run.said.out.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 25));
    const lines = run.said.out.split('\n').filter((line) => line.startsWith('  curl '));
    expect(lines.length).toBe(3);
    for (const line of lines) {
      const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      for await (const chunk of shell.stdout) text += chunk;
      expect(JSON.parse(text), line).not.toHaveProperty('error');
    }
    await stop(run.child);
  });

  it('says which answers come from a stand-in, and uses the providers themselves where their settings are given', async () => {
    const local = start(['--port', '0']);
    while (!local.said.out.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 25));
    expect(local.said.out).toMatch(/Chat .* a stand-in for Bedrock answers/);
    expect(local.said.out).toMatch(/Invoices .* a stand-in for Stripe answers/);
    await stop(local.child);

    const asked: IncomingMessage[] = [];
    const stripe = createHttpServer((request, response) => {
      asked.push(request);
      response.end(
        JSON.stringify({ object: 'list', data: [{ id: 'in_1', object: 'invoice' }], has_more: false, url: '' }),
      );
    }).listen(0, '127.0.0.1');
    await once(stripe, 'listening');
    const base = `http://127.0.0.1:${(stripe.address() as AddressInfo).port}`;
    const run = start(['--port', '0', '--json'], {
      STRIPE_SECRET_KEY: 'sk_test_given',
      STRIPE_API_BASE: base,
      CHAT_MODEL_ID: 'a-model',
      AWS_ACCESS_KEY_ID: 'given',
      AWS_SECRET_ACCESS_KEY: 'given',
      AWS_REGION: 'eu-central-1',
    });
    const facts = await ready(run);
    expect(facts.endpoints).toMatchObject({
      stripe: base,
      bedrock: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    });
    expect(facts.customerId).toBeNull();
    const headers = { origin: facts.appOrigin };
    const body = JSON.stringify({ customerId: 'cus_1' });
    expect((await fetch(`${facts.baseUrl}/get-invoices`, { method: 'POST', headers, body })).status).toBe(200);
    expect(asked.map((request) => request.headers.authorization)).toEqual(['Bearer sk_test_given']);
    await stop(run.child);
    stripe.close();
  });

  it('logs neither keys nor phone numbers', async () => {
    const run = start(['--port', '0', '--json']);
    const facts = await ready(run);
    const { uid, agentId, phone, apiKey } = facts;
    await ask(facts, '/agent-block-list', { uid, agentId, numbers: ['+14155550111'] });
    await ask(facts, `/calls/${agentId}/${phone}`);
    await ask(facts, `/calls/${agentId}/%2B14155550111`);
    await ask({ ...facts, apiKey: `${apiKey}x` }, `/agents/${agentId}`);
    await stop(run.child);
    expect(run.said.err).toContain('addBlockedNumbers');
    expect(run.said.err).not.toMatch(/vap_|4155550111|4155550100/);
  });
});

describe('a dead DynamoDB', () => {
  it('is a 500 with the error body within six seconds, and the next request works when it is back', async () => {
    const proxy = await startProxy(new URL(target.endpoints.dynamodb));
    const run = start(['--port', '0', '--json'], { AWS_ENDPOINT_URL_DYNAMODB: proxy.url, TABLE_NAME: 'fault-table' });
    const facts = await ready(run);
    const { uid, agentId } = facts;
    const list = () => ask(facts, `/agent-block-list?uid=${uid}&agentId=${agentId}`);
    expect((await list()).status).toBe(200);
    for (const mode of ['silent', 'refusing'] as const) {
      proxy.mode(mode);
      const started = Date.now();
      const answer = await list();
      expect(answer).toEqual({ status: 500, body: { error: 'internal_error', message: expect.any(String) } });
      expect(Date.now() - started, mode).toBeLessThan(6000);
      proxy.mode('open');
      expect((await list()).status, mode).toBe(200);
    }
    await stop(run.child);
    proxy.close();
  }, 60_000);
});

describe('a queue and a store of files that are given', () => {
  it('are the ones that are used', async () => {
    const asked: string[] = [];
    const server = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.headers['x-amz-target'] ?? request.url}`);
      response.writeHead(503).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = start(['--port', '0', '--json'], { AWS_ENDPOINT_URL_SQS: url, AWS_ENDPOINT_URL_S3: url });
    const facts = await ready(run);
    expect(facts.endpoints).toMatchObject({ s3: url, sqs: url });
    const { uid, agentId } = facts;
    const website = { uid, agentId, url: 'https://www.example.com/' };
    const added = await ask(facts, '/agent-websites', website);
    expect(added).toMatchObject({ status: 500, body: { error: 'internal_error' } });
    const form = new FormData();
    for (const [name, value] of Object.entries({ uid, agentId })) form.set(name, value);
    form.set('files', new Blob(['Hello']), 'hello.txt');
    const headers = { 'x-authorization': facts.apiKey };
    const uploaded = await fetch(`${facts.baseUrl}/agent-documents`, { method: 'POST', headers, body: form });
    expect(uploaded.status).not.toBe(200);
    expect(asked).toContain('POST AmazonSQS.SendMessage');
    expect(asked.some((line) => line.startsWith('PUT /'))).toBe(true);
    await stop(run.child);
    server.closeAllConnections();
    server.close();
  }, 60_000);
});

/** A door to DynamoDB that can fall silent, or refuse everybody. */
const startProxy = async (to: URL) => {
  let mode: 'open' | 'silent' | 'refusing' = 'open';
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
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
