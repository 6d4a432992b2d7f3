import { expect, it } from 'vitest';
import { limits } from '../../functions/domain/limits.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { pickError } from '../support/clients.ts';
import { type Answer, call, newWorld, unique } from '../support/world.ts';

/** A key with a limit, of a user with an agent. */
const limitedWorld = async (requestsPerMinute: number | undefined, scopes?: Parameters<typeof newWorld>[0]) => {
  const world = await newWorld(scopes);
  const made = await apiKeys.get().create(world.uid, { name: 'limited', scopes, requestsPerMinute });
  const ask = (method: string, path: string, options: object = {}) =>
    call(method, path, { apiKey: made.secret, ...options });
  return { ...world, made, ask, whoAmI: () => ask('GET', '/key') };
};

const allowance = ({ headers }: Answer) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
const remaining = (answer: Answer) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);

/** Waits out the end of a minute, in which half of a test could lie. */
const untilWellWithinMinute = async () => {
  const rest = 60_000 - (Date.now() % 60_000);
  if (rest < 5000) await new Promise((resolve) => setTimeout(resolve, rest));
};

/** On AWS each operation is a function, which tells the others of its requests with its next one. */
const inOneProcess = { tags: 'local-only' };

it('a key without a limit has no header of one', async () => {
  const { whoAmI } = await limitedWorld(undefined);
  const answer = await whoAmI();
  expect([answer.status, ...allowance(answer)]).toEqual([200, null, null]);
});

it('each response to a limited key says what is left, refusals included, until nothing is', inOneProcess, async () => {
  await untilWellWithinMinute();
  const { uid, ask, whoAmI, made } = await limitedWorld(6);
  const first = await whoAmI();
  expect(allowance(first)).toEqual(['"key";q=6;w=60', expect.stringMatching(/^"key";r=5;t=\d{1,2}$/)]);
  const others = [
    await ask('GET', '/agents/nobody'),
    await ask('GET', '/agents', { query: { uid: 'somebody-else' } }),
    await ask('POST', '/agents', { body: {} }),
    await ask('POST', '/agents', { body: `{"name":"${'x'.repeat(limits.bodyBytes)}"}` }),
    await ask('GET', '/keys', { query: { uid } }),
  ];
  expect(others.map(({ status }) => status)).toEqual([401, 401, 400, 413, 401]);
  expect(others.map(remaining)).toEqual([4, 3, 2, 1, 0]);
  // Without a scope, with a wrong body and on a foreign agent alike.
  for (const [method, path, options] of [
    ['GET', '/key', {}],
    ['GET', '/keys', { query: { uid } }],
    ['POST', '/agents', { body: {} }],
    ['POST', '/agents', { body: `{"name":"${'x'.repeat(limits.bodyBytes)}"}` }],
    ['GET', '/agents/nobody', {}],
  ] as const) {
    const refused = await ask(method, path, options);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(pickError(refused)).toEqual([429, 'rate_limited']);
    expect(allowance(refused)).toEqual(['"key";q=6;w=60', `"key";r=0;t=${seconds}`]);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
  }
  const own = await ask('PATCH', `/keys/${made.keyId}`, { body: { uid, requestsPerMinute: null } });
  expect(own.status).toBe(429);
});

it('operations at call time neither count nor are refused, and carry no header', inOneProcess, async () => {
  await untilWellWithinMinute();
  const { uid, agentId, ask, whoAmI } = await limitedWorld(1);
  expect((await whoAmI()).status).toBe(200);
  const answers = [
    await ask('POST', '/call-starts', { body: { uid, agentId, from: '+14155550100' } }),
    await ask('GET', '/agent-block-list/check', { query: { uid, agentId, number: '+14155550100' } }),
    await ask('GET', '/block-list/check', { query: { uid, number: '+14155550100' } }),
    await ask('POST', '/agent-knowledge/search', { body: { uid, agentId, query: 'hours' } }),
    await ask('POST', '/hooks/retell', { query: { uid, agentId }, body: { event: 'call_inbound', call_inbound: {} } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.map(allowance)).toEqual(answers.map(() => [null, null]));
  const checks = await ask('POST', '/call-start-checks', { body: { uid, agentId, numbers: ['+14155550100'] } });
  expect(pickError(checks)).toEqual([429, 'rate_limited']);
});

it('a tool call of an AI client counts once, whatever it calls', inOneProcess, async () => {
  await untilWellWithinMinute();
  const { agentId, ask, whoAmI } = await limitedWorld(20);
  const send = (method: string, params: object) =>
    ask('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method, params },
      headers: { 'mcp-protocol-version': '2025-11-25' },
    });
  const tool = (name: string, args: object) => send('tools/call', { name, arguments: args });
  expect(remaining(await whoAmI())).toBe(19);
  expect(remaining(await send('initialize', { protocolVersion: '2025-11-25' }))).toBe(18);
  expect(remaining(await send('tools/list', {}))).toBe(17);
  // The first call of a tool also asks for the user of the key.
  expect(remaining(await tool('listAgents', {}))).toBe(16);
  expect(remaining(await tool('getAgent', { agentId }))).toBe(15);
  expect(remaining(await tool('checkBlockedNumber', { agentId, number: '+14155550100' }))).toBe(14);
  const large = await send('tools/list', { padding: 'x'.repeat(limits.bodyBytesWithoutKey) });
  expect([large.status, remaining(large)]).toEqual([200, 13]);
  expect(remaining(await whoAmI())).toBe(12);
});

it('an AI client over the limit gets a 429, or a result that says so', inOneProcess, async () => {
  await untilWellWithinMinute();
  const { ask, whoAmI } = await limitedWorld(2);
  const send = (method: string, params: object) =>
    ask('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method, params },
      headers: { 'mcp-protocol-version': '2025-11-25' },
    });
  await send('tools/call', { name: 'listAgents', arguments: {} });
  await whoAmI();
  const listed = await send('tools/list', {});
  expect(pickError(listed)).toEqual([429, 'rate_limited']);
  expect(listed.headers.get('retry-after')).toMatch(/^\d+$/);
  const called = await send('tools/call', { name: 'listAgents', arguments: {} });
  expect(called.body.result).toMatchObject({ isError: true, structuredContent: { error: 'rate_limited' } });
  expect(allowance(called)).toEqual(['"key";q=2;w=60', expect.stringContaining('r=0')]);
});

