import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey, Scope } from '../../functions/domain/api-keys.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { routes } from '../../functions/routes.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { type Sample, samples } from '../support/samples.ts';
import { call, newUser, newWorld, type World } from '../support/world.ts';

const keyed = routes.filter(({ caller }) => caller.kind === 'key');

let world: World;
let stranger: World;
/** A user without an agent. */
let newcomer: Awaited<ReturnType<typeof newUser>>;
/** Keys of the world's user that are not valid any more. */
let expired: string;
let revoked: string;
beforeAll(async () => {
  [world, stranger, newcomer] = await Promise.all([
    newWorld(Scope.options),
    newWorld(Scope.options),
    newUser(Scope.options),
  ]);
  await world.recordCall('call-1');
  const make = (expiresAt?: string) => apiKeys.get().create(world.uid, { name: 'over', expiresAt });
  const keys = await Promise.all([make(new Date(Date.now() - 1000).toISOString()), make()]);
  [expired, revoked] = keys.map(({ secret }) => secret) as [string, string];
  await apiKeys.get().revoke(world.uid, keys[1].keyId);
});

const keys = new Map<string, Promise<string>>();
/** A key of the world's user with these scopes. */
const keyWith = async (scopes: Scope[] | undefined): Promise<string> => {
  const name = String(scopes);
  const made =
    keys.get(name) ??
    apiKeys
      .get()
      .create(world.uid, { name, scopes })
      .then(({ secret }) => secret);
  keys.set(name, made);
  return made;
};

type Named = { uid: string; agentId: string };

/** A request of the right form for an operation, for a user and an agent. */
const sampleOf = async ({ name }: AnyEndpoint, { uid, agentId }: Named): Promise<Sample> => {
  const sample = samples[name] ?? {};
  return typeof sample === 'function' ? sample(agentId, uid) : sample;
};

/** Asks for an operation in the right form, or with `more` in another one. A sample may be asked with until one succeeds. */
const ask = async (
  endpoint: AnyEndpoint,
  apiKey: string | undefined,
  { uid, agentId }: Named,
  { sample, ...more }: { sample?: Sample; body?: unknown } = {},
) => {
  const { params = {}, query, body, files } = sample ?? (await sampleOf(endpoint, { uid, agentId }));
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
    const real = newApiKey();
    const wrongChecksum = real.slice(0, -1) + (real.endsWith('A') ? 'B' : 'A');
    const sample = await sampleOf(endpoint, world);
    const answers = await Promise.all(
      [real, wrongChecksum, 'vap_', 'x'.repeat(5000), `sk_${real.slice(4)}`, expired, revoked].map((key) =>
        ask(endpoint, key, world, { sample }),
      ),
    );
    for (const { status, body } of answers) expect([status, body]).toEqual([401, errorWith('invalid_api_key')]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  const scope = caller.kind === 'key' && caller.scope;
  it('takes a key with a leading Bearer, and with its scope alone', async () => {
    const key = scope ? await keyWith([scope]) : world.apiKey;
    expect((await ask(endpoint, `Bearer ${key}`, world)).status).toBe(200);
  });

  when(scope)('rejects a key whose scopes do not cover it', async () => {
    const others = (['agents', 'knowledge', 'calls', 'block-list'] as const).filter((other) => other !== scope);
    const answer = await ask(endpoint, await keyWith([...others]), world);
    const message = `This API key lacks the scope "${scope}".`;
    expect([answer.status, answer.body]).toEqual([401, { error: 'insufficient_permissions', message }]);
  });

  it('takes a key without a list of scopes, unless its scope must be named', async () => {
    const mustBeNamed = caller.kind === 'key' && caller.scope === 'privacy';
    expect((await ask(endpoint, await keyWith(undefined), world)).status).toBe(mustBeNamed ? 401 : 200);
  });

  when(namesAgent || namesUser)('responds alike for a foreign agent, a missing one and a foreign user', async () => {
    const askAs = (apiKey: string, uid: string, agentId: string) => ask(endpoint, apiKey, { uid, agentId });
    const answers = await Promise.all([
      ...(namesAgent
        ? [
            askAs(world.apiKey, world.uid, stranger.agentId),
            askAs(world.apiKey, world.uid, 'no-such-agent'),
            askAs(stranger.apiKey, stranger.uid, world.agentId),
          ]
        : []),
      ...(namesUser ? [stranger, newcomer].map(({ apiKey }) => askAs(apiKey, world.uid, world.agentId)) : []),
    ]);
    for (const answer of answers)
      expect([answer.status, answer.body]).toEqual([401, errorWith('insufficient_permissions')]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  // A hook takes whatever its platform sends.
  when(endpoint.body && !endpoint.readBody)(
    'rejects an invalid body, but reveals nothing about it without a key',
    async () => {
      const sample = await sampleOf(endpoint, world);
      await Promise.all(
        ['', '{', '[]', '"text"', 'null', '7', Buffer.from([0x7b, 0xff, 0x7d])].map(async (body) => {
          const answer = await ask(endpoint, world.apiKey, world, { sample, body });
          expect(answer.status, String(body)).toBe(400);
          expect(answer.body).toEqual({ ...errorWith('invalid_request'), details: expect.any(Array) });
          const keyless = await ask(endpoint, newApiKey(), world, { sample, body });
          expect(keyless.body).toEqual(errorWith('invalid_api_key'));
        }),
      );
    },
  );

  when(endpoint.body && !endpoint.multipart && !endpoint.readBody)(
    'rejects a body over 1 MB, and one nested deeper than 32 levels',
    async () => {
      const sample = await sampleOf(endpoint, world);
      const large = await ask(endpoint, world.apiKey, world, {
        sample,
        body: JSON.stringify({ x: 'x'.repeat(1024 * 1024) }),
      });
      expect([large.status, large.body]).toEqual([413, errorWith('payload_too_large')]);
      const deep = await ask(endpoint, world.apiKey, world, {
        sample,
        body: `{"x":${'['.repeat(40)}${']'.repeat(40)}}`,
      });
      expect([deep.status, deep.body.error]).toEqual([400, 'invalid_request']);
    },
  );

  when(namesUser)('rejects malformed identifiers', async () => {
    const sample = await sampleOf(endpoint, world);
    for (const uid of ['', 'a b', 'ü', 'x'.repeat(129), 'a/b']) {
      const answer = await ask(endpoint, world.apiKey, { uid, agentId: world.agentId }, { sample });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
      expect(answer.body.details[0].path).toBe('uid');
    }
  });
});
