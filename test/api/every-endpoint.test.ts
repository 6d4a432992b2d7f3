import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey, Scope } from '../../functions/domain/api-keys.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { routes } from '../../functions/routes.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { samples } from '../support/samples.ts';
import { call, newUser, newWorld, type World } from '../support/world.ts';

const keyed = routes.filter(({ caller }) => caller.kind === 'key');

let world: World;
let stranger: World;
beforeAll(async () => {
  [world, stranger] = await Promise.all([newWorld(Scope.options), newWorld(Scope.options)]);
  await world.recordCall('call-1');
});

type Named = { uid: string; agentId: string };

/** Asks for an operation in the right form, for a user and an agent. */
const ask = async (endpoint: AnyEndpoint, apiKey: string | undefined, { uid, agentId }: Named, more: object = {}) => {
  const sample = samples[endpoint.name] ?? {};
  const { params = {}, query, body, files } = typeof sample === 'function' ? await sample(agentId, uid) : sample;
  const variables: Record<string, string> = { agentId, ...params };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(variables[name] ?? ''));
  const fields = { uid, agentId, ...body };
  const inBody = endpoint.multipart ? formOf(fields, files) : endpoint.body && fields;
  return call(endpoint.method, path, { apiKey, query: { uid, agentId, ...query }, body: inBody, ...more });
};

const formOf = (fields: Record<string, unknown>, files: Record<string, Blob> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  for (const [name, file] of Object.entries(files)) form.append('files', file, name);
  return form;
};

const errorWith = (code: string) => ({ error: code, message: expect.any(String) });

it('every operation has a name, a method and a path of its own, and every keyed one a sample request', () => {
  expect(keyed.map(({ name }) => name).filter((name) => !(name in samples))).toEqual([]);
  expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
});

/** Defines a test for those operations only that it can be asked of. */
const when = (applies: unknown): ((name: string, test: () => Promise<void>) => void) => (applies ? it : () => {});

describe.each(keyed.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_, endpoint) => {
  const { caller } = endpoint;
  const namesAgent = caller.kind === 'key' && caller.agent !== undefined;
  const namesUser =
    caller.kind === 'key' &&
    (caller.user !== undefined || 'uid' in (endpoint.body?.shape ?? {}) || 'uid' in (endpoint.query?.shape ?? {}));

  it('answers a request of the right form', async () => {
    const answer = await ask(endpoint, world.apiKey, world);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('x-request-id')).toMatch(/.+/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('rejects a request without a key', async () => {
    const answer = await ask(endpoint, undefined, world);
    expect([answer.status, answer.body]).toEqual([401, errorWith('missing_api_key')]);
    expect(answer.headers.get('x-request-id')).toMatch(/.+/);
  });

  it('rejects malformed, unknown, revoked and expired keys alike', async () => {
    const { uid } = world;
    const make = (expiresAt?: string) => apiKeys.get().create(uid, { name: 'over', expiresAt });
    const [expired, revoked] = await Promise.all([make(new Date(Date.now() - 1000).toISOString()), make()]);
    await apiKeys.get().revoke(uid, revoked.keyId);
    const real = newApiKey();
    const wrongChecksum = real.slice(0, -1) + (real.endsWith('A') ? 'B' : 'A');
    const texts = new Set<string>();
    for (const key of [
      real,
      wrongChecksum,
      'vap_',
      'x'.repeat(5000),
      `sk_${real.slice(4)}`,
      expired.secret,
      revoked.secret,
    ]) {
      const answer = await ask(endpoint, key, world);
      expect([answer.status, answer.body]).toEqual([401, errorWith('invalid_api_key')]);
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
  });

  it('takes a key with a leading Bearer', async () => {
    expect((await ask(endpoint, `Bearer ${world.apiKey}`, world)).status).toBe(200);
  });

  const scope = caller.kind === 'key' && caller.scope;
  when(scope)('rejects a key whose scopes do not cover it', async () => {
    const others = (['agents', 'knowledge', 'calls', 'block-list'] as const).filter((other) => other !== scope);
    const { secret } = await apiKeys.get().create(world.uid, { name: 'others', scopes: others });
    const answer = await ask(endpoint, secret, world);
    const message = `This API key lacks the scope "${scope}".`;
    expect([answer.status, answer.body]).toEqual([401, { error: 'insufficient_permissions', message }]);
    const { secret: covering } = await apiKeys.get().create(world.uid, { name: 'covering', scopes: [scope as Scope] });
    expect((await ask(endpoint, covering, world)).status).toBe(200);
  });

  it('takes a key without a list of scopes, unless its scope must be named', async () => {
    const { secret } = await apiKeys.get().create(world.uid, { name: 'without scopes' });
    const mustBeNamed = caller.kind === 'key' && caller.scope === 'privacy';
    expect((await ask(endpoint, secret, world)).status).toBe(mustBeNamed ? 401 : 200);
  });

  when(namesAgent || namesUser)('responds alike for a foreign agent, a missing one and a foreign user', async () => {
    const answers = [
      ...(namesAgent
        ? [
            await ask(endpoint, world.apiKey, { uid: world.uid, agentId: stranger.agentId }),
            await ask(endpoint, world.apiKey, { uid: world.uid, agentId: 'no-such-agent' }),
            await ask(endpoint, stranger.apiKey, { uid: stranger.uid, agentId: world.agentId }),
          ]
        : []),
      ...(namesUser ? [await ask(endpoint, stranger.apiKey, world)] : []),
      ...(namesUser ? [await ask(endpoint, (await newUser(Scope.options)).apiKey, world)] : []),
    ];
    for (const answer of answers)
      expect([answer.status, answer.body]).toEqual([401, errorWith('insufficient_permissions')]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  // A hook takes whatever its platform sends.
  when(endpoint.body && !endpoint.readBody)(
    'rejects an invalid body, but reveals nothing about it without a key',
    async () => {
      for (const body of ['', '{', '[]', '"text"', 'null', '7', Buffer.from([0x7b, 0xff, 0x7d])]) {
        const answer = await ask(endpoint, world.apiKey, world, { body });
        expect(answer.status, String(body)).toBe(400);
        expect(answer.body).toEqual({ ...errorWith('invalid_request'), details: expect.any(Array) });
        expect((await ask(endpoint, newApiKey(), world, { body })).body).toEqual(errorWith('invalid_api_key'));
      }
    },
  );

  when(endpoint.body && !endpoint.multipart && !endpoint.readBody)(
    'rejects a body over 1 MB, and one nested deeper than 32 levels',
    async () => {
      const large = await ask(endpoint, world.apiKey, world, { body: JSON.stringify({ x: 'x'.repeat(1024 * 1024) }) });
      expect([large.status, large.body]).toEqual([413, errorWith('payload_too_large')]);
      const deep = await ask(endpoint, world.apiKey, world, { body: `{"x":${'['.repeat(40)}${']'.repeat(40)}}` });
      expect([deep.status, deep.body.error]).toEqual([400, 'invalid_request']);
    },
  );

  when(namesUser)('rejects malformed identifiers', async () => {
    for (const uid of ['', 'a b', 'ü', 'x'.repeat(129), 'a/b']) {
      const answer = await ask(endpoint, world.apiKey, { uid, agentId: world.agentId });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
      expect(answer.body.details[0].path).toBe('uid');
    }
  });
});
