import { describe, expect, it } from 'vitest';
import { Scope } from '../../functions/domain/api-keys.ts';
import { administersUsers } from '../../functions/http/endpoint.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { users } from '../../functions/store/users.ts';
import { newHookSecret } from '../support/hook-signers.ts';
import { ask, keyed } from '../support/sample-requests.ts';
import { type CallOptions, call, newGuest, newUser, newWorld, unique } from '../support/world.ts';

/** A credential: what a request with it has. */
type Credential = { apiKey?: string; query?: Record<string, string>; keyId: string };
/** A request that would end somebody's way in. */
type Ending = [method: string, path: string, options?: CallOptions];

/** Creates a user with every kind of way in, and returns the requests that would end each of them. */
const newTarget = async () => {
  const world = await newWorld(Scope.options);
  const { uid, agentId } = world;
  const [client, stranger] = [unique('client'), await newUser()];
  await users.get().createClient(uid, { uid: client });
  const guest = await newGuest(world);
  const keys = apiKeys.get();
  const ofClient = await keys.create(client, { name: 'client' });
  const strongest = await keys.create(uid, { name: 'all', scopes: Scope.options.filter((one) => one !== 'users') });
  const secret = () => ({ uid, ...newHookSecret('vapi').fields });
  const set = await world.call('PUT', '/hook-secrets/vapi', { body: secret() });
  const url = 'https://crm.example.com/hooks';
  const endpoint = await world.call('POST', '/webhook-endpoints', { body: { uid, url, active: false } });
  expect([set.status, endpoint.status]).toEqual([200, 200]);
  const { endpointId } = endpoint.body;
  const endings: Record<string, Ending> = {
    'rotates the strongest key': ['POST', `/keys/${strongest.keyId}/rotate`, { body: { uid, overlapHours: 0 } }],
    'ends the strongest key': ['DELETE', `/keys/${strongest.keyId}`, { query: { uid } }],
    'ends a key of a stranger': ['DELETE', `/keys/${stranger.keyId}`, { query: { uid: stranger.uid } }],
    'ends a key of a client': ['DELETE', `/keys/${ofClient.keyId}`, { query: { uid: client } }],
    'replaces the secret of a platform': ['PUT', '/hook-secrets/vapi', { body: secret() }],
    'ends the secret of a platform': ['DELETE', '/hook-secrets/vapi', { query: { uid } }],
    'rotates the secret of an endpoint': ['POST', `/webhook-endpoints/${endpointId}/rotate-secret`, { body: { uid } }],
    'ends an endpoint': ['DELETE', `/webhook-endpoints/${endpointId}`, { query: { uid } }],
    'ends the access of a guest': ['DELETE', `/agents/${agentId}/access/${guest.uid}`, { query: { uid } }],
    'suspends a client': ['PATCH', `/users/${client}`, { body: { suspended: true } }],
    'suspends its user': ['PATCH', `/users/${uid}`, { body: { suspended: true } }],
    'deletes a client': ['DELETE', `/users/${client}`, { query: { confirm: client } }],
    'deletes its user': ['DELETE', `/users/${uid}`, { query: { confirm: uid } }],
    'deletes the agent': ['DELETE', `/agents/${agentId}`, { query: { uid } }],
  };
  return { ...world, endings };
};

/** Returns what a credential ends, and last itself. */
const findEnded = async (
  { uid, endings }: { uid: string; endings: Record<string, Ending> },
  { apiKey, query, keyId }: Credential,
): Promise<string[]> => {
  const ended: string[] = [];
  const itself: Record<string, Ending> = {
    'rotates itself': ['POST', `/keys/${keyId}/rotate`, { body: { uid } }],
    'ends itself': ['DELETE', `/keys/${keyId}`, { query: { uid } }],
  };
  for (const [name, [method, path, options]] of Object.entries({ ...endings, ...itself })) {
    const { status } = await call(method, path, { ...options, apiKey, query: { ...options?.query, ...query } });
    expect([200, 400, 401, 404], `${name}: ${status}`).toContain(status);
    if (status === 200) ended.push(name);
  }
  return ended;
};

