import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import type { Scope } from '../../functions/domain/api-keys.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { webhookEndpointsKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { webhookEndpoints } from '../../functions/webhooks/webhook-endpoints.ts';
import { keptRequest } from '../support/kept-request.ts';
import { newEndpoint, newReceiver, verified } from '../support/webhooks.ts';
import { newWorld, unique, type World } from '../support/world.ts';

const url = 'https://crm.example.com/webhooks';

/** Every endpoint receives test events, whatever types it subscribes to. `agent.created` of the test's own agent may still arrive. */
const testsAlone = { events: ['call.recorded'] };

const at = (endpointId: string, action = '') => `/webhook-endpoints/${endpointId}${action}`;
const listEndpoints = async ({ call, uid }: World) =>
  (await call('GET', '/webhook-endpoints', { query: { uid } })).body.endpoints;

it('webhook endpoints are created, read, changed and deleted; the secret is shown at creation, and never again', async () => {
  const world = await newWorld();
  const { uid, agentId, call } = world;
  const by = { keyId: world.keyId, keyName: 'test' };
  const fields = { url, events: ['call.*', 'document.ready'], agentIds: [agentId], description: 'CRM' };
  const made = await call('POST', '/webhook-endpoints', { body: { uid, ...fields } });
  expect(made.status, made.text).toBe(200);
  const { secret, ...endpoint } = made.body;
  const { endpointId } = endpoint;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(endpoint).toEqual({ endpointId, ...fields, ...by, active: true, createdAt: expect.any(String) });
  expect((await call('GET', at(endpointId), { query: { uid } })).body).toEqual(endpoint);
  expect(await listEndpoints(world)).toEqual([endpoint]);
  const change = { uid, events: ['*'], agentIds: null, description: null, active: false };
  const changed = await call('PATCH', at(endpointId), { body: change });
  expect(changed.body).toEqual({
    ...{ endpointId, url, events: ['*'], ...by },
    ...{ active: false, createdAt: endpoint.createdAt },
  });
  expect((await call('GET', at(endpointId), { query: { uid } })).body).toEqual(changed.body);
  const gone = await call('DELETE', at(endpointId), { query: { uid } });
  expect(gone.body).toEqual({ message: 'Webhook endpoint deleted successfully' });
  for (const [method, path, options] of [
    ['GET', at(endpointId), { query: { uid } }],
    ['DELETE', at(endpointId), { query: { uid } }],
    ['PATCH', at(endpointId), { body: { uid } }],
    ['POST', at(endpointId, '/test'), { body: { uid } }],
    ['POST', at(endpointId, '/rotate-secret'), { body: { uid } }],
  ] as const) {
    const answer = await call(method, path, options);
    expect([answer.status, answer.body.error]).toEqual([404, 'endpoint_not_found']);
  }
});

it('webhook endpoints subscribe to everything by default, and accept only agents that the user may use', async () => {
  const [world, stranger] = await Promise.all([newWorld(), newWorld()]);
  const { uid, call } = world;
  const made = await call('POST', '/webhook-endpoints', { body: { uid, url } });
  expect(made.body.events).toEqual(['*']);
  expect(made.body).not.toHaveProperty('agentIds');
  for (const agentId of [stranger.agentId, 'no-such-agent']) {
    const refused = await call('POST', '/webhook-endpoints', { body: { uid, url, agentIds: [agentId] } });
    expect([refused.status, refused.body.error]).toEqual([401, 'insufficient_permissions']);
    const body = { uid, agentIds: [world.agentId, agentId] };
    expect((await call('PATCH', at(made.body.endpointId), { body })).status).toBe(401);
  }
});

it('a user has at most ten webhook endpoints, also with eleven concurrent requests', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  for (let n = 0; n < 9; n += 1) await newEndpoint(world, `${url}?n=${n}`);
  const answers = await Promise.all(
    [url, (await newReceiver()).url].map((one) => call('POST', '/webhook-endpoints', { body: { uid, url: one } })),
  );
  const [made, refused] = answers.toSorted((one, other) => one.status - other.status);
  expect([made?.status, refused?.status, refused?.body.error]).toEqual([200, 409, 'too_many_endpoints']);
  expect(await listEndpoints(world)).toHaveLength(10);
  await call('DELETE', at(made?.body.endpointId), { query: { uid } });
  await newEndpoint(world, `${url}?n=14`);
  const first = (await call('GET', '/webhook-endpoints', { query: { uid, limit: 6 } })).body;
  const rest = (await call('GET', '/webhook-endpoints', { query: { uid, cursor: first.nextCursor } })).body;
  expect([first.endpoints.length, rest.endpoints.length, rest.nextCursor]).toEqual([6, 4, undefined]);
});

