import { describe, expect, it } from 'vitest';
import { blockList } from '../../functions/store/block-list/block-list.ts';
import { idempotency } from '../../functions/store/idempotency.ts';
import { table } from '../../functions/store/table.ts';
import { call, newWorld, target, unique, type World } from '../support/world.ts';

const named = ({ uid, agentId }: World) => ({ uid, agentId });

it('the body of a request is read as JSON with any content type', async () => {
  const world = await newWorld();
  const body = JSON.stringify({ uid: world.uid, agentId: world.agentId, numbers: ['+14155550100'] });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream', 'image/png', '']) {
    const answer = await world.call('POST', '/agent-block-list', { body, headers: { 'content-type': type } });
    expect(answer.status, type).toBe(200);
  }
});

it('a compressed body is refused with a sentence once the key is known', async () => {
  const world = await newWorld();
  const body = JSON.stringify({ uid: world.uid, name: 'Desk' });
  const send = (coding: string, apiKey: string | undefined) =>
    call('POST', '/agents', { apiKey, body, headers: { 'content-encoding': coding } });
  const { status, body: error } = await send('gzip', world.apiKey);
  expect([status, error]).toEqual([
    415,
    {
      error: 'unsupported_media_type',
      message: 'The body is compressed (gzip). Send it without compression and without Content-Encoding.',
    },
  ]);
  expect((await send('br', undefined)).status).toBe(401);
  expect((await send('identity', world.apiKey)).status).toBe(200);
});

it('the body of a request may have unknown fields, and a byte order mark', async () => {
  const world = await newWorld();
  const body = `\ufeff${JSON.stringify({ uid: world.uid, name: 'x', strange: [1], __proto__x: {} })}`;
  const answer = await world.call('POST', '/agents', { body });
  expect(answer.status).toBe(200);
  expect(answer.body).not.toHaveProperty('strange');
});

it('the response to an invalid body names every invalid field', async () => {
  const world = await newWorld();
  const answer = await world.call('POST', '/agent-block-list', {
    body: { uid: 'a b', numbers: ['+14155550100', 7] },
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({
    error: 'invalid_request',
    message: expect.stringContaining('uid'),
    details: [
      { path: 'uid', message: expect.any(String) },
      { path: 'agentId', message: expect.any(String) },
      { path: 'numbers.1', message: expect.any(String) },
    ],
  });
});

it('the response to an invalid body reports a missing field in a word', async () => {
  const world = await newWorld();
  const put = await world.call('PUT', `/calls/${world.agentId}/call-1`, {
    body: { phone: '+14155550100' },
  });
  expect(put.body).toMatchObject({
    message: 'direction: is required (and 1 more error in details)',
    details: [
      { path: 'direction', message: 'is required' },
      { path: 'startedAt', message: 'is required' },
    ],
  });
  const list = await world.call('GET', '/agents');
  expect(list.body.message).toBe('uid: is required');
});

it('the response to a body with many errors has 20 details, and the last says how many more there are', async () => {
  const world = await newWorld();
  const numbers = Array.from({ length: 5000 }, () => 1);
  const { status, body } = await world.call('POST', '/agent-block-list', { body: { ...named(world), numbers } });
  expect([status, body.details.length, body.details.at(-1)]).toEqual([400, 20, { path: '', message: 'and 4981 more' }]);
});

it('a list that is too long is refused before its items are read', async () => {
  const world = await newWorld();
  const numbers = Array.from({ length: 300_000 }, () => 1);
  const { status, body } = await world.call('POST', '/agent-block-list', { body: { ...named(world), numbers } });
  expect([status, body.error, body.details.length]).toEqual([400, 'too_many_numbers', 1]);
});

it('the response names up to ten fields and parameters that the operation does not know', async () => {
  const world = await newWorld();
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, index]));
  const body = { uid: world.uid, name: 'x', ...many, 'é,\n': 1 };
  const created = await world.call('POST', '/agents', { body, query: { debug: 1 } });
  expect(created.headers.get('x-ignored-fields')).toBe(['debug', ...Object.keys(many).slice(0, 9)].join(', '));
  const strange = await world.call('POST', '/agents', { body: { uid: world.uid, name: 'x', 'é,\n': 1 } });
  expect(strange.headers.get('x-ignored-fields')).toBe('%C3%A9%2C%0A');
  const listed = await world.call('GET', '/agents', { query: { uid: world.uid, limit: 5 } });
  expect(listed.headers.get('x-ignored-fields')).toBeNull();
});

it('the X-Authorization of a request precedes its Authorization, and may begin with Bearer', async () => {
  const world = await newWorld();
  const query = { uid: world.uid };
  const key = { apiKey: `Bearer ${world.apiKey}`, headers: { authorization: 'Bearer other' } };
  expect((await call('GET', '/agents', { query, ...key })).status).toBe(200);
  const other = { apiKey: 'other', headers: { authorization: `Bearer ${world.apiKey}` } };
  expect((await call('GET', '/agents', { query, ...other })).status).toBe(401);
});

it('the body of a request may have exactly 1 MB', async () => {
  const world = await newWorld();
  const sized = (bytes: number) => {
    const empty = JSON.stringify({ uid: world.uid, name: 'x', padding: '' });
    return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
  };
  expect((await world.call('POST', '/agents', { body: sized(1024 * 1024) })).status).toBe(200);
  const over = await world.call('POST', '/agents', { body: sized(1024 * 1024 + 1) });
  expect([over.status, over.body.error]).toEqual([413, 'payload_too_large']);
});