const itself = ['rotates itself', 'ends itself'];
const secretsAndGuests = [
  'replaces the secret of a platform',
  'ends the secret of a platform',
  'ends the access of a guest',
];
const endpoints = ['rotates the secret of an endpoint', 'ends an endpoint'];
/** What each kind of key ends, of all that there is. */
const table: Record<string, { scopes: Scope[] | undefined; ends: string[] }> = {
  agents: { scopes: ['agents'], ends: [...secretsAndGuests, 'deletes the agent', ...itself] },
  knowledge: { scopes: ['knowledge'], ends: itself },
  calls: { scopes: ['calls'], ends: itself },
  'block-list': { scopes: ['block-list'], ends: itself },
  hooks: { scopes: ['hooks'], ends: [] },
  webhooks: { scopes: ['webhooks'], ends: [...endpoints, ...itself] },
  privacy: { scopes: ['privacy'], ends: itself },
  users: { scopes: ['users'], ends: ['ends a key of a client', 'suspends a client', 'deletes a client', ...itself] },
  keys: { scopes: ['keys'], ends: itself },
  changes: { scopes: ['changes'], ends: itself },
  'keys and calls': { scopes: ['keys', 'calls'], ends: itself },
  default: {
    scopes: undefined,
    ends: [...secretsAndGuests.slice(0, 2), ...endpoints, 'ends the access of a guest', 'deletes the agent', ...itself],
  },
};

it.each(Object.keys(table))('a key with the scopes of “%s” ends only what its table says', async (kind) => {
  const target = await newTarget();
  const { scopes, ends } = table[kind] as (typeof table)[string];
  const { secret, keyId } = await apiKeys.get().create(target.uid, { name: kind, scopes });
  expect(await findEnded(target, { apiKey: secret, keyId })).toEqual(ends);
});

it('a key in an address, a strange key and no key end nothing', async () => {
  const target = await newTarget();
  const { secret, keyId } = await apiKeys.get().create(target.uid, { name: 'address', scopes: ['hooks'] });
  const stranger = await newUser(Scope.options.filter((scope) => scope !== 'users'));
  expect(await findEnded(target, { query: { key: secret }, keyId })).toEqual([]);
  expect(await findEnded(target, { apiKey: stranger.apiKey, keyId })).toEqual([]);
  expect(await findEnded(target, { keyId })).toEqual([]);
});

it('every scope has a line in the table', () => {
  expect(Object.keys(table)).toEqual(expect.arrayContaining(Scope.options));
});

/** The operations whose purpose is to end a way in. */
const enders = new Set([
  ...['revokeKey', 'rotateKey', 'deleteUser', 'updateUser', 'endAgentAccess', 'deleteAgent'],
  ...['setHookSecret', 'deleteHookSecret', 'deleteWebhookEndpoint', 'rotateWebhookSecret', 'updateWebhookEndpoint'],
]);

describe('every other operation', { tags: 'heavy' }, () => {
  it.each([...Scope.options, undefined])(
    'an operation with another purpose ends no way in, with the scope %s',
    async (scope) => {
      const target = await newTarget();
      const { uid, agentId, apiKey } = target;
      const maker = await apiKeys.get().create(uid, { name: 'one', scopes: scope && [scope] });
      const useWaysIn = async () => {
        const read = (path: string, query: object = { uid }) =>
          call('GET', path, { apiKey, query: query as Record<string, string> });
        const keys = (await apiKeys.get().list(uid)).map(({ keyId, revokedAt }) => [keyId, revokedAt]);
        const secrets = (await read('/hook-secrets')).body.secrets?.map((one: { createdAt: string }) => one.createdAt);
        const access = (await read(`/agents/${agentId}/access`)).body;
        return { keys: keys.slice(0, 3), secrets, access, user: await users.get().find(uid) };
      };
      const before = await useWaysIn();
      const others = keyed.filter(({ name, method, caller }) => {
        const isOfScope = !('scope' in caller) || scope === undefined || [caller.scope].flat().includes(scope);
        return (
          method !== 'GET' && !enders.has(name) && isOfScope && (scope === 'users' || !administersUsers({ caller }))
        );
      });
      for (const endpoint of others) await ask(endpoint, maker.secret, target);
      expect(await useWaysIn()).toEqual(before);
    },
  );
});
