import { describe, expect, it } from 'vitest';
import { Scope } from '../../functions/domain/api-keys.ts';
import { isJsonObject } from '../../functions/domain/json.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { itemsOfUser } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { newHookSecret, type SentHook } from '../support/hook-signers.ts';
import { ask, keyed } from '../support/sample-requests.ts';
import { sendSigned, signedHook } from '../support/signed-hooks.ts';
import { newWorld } from '../support/world.ts';

/** Returns the scopes of every credential in a value: API keys, secrets of platforms and webhook endpoints store them. */
const listScopes = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value.flatMap(listScopes);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => (name === 'scopes' ? [one].flat() : listScopes(one)));
};

/** The scopes of a key that are no rights on data, but rights to make keys. */
const makers = ['users', 'keys'];

describe.each(Scope.options.filter((scope) => !makers.includes(scope)))('a key with the scope %s', (scope) => {
  it(`a key with the scope ${scope} makes no credential with another one, by any operation`, async () => {
    const world = await newWorld(Scope.options);
    const { uid } = world;
    const key = await apiKeys.get().create(uid, { name: scope, scopes: [scope] });
    // Their samples replace the same records: one after the other. Operations of other scopes refuse the key.
    const writing = keyed.filter(
      ({ caller, method }) => 'scope' in caller && caller.scope === scope && method !== 'GET',
    );
    for (const endpoint of writing) await ask(endpoint, key.secret, world);
    const before = new Set([world.keyId, key.keyId]);
    const made: unknown[] = (await apiKeys.get().list(uid)).filter(({ keyId }) => !before.has(keyId));
    for await (const item of table.get().query(itemsOfUser(uid))) made.push(item);
    // The signature of a platform replaces a key for hooks, and a key that sets up agents sets up their platform.
    const allowed = new Set([scope, ...(scope === 'agents' ? ['hooks'] : [])]);
    expect(listScopes(made).filter((one) => !allowed.has(one as Scope))).toEqual([]);
  });
});

const search = { tool_name: 'search_knowledge', query: 'opening hours' };

it('a key for hooks, which may stand in an address, can neither set nor delete the secret of a platform', async () => {
  const { uid, call } = await newWorld();
  const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'hooks', scopes: ['hooks'] });
  const lacksAgents = { error: 'insufficient_permissions', message: 'This API key lacks the scope "agents".' };
  const { fields } = newHookSecret('elevenlabs');
  const set = await call('PUT', '/hook-secrets/elevenlabs', { apiKey, body: { uid, ...fields } });
  expect([set.status, set.body]).toEqual([401, lacksAgents]);
  const deleted = await call('DELETE', '/hook-secrets/elevenlabs', { apiKey, query: { uid } });
  expect([deleted.status, deleted.body]).toEqual([401, lacksAgents]);
});

it('a signature searches the knowledge only if the key that set its secret may', async () => {
  const { uid, agentId, call } = await newWorld();
  const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'agents', scopes: ['agents'] });
  const { secret, fields } = newHookSecret('elevenlabs');
  const set = (more: { apiKey?: string }) =>
    call('PUT', '/hook-secrets/elevenlabs', { body: { uid, ...fields }, ...more });
  const sent: SentHook = {
    ...signedHook('elevenlabs', { query: { uid, agentId }, body: search, secret }),
    headers: { 'x-hook-secret': secret },
  };
  expect((await set({ apiKey })).status).toBe(200);
  expect(await sendSigned(sent)).toMatchObject({
    status: 401,
    body: {
      error: 'insufficient_permissions',
      message: expect.stringContaining('was set without the scope "knowledge"'),
    },
  });
  // The same secret set again by a key for knowledge has it, and loses it in the same way.
  expect((await set({})).status).toBe(200);
  expect((await sendSigned(sent)).status).toBe(200);
  expect((await set({ apiKey })).status).toBe(200);
  expect((await sendSigned(sent)).status).toBe(401);
});