it('the gateway responds with its own body to unknown routes, malformed paths and bodies over its limit', async () => {
  const refused = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, { body });
    return [answer.status, answer.body];
  };
  expect(await refused('GET', '/nowhere')).toEqual([404, { message: 'Not Found' }]);
  expect(await refused('PUT', '/agents')).toEqual([404, { message: 'Not Found' }]);
  expect(await refused('GET', '/agents/')).toEqual([404, { message: 'Not Found' }]);
  expect(await refused('GET', '/agents/%E0%A4%A')).toEqual([400, { message: 'Bad Request' }]);
  expect(await refused('POST', '/agents', Buffer.alloc(11 * 1024 * 1024))).toEqual([
    413,
    { message: 'Request Entity Too Large' },
  ]);
});

it('CORS names the configured application origin, and nothing else, on preflights, answers and errors', async () => {
  const world = await newWorld();
  const headers = { origin: 'https://evil.example' };
  const preflight = await call('OPTIONS', '/agents', {
    headers: { ...headers, 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-authorization');
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
  const answers = [
    preflight,
    await world.call('GET', '/agents', { query: { uid: world.uid }, headers }),
    await call('GET', '/agents', { headers }),
    await call('GET', '/nowhere', { headers }),
  ];
  expect(answers.map((answer) => answer.headers.get('access-control-allow-origin'))).toEqual(
    answers.map(() => target.appOrigin),
  );
});

describe('an Idempotency-Key', () => {
  const create = (world: Awaited<ReturnType<typeof newWorld>>, key: string, body: object = { name: 'x' }) =>
    world.call('POST', '/agents', { body: { uid: world.uid, ...body }, headers: { 'idempotency-key': key } });

  it('an Idempotency-Key repeats the first response, however the body is formatted', async () => {
    const world = await newWorld();
    const key = unique('key');
    const first = await create(world, key, { name: 'x', configuration: { voice: 'a', language: 'de' } });
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await create(world, key, { configuration: { language: 'de', voice: 'a' }, name: 'x', unknown: 1 });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect((await world.call('GET', '/agents', { query: { uid: world.uid } })).body.agents.length).toBe(2);
  });

  it('an Idempotency-Key belongs to one user and one operation', async () => {
    const [a, b] = await Promise.all([newWorld(), newWorld()]);
    const key = unique('key');
    const [first, second] = [await create(a, key), await create(b, key)];
    expect(second.body.agentId).not.toBe(first.body.agentId);
    const copy = await a.call('POST', '/duplicate-agent', {
      body: { uid: a.uid, agentId: a.agentId },
      headers: { 'idempotency-key': key },
    });
    expect(copy.status).toBe(200);
  });

  it('an Idempotency-Key runs one of many concurrent requests: the others must retry, or get its response', async () => {
    const world = await newWorld();
    const key = unique('key');
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(world, key)));
    for (const answer of answers) {
      if (answer.status === 200) continue;
      expect([answer.status, answer.body.error]).toEqual([409, 'idempotency_in_progress']);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.agentId)).size).toBe(1);
    expect((await world.call('GET', '/agents', { query: { uid: world.uid } })).body.agents.length).toBe(2);
  });

  it('an Idempotency-Key of a request that was rejected can be used again at once', async () => {
    const world = await newWorld();
    const stranger = await newWorld();
    const key = unique('key');
    const headers = { 'idempotency-key': key };
    const refused = await world.call('POST', '/duplicate-agent', {
      body: { uid: world.uid, agentId: stranger.agentId },
      headers,
    });
    expect(refused.status).toBe(401);
    const ours = await world.call('POST', '/duplicate-agent', {
      body: { uid: world.uid, agentId: world.agentId },
      headers,
    });
    expect(ours.status).toBe(200);
  });

  it('an Idempotency-Key of a request that died after its work finds that work again', async () => {
    const { agentId } = await newWorld();
    const [creationId, number] = [unique('creation'), '+14155550101'];
    const add = () => blockList.get().add({ agentId }, [number], {}, creationId);
    expect([await add(), await add()].map((outcomes) => outcomes.get(number))).toEqual(['done', 'done']);
    expect((await blockList.get().add({ agentId }, [number])).get(number)).toBe('already_blocked');
  });

  it('a request that died is continued by only one caller, with the creation id of its Idempotency-Key', async () => {
    const { uid } = await newWorld();
    const request = { uid, operation: 'createAgent', key: unique('key'), contentHash: 'h' };
    const store = idempotency.get();
    const first = await store.claim(request);
    if (first.state !== 'claimed') throw new Error(first.state);
    expect(await store.claim(request)).toEqual({ state: 'in progress' });
    expect(await store.claim({ ...request, contentHash: 'other' })).toEqual({ state: 'other content' });
    await table.get().change(first.key, { set: { claimedUntil: Date.now() - 1 } });
    const later = await Promise.all([store.claim(request), store.claim(request), store.claim(request)]);
    const taken = later.filter((claim) => claim.state === 'claimed');
    expect(taken.length).toBe(1);
    expect(taken[0]?.creationId).toBe(first.creationId);
  });
});