it('a host gets a second webhook endpoint of a user when the first one has answered with 2xx', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const receiver = await newReceiver({ status: 500 }, { status: 204 });
  // Only the tests reach it: no event arrives between them.
  const events = ['call.recorded'];
  const create = (path: string) =>
    call('POST', '/webhook-endpoints', { body: { uid, url: receiver.url + path, events } });
  const first = await create('');
  expect(first.status).toBe(200);
  const refused = await create('?2');
  expect([refused.status, refused.body.details?.[0]]).toEqual([
    400,
    { path: 'url', message: expect.stringContaining(`has the host of ${first.body.endpointId}`) },
  ]);
  const test = async () => (await call('POST', at(first.body.endpointId, '/test'), { body: { uid } })).body.delivered;
  const endpoint = async () => (await call('GET', at(first.body.endpointId), { query: { uid } })).body;
  await webhookEndpoints.get().change(uid, first.body.endpointId, (found) => ({ ...found, active: false }));
  expect(await test()).toBe(false);
  expect(await endpoint()).not.toHaveProperty('confirmedAt');
  await webhookEndpoints.get().change(uid, first.body.endpointId, (found) => ({ ...found, testedAt: 0 }));
  expect(await test()).toBe(true);
  expect(await endpoint()).toMatchObject({ confirmedAt: expect.any(String) });
  expect((await create('?2')).status).toBe(200);
  // Another address has answered nothing yet.
  const moved = await call('PATCH', at(first.body.endpointId), { body: { uid, url: url } });
  expect([moved.status, moved.body.confirmedAt]).toEqual([200, undefined]);
});

it('no two webhook endpoints of a user have one address, when one is created or changed', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const { endpointId } = await newEndpoint(world, url);
  const other = await newEndpoint(world, `${url}?n=1`);
  const same = url.replace('https://', 'HTTPS://');
  for (const answer of [
    await call('POST', '/webhook-endpoints', { body: { uid, url: same } }),
    await call('PATCH', at(other.endpointId), { body: { uid, url } }),
  ])
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, 'url']);
  expect((await call('PATCH', at(endpointId), { body: { uid, url } })).status).toBe(200);
  expect(await listEndpoints(world)).toHaveLength(2);
});

it('a webhook endpoint is made for events that the scopes of its key cover, and says which key that is', async () => {
  const world = await newWorld();
  const { uid, call, keyId } = world;
  const { secret: narrow, keyId: narrowId } = await apiKeys.get().create(uid, { name: 'k', scopes: ['webhooks'] });
  for (const events of [['call.recorded'], ['call.*'], ['*', 'call.*']]) {
    const refused = await call('POST', '/webhook-endpoints', { apiKey: narrow, body: { uid, url, events } });
    expect([refused.status, refused.body.message]).toEqual([401, 'This API key lacks the scope "calls".']);
  }
  const made = await call('POST', '/webhook-endpoints', { apiKey: narrow, body: { uid, url } });
  expect(made.body).toMatchObject({ events: ['*'], keyId: narrowId });
  expect(made.body).not.toHaveProperty('scopes');
  const { endpointId } = made.body;
  const change = async (apiKey: string, body: object) =>
    (await call('PATCH', at(endpointId), { apiKey, body: { uid, ...body } })).body.keyId;
  expect(await change(world.apiKey, { description: 'x' })).toBe(narrowId);
  expect(await change(world.apiKey, { events: ['call.*'] })).toBe(keyId);
  expect(await change(narrow, { url: `${url}?other` })).toBe(narrowId);
});

it('a webhook endpoint gets no events that the scopes of its key do not cover', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const scopes: Scope[] = ['webhooks', 'agents'];
  const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'k', scopes });
  const receiver = await newReceiver();
  const made = await world.call('POST', '/webhook-endpoints', { apiKey, body: { uid, url: receiver.url } });
  expect(made.status).toBe(200);
  await world.recordCall('call-1');
  await world.call('PATCH', `/agents/${agentId}`, { body: { name: 'Changed' } });
  const sent = await receiver.waitFor(1);
  expect(JSON.parse(sent[0]?.body ?? '').type).toMatch(/^agent\./);
  await expect.poll(() => listTypes(world)).toContain('agent.updated');
  expect((await listTypes(world)).filter((type) => !type.startsWith('agent.'))).toEqual([]);
});

