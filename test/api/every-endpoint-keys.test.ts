import { beforeAll, describe, expect, it } from 'vitest';
import { namedScopes, newApiKey, Scope } from '../../functions/domain/api-keys.ts';
import { administersUsers, endpointScopes } from '../../functions/http/endpoint.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { ask, expectError, isFirstOfItsForm, keyed, sharesSample, when } from '../support/sample-requests.ts';
import { makeSample, type Sample } from '../support/samples.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
/** Keys of the world's user that are no longer valid. */
let expired: string;
let revoked: string;
beforeAll(async () => {
  world = await newWorld(Scope.options);
  await world.recordCall('call-1');
  const make = (expiresAt?: string) => apiKeys.get().create(world.uid, { name: 'over', expiresAt });
  const keys = await Promise.all([make(new Date(Date.now() - 1000).toISOString()), make()]);
  [expired, revoked] = keys.map(({ secret }) => secret) as [string, string];
  await apiKeys.get().revoke(world.uid, keys[1].keyId);
});

const keys = new Map<string, Promise<string>>();
/** A key of the world's user with these scopes. */
const createKey = async (scopes: Scope[] | undefined): Promise<string> => {
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

for (const endpoint of keyed) {
  const tags = isFirstOfItsForm(endpoint) ? [] : ['heavy'];
  describe(endpoint.name, { concurrent: !sharesSample(endpoint), tags }, () => {
    /** For the requests that are rejected. */
    let sample: Sample;
    beforeAll(async () => {
      sample = await makeSample(endpoint, world);
    });

    it(`${endpoint.name} rejects a request without a key`, async () => {
      const answer = await ask(endpoint, undefined, world, { sample });
      expect([answer.status, answer.body]).toEqual([401, expectError('missing_api_key')]);
      expect(answer.headers.get('x-request-id')).toMatch(/.+/);
    });

    it(`${endpoint.name} rejects malformed, unknown, revoked and expired keys alike`, async () => {
      const real = newApiKey();
      const wrongChecksum = real.slice(0, -1) + (real.endsWith('A') ? 'B' : 'A');
      // One place reads keys of any form.
      const malformed = endpoint === keyed[0] ? ['vap_', 'x'.repeat(5000), `sk_${real.slice(4)}`] : [];
      const answers = await Promise.all(
        [real, wrongChecksum, expired, revoked, ...malformed].map((key) => ask(endpoint, key, world, { sample })),
      );
      for (const { status, body } of answers) expect([status, body]).toEqual([401, expectError('invalid_api_key')]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });

    const [scope] = endpointScopes(endpoint);
    it(`${endpoint.name} accepts a key as its Authorization, and with only its scope`, async () => {
      const key = scope ? await createKey([scope]) : world.apiKey;
      const headers = { authorization: `Bearer ${key}` };
      expect((await ask(endpoint, undefined, world, { headers })).status).toBe(200);
    });

    when(scope)(`${endpoint.name} rejects a key whose scopes do not cover it`, async () => {
      const others = (['agents', 'knowledge', 'calls', 'block-list'] as const).filter((other) => other !== scope);
      const answer = await ask(endpoint, await createKey([...others]), world, { sample });
      const missing = endpointScopes(endpoint).map((one) => `"${one}"`);
      const message = `This API key lacks the scope ${missing.join(' or ')}.`;
      expect([answer.status, answer.body]).toEqual([401, { error: 'insufficient_permissions', message }]);
    });

    it(`${endpoint.name} accepts a key without a list of scopes, unless its scope must be named`, async () => {
      const scopes = endpointScopes(endpoint);
      const mustBeNamed =
        scopes.length > 0
          ? scopes.every((one) => namedScopes.has(one))
          : // A key rotates and ends only itself without a scope.
            administersUsers(endpoint);
      expect((await ask(endpoint, await createKey(undefined), world)).status).toBe(mustBeNamed ? 401 : 200);
    });
  });
}