it('parallel requests share the count of their key', inOneProcess, async () => {
  await untilWellWithinMinute();
  const { whoAmI } = await limitedWorld(20);
  const answers = await Promise.all(Array.from({ length: 40 }, whoAmI));
  const taken = answers.filter(({ status }) => status === 200);
  expect([taken.length, answers.filter(({ status }) => status === 429).length]).toEqual([20, 20]);
});

it('a limit is set, changed and ended, and the log of changes names the field', async () => {
  const { uid, ask } = await limitedWorld(undefined, ['keys', 'calls', 'changes']);
  const { body: made } = await ask('POST', '/keys', {
    body: { uid, name: 'batch', scopes: ['calls'], requestsPerMinute: 600 },
  });
  expect(made.requestsPerMinute).toBe(600);
  const path = `/keys/${made.keyId}`;
  const patch = (body: object) => ask('PATCH', path, { body: { uid, ...body } });
  const { secret: _, ...listed } = made;
  expect((await patch({ requestsPerMinute: 5 })).body).toEqual({ ...listed, requestsPerMinute: 5 });
  expect((await patch({ name: 'nightly', color: 'red' })).headers.get('x-ignored-fields')).toBe('color');
  const { body: rotated } = await ask('POST', `${path}/rotate`, { body: { uid } });
  expect([rotated.name, rotated.requestsPerMinute]).toEqual(['nightly', 5]);
  const ended = await ask('PATCH', `/keys/${rotated.keyId}`, { body: { uid, requestsPerMinute: null } });
  expect([ended.status, 'requestsPerMinute' in ended.body]).toEqual([200, false]);
  for (const requestsPerMinute of [0, -1, 1.5, 1e9, limits.requestsPerMinute + 1, '5']) {
    const refused = await patch({ requestsPerMinute });
    expect([requestsPerMinute, refused.status, refused.body.details?.[0].path]).toEqual([
      requestsPerMinute,
      400,
      'requestsPerMinute',
    ]);
  }
  expect(pickError(await ask('PATCH', `/keys/${unique('key')}`, { body: { uid, name: 'x' } }))).toEqual([
    404,
    'key_not_found',
  ]);
  await ask('DELETE', `/keys/${rotated.keyId}`, { query: { uid } });
  const over = await ask('PATCH', `/keys/${rotated.keyId}`, { body: { uid, name: 'x' } });
  expect(pickError(over)).toEqual([404, 'key_not_found']);
});

it('a key lowers its own limit, and neither raises nor ends it', async () => {
  const { uid, ask, made } = await limitedWorld(100, ['calls']);
  const patch = (body: object) => ask('PATCH', `/keys/${made.keyId}`, { body: { uid, ...body } });
  for (const requestsPerMinute of [101, null])
    expect(pickError(await patch({ requestsPerMinute }))).toEqual([401, 'insufficient_permissions']);
  expect((await patch({ requestsPerMinute: 100, name: 'same' })).status).toBe(200);
  expect((await patch({ requestsPerMinute: 90 })).body.requestsPerMinute).toBe(90);
  const { body: rotated } = await ask('POST', `/keys/${made.keyId}/rotate`, { body: { uid } });
  expect(rotated.requestsPerMinute).toBe(90);
});

it('a limited key gives no key more than it has, and gets none', async () => {
  const { uid, ask } = await limitedWorld(50, ['keys', 'calls']);
  const make = (body: object) => ask('POST', '/keys', { body: { uid, name: 'new', scopes: ['calls'], ...body } });
  const { body: made } = await make({});
  expect(made.requestsPerMinute).toBe(50);
  expect((await make({ requestsPerMinute: 10 })).body.requestsPerMinute).toBe(10);
  for (const requestsPerMinute of [51, null])
    expect(pickError(await make({ requestsPerMinute }))).toEqual([401, 'insufficient_permissions']);
  const raise = (keyId: string, requestsPerMinute: number | null) =>
    ask('PATCH', `/keys/${keyId}`, { body: { uid, requestsPerMinute } });
  expect(pickError(await raise(made.keyId, 51))).toEqual([401, 'insufficient_permissions']);
  expect((await raise(made.keyId, 20)).status).toBe(200);
  expect((await raise(made.keyId, 50)).status).toBe(200);
  const free = await apiKeys.get().create(uid, { name: 'free', scopes: ['calls'] });
  const stolen = await ask('POST', `/keys/${free.keyId}/rotate`, { body: { uid } });
  expect(pickError(stolen)).toEqual([401, 'insufficient_permissions']);
  expect((await ask('DELETE', `/keys/${free.keyId}`, { query: { uid } })).status).toBe(200);
});