it.each([
  ['http://crm.example.org/', 'url'],
  ['https://crm.example.org:8443/', 'url'],
  ['https://user:password@crm.example.org/', 'url'],
  ['ftp://crm.example.org/', 'url'],
  ['crm.example.org', 'url'],
  ['https://no-such-host.invalid/', 'url'],
])('%s is not a valid address for webhooks', async (address) => {
  const { uid, call } = await newWorld();
  const answer = await call('POST', '/webhook-endpoints', { body: { uid, url: address } });
  expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, 'url']);
});

it('an address inside the network is not accepted, when an endpoint is created or changed', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const { endpointId } = await newEndpoint(world, url);
  for (const host of ['127.0.0.1', '[::ffff:10.0.0.1]', '0xa9fea9fe', 'localhost']) {
    const body = { uid, url: `https://${host}/` };
    const made = await call('POST', '/webhook-endpoints', { body });
    expect([made.status, made.body.details?.[0]?.path], host).toEqual([400, 'url']);
  }
  expect((await call('PATCH', at(endpointId), { body: { uid, url: 'https://169.254.169.254/' } })).status).toBe(400);
  expect(await listEndpoints(world)).toMatchObject([{ url }]);
});

it.each([
  [{ events: ['call.happened'] }, 'events.0'],
  [{ events: ['nothing.*'] }, 'events.0'],
])('webhook endpoints reject the events %j', async (fields, path) => {
  const { uid, call } = await newWorld();
  const answer = await call('POST', '/webhook-endpoints', { body: { uid, url, ...fields } });
  expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, path]);
});

/** The types of the events that go to a user's endpoints. */
const listTypes = async ({ call, uid }: World): Promise<string[]> =>
  (await call('GET', '/webhook-deliveries', { query: { uid } })).body.deliveries.map(
    ({ type }: { type: string }) => type,
  );

it('the secret of an endpoint is in the table in no readable form, and is not kept for an Idempotency-Key, which returns it all the same', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const headers = { 'idempotency-key': unique('key') };
  const ask = () => call('POST', '/webhook-endpoints', { body: { uid, url, ...testsAlone }, headers });
  const [first, again] = [await ask(), await ask()];
  expect(again.body).toEqual(first.body);
  expect([first, again].map((answer) => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  expect(await listEndpoints(world)).toHaveLength(1);
  const { endpointId, secret } = first.body;
  const rotate = () => call('POST', at(endpointId, '/rotate-secret'), { body: { uid }, headers });
  const [rotated, rotatedAgain] = [await rotate(), await rotate()];
  expect(rotatedAgain.body).toEqual(rotated.body);
  expect(rotated.body.secret).not.toBe(secret);
  const stored = JSON.stringify(await table.get().get(webhookEndpointsKey(uid)));
  expect(stored).toContain('sealed');
  for (const shown of [secret, rotated.body.secret]) expect(stored).not.toContain(shown.replace('whsec_', ''));
  const kept = await keptRequest(uid, 'createWebhookEndpoint');
  expect((kept as unknown as { answer: Uint8Array }).answer.length).toBeLessThan(10);
});

it('the secret of an endpoint is repeated only to the API key that made it', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'other', scopes: undefined });
  const headers = { 'idempotency-key': unique('key') };
  const paths = ['/webhook-endpoints', at((await newEndpoint(world, url, testsAlone)).endpointId, '/rotate-secret')];
  for (const [index, path] of paths.entries()) {
    const ask = (more: object = {}) =>
      call('POST', path, {
        body: { uid, ...(index === 0 && { url: `${url}?n=1`, ...testsAlone }) },
        headers,
        ...more,
      });
    const first = await ask();
    expect(first.body.secret).toMatch(/^whsec_/);
    const other = await ask({ apiKey });
    expect([other.status, other.body.error]).toEqual([409, 'idempotency_conflict']);
    expect(other.text).not.toContain('whsec_');
    expect((await ask()).body).toEqual(first.body);
  }
});

it('a deleted endpoint is not created again by a repeated Idempotency-Key', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const headers = { 'idempotency-key': unique('key') };
  const ask = () => call('POST', '/webhook-endpoints', { body: { uid, url }, headers });
  const { endpointId } = (await ask()).body;
  expect((await call('DELETE', at(endpointId), { query: { uid } })).status).toBe(200);
  const again = await ask();
  expect([again.status, again.body.error]).toEqual([409, 'idempotency_conflict']);
  expect(await listEndpoints(world)).toEqual([]);
});

