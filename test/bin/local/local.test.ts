import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { expect, it } from 'vitest';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { normalizePhoneNumber } from '../../../functions/domain/phone-numbers.ts';
import { call, target } from '../../support/world.ts';

const ask = (path: string, apiKey = target.apiKey) => call('GET', path, { apiKey });

/** Requests a path by another name of this machine. */
const askAs = async (host: string, path: string) => {
  const { hostname, port } = new URL(target.baseUrl);
  const [response] = (await once(request({ hostname, port, path, headers: { host } }).end(), 'response')) as [
    IncomingMessage,
  ];
  response.resume();
  return response.statusCode;
};

it('the local run prints one JSON line with everything a caller needs, and nothing else', () => {
  // Tests get it from the file of the run.
  const { erasureSecret: _, ...printed } = target;
  expect(printed).toEqual({
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    apiKey: expect.stringMatching(/^vap_/),
    usersApiKey: expect.stringMatching(/^vap_/),
    uid: expect.any(String),
    agentId: expect.any(String),
    otherUid: expect.any(String),
    otherApiKey: expect.stringMatching(/^vap_/),
    otherAgentId: expect.any(String),
    appOrigin: target.baseUrl,
    customerId: expect.stringMatching(/^cus_/),
    callId: expect.any(String),
    documentId: expect.stringMatching(/^doc_/),
    websiteId: expect.stringMatching(/^web_/),
    phone: expect.stringMatching(/^\+/),
    tableName: expect.any(String),
    endpoints: expect.any(Object),
    credentials: { accessKeyId: expect.stringMatching(/^LOCAL[0-9A-F]{32}$/), secretAccessKey: expect.any(String) },
  });
  expect(Object.keys(target.endpoints)).toEqual(['dynamodb', 's3', 'sqs', 'stripe', 'bedrock']);
});

it('the local run has demo data of every kind, and keeps the two users apart', async () => {
  const { uid, agentId, phone, otherAgentId, otherApiKey } = target;
  const query = `uid=${uid}&agentId=${agentId}`;
  const calls = await ask(`/calls/${agentId}?phone=${encodeURIComponent(phone)}`);
  expect(calls.body.calls.length).toBeGreaterThanOrEqual(2);
  expect(calls.body.calls.map((call: { callId: string }) => call.callId)).toContain(target.callId);
  expect((await ask(`/agents/${agentId}`)).body.phoneNumber).toMatch(/^\+/);
  expect((await ask(`/agent-block-list?${query}`)).body.blockList).toHaveLength(1);
  expect((await ask(`/agent-websites?${query}`)).body.websites).toMatchObject([{ status: 'ready', pages: 5 }]);
  expect((await ask(`/agent-documents?${query}`)).body.documents).toHaveLength(1);
  expect((await ask(`/agents/${otherAgentId}`)).status).toBe(401);
  expect((await ask(`/agents/${otherAgentId}`, otherApiKey)).status).toBe(200);
  expect((await ask(`/agents/${agentId}`, otherApiKey)).status).toBe(401);
});

it('the demo keys show every view of the console: one has all scopes but "users", the other has that one', async () => {
  const scopes = async (apiKey: string) => (await ask('/key', apiKey)).body.scopes;
  expect([...(await scopes(target.apiKey)), ...(await scopes(target.usersApiKey))].sort()).toEqual(
    [...Scope.options].sort(),
  );
  expect((await ask('/users', target.usersApiKey)).body.users).toContainEqual(
    expect.objectContaining({ uid: 'demo-client' }),
  );
});

it.each(['README.md', 'functions/openapi/guides/quickstart.md'])(
  'the demo of the local run blocks no number that %s blocks',
  async (file) => {
    const { uid, agentId } = target;
    const { blockList } = (await ask(`/agent-block-list?uid=${uid}&agentId=${agentId}`)).body;
    const numbers = readFileSync(file, 'utf8').match(/\+\d[\d ()-]{9,}\d/g) ?? [];
    expect(numbers.length).toBeGreaterThan(0);
    expect(blockList).toHaveLength(1);
    expect(numbers.map(normalizePhoneNumber)).not.toContain(blockList[0]);
  },
);

it('the local run leaves it to its callers to close idle connections', async () => {
  const { headers } = await fetch(`${target.baseUrl}/llms.txt`);
  expect(headers.get('connection')).toBe('keep-alive');
  // The time after which Node’s server would close the connection.
  expect(headers.get('keep-alive')).toBeNull();
});

it('the local run rejects requests for another host, as from a page whose name resolves to this machine', async () => {
  const { port } = new URL(target.baseUrl);
  for (const path of ['/docs/demo.json', '/openapi.json', '/nothing']) {
    expect(await askAs(`evil.example:${port}`, path), path).toBe(403);
  }
  expect(await askAs(`localhost.evil.example:${port}`, '/openapi.json')).toBe(403);
  for (const host of ['localhost', `127.0.0.1:${port}`, `[::1]:${port}`]) {
    expect(await askAs(host, '/openapi.json'), host).toBe(200);
  }
});

it('npm start takes the port from PORT, and refuses one that is none', () => {
  const env = { ...process.env, PORT: 'x' };
  const { status, stderr } = spawnSync(process.execPath, ['bin/local.ts'], { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining("value 'x' from env 'PORT' is invalid")]);
});

it('npm start -- --help names every option and every setting', () => {
  const help = readFileSync('bin/local/help.txt', 'utf8');
  const options = [...readFileSync('bin/local.ts', 'utf8').matchAll(/(?:\.option|new Option)\('(--[\w-]+)/g)].map(
    ([, name]) => name,
  );
  expect(options.length).toBeGreaterThan(4);
  const source = readFileSync('functions/environment.ts', 'utf8');
  const settings = [...source.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([name]) => name);
  expect(settings).toContain('CRAWL_TRUSTED_ORIGINS');
  const missing = new Set([...options, ...settings].filter((name) => name && !help.includes(name)));
  // Lambda’s own, those that only a deployment behind CloudFront has, and the run’s own address.
  const ofDeployments =
    /^AWS_(?!ENDPOINT_URL_)|^(CLIENT_ADDRESS_HEADER|EDGE_SECRETS|CALLER_MARK_SECRET|API_URL|METRIC_NAMESPACE)$/;
  expect([...missing].filter((name) => !ofDeployments.test(name as string))).toEqual([]);
});