it('the secret of an endpoint signs its requests; after a rotation, both the former and the new one sign', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const receiver = await newReceiver();
  const { endpointId, secret } = await newEndpoint(world, receiver.url, testsAlone);
  const test = () => call('POST', at(endpointId, '/test'), { body: { uid } });
  expect((await test()).body).toEqual({ delivered: true, status: 204, milliseconds: expect.any(Number) });
  const rotated = (await call('POST', at(endpointId, '/rotate-secret'), { body: { uid } })).body;
  await forgetTest(uid, endpointId);
  await test();
  const [first, second] = (await receiver.received()) as [never, never];
  const event = verified(secret, first);
  expect(event).toEqual({
    id: expect.stringMatching(/^event_/),
    type: 'webhook_endpoint.test',
    timestamp: expect.any(String),
    data: { uid, endpointId },
  });
  expect(() => verified(rotated.secret, first)).toThrow();
  expect(verified(secret, second).type).toBe('webhook_endpoint.test');
  expect(verified(rotated.secret, second).type).toBe('webhook_endpoint.test');
  const { headers, body } = second as { headers: Record<string, string>; body: string };
  expect(() => new Webhook(secret).verify(body.replace('test', 'tent'), headers)).toThrow();
});

/** Lets an endpoint be tested again at once. */
const forgetTest = (uid: string, endpointId: string) =>
  webhookEndpoints.get().change(uid, endpointId, ({ testedAt: _, ...endpoint }) => endpoint);

it('a test event is sent once in ten seconds, however often it is asked for at once', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const receiver = await newReceiver();
  const { endpointId } = await newEndpoint(world, receiver.url, testsAlone);
  const started = Date.now();
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => call('POST', at(endpointId, '/test'), { body: { uid } })),
  );
  const passed = Math.ceil((Date.now() - started) / 1000);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error).toBe('rate_limited');
  // This is the rest of the ten seconds, because the refused request may be late.
  const seconds = Number(refused?.headers.get('retry-after'));
  expect(seconds).toBeLessThanOrEqual(10);
  expect(seconds).toBeGreaterThanOrEqual(10 - passed);
  expect(await receiver.received()).toHaveLength(1);
});

it.each([
  ['an error', { status: 500 }, { status: 500, cause: 'The receiver answered with status 500.' }],
  [
    'a redirect, which is not followed',
    { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } },
    { status: 302, cause: 'The receiver answered with the redirect 302, which is not followed.' },
  ],
])('a test event reports %s', async (_, reply, expected) => {
  const world = await newWorld();
  const receiver = await newReceiver(reply);
  const { endpointId } = await newEndpoint(world, receiver.url, testsAlone);
  const answer = await world.call('POST', at(endpointId, '/test'), { body: { uid: world.uid } });
  expect(answer.body).toEqual({ delivered: false, milliseconds: expect.any(Number), ...expected });
  expect(await receiver.received()).toHaveLength(1);
});

it('a test event reports a host that is not found, and is also sent to an endpoint that is switched off', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const { endpointId } = await newEndpoint(world, url);
  await call('PATCH', at(endpointId), { body: { uid, active: false } });
  const lost = await call('POST', at(endpointId, '/test'), { body: { uid } });
  expect(lost.body).toEqual({ delivered: false, milliseconds: expect.any(Number), cause: 'The host was not found.' });
  const receiver = await newReceiver();
  await call('PATCH', at(endpointId), { body: { uid, url: receiver.url } });
  await forgetTest(uid, endpointId);
  expect((await call('POST', at(endpointId, '/test'), { body: { uid } })).body.delivered).toBe(true);
});

it('a test event waits 15 seconds for a receiver that hangs, and reads next to nothing of 1 GB', {
  tags: 'heavy',
}, async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const [hanging, flooding] = await Promise.all([
    newReceiver({ hangs: true }),
    newReceiver({ status: 200, bodyBytes: 2 ** 30 }),
  ]);
  const ends = [await newEndpoint(world, hanging.url, testsAlone), await newEndpoint(world, flooding.url, testsAlone)];
  const [late, flooded] = await Promise.all(
    ends.map(({ endpointId }) => call('POST', at(endpointId, '/test'), { body: { uid } })),
  );
  expect(late?.body).toMatchObject({ delivered: false, cause: 'The receiver did not respond within 15 seconds.' });
  expect(late?.body.milliseconds).toBeLessThan(16_000);
  expect(flooded?.body).toMatchObject({ delivered: true, status: 200 });
  expect(flooded?.body.milliseconds).toBeLessThan(2000);
  expect(await flooding.sentBytes()).toBeLessThan(16 * 2 ** 20);
});
