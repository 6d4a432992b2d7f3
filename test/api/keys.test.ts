import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { hashApiKey, type Scope } from '../../functions/domain/api-keys.ts';
import { limits } from '../../functions/domain/limits.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import {
  apiKeyKey,
  apiKeyListingKey,
  type ItemKey,
  idempotencyCollections,
  itemsOfUser,
} from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { pickError } from '../support/clients.ts';
import { call, newUser, unique } from '../support/world.ts';

/** A user whose key has these scopes. */
const makeCaller = async (scopes: Scope[]) => {
  const { uid, apiKey, keyId } = await newUser(scopes);
  const ask = (method: string, path: string, options: object = {}) => call(method, path, { apiKey, ...options });
  return {
    uid,
    apiKey,
    keyId,
    call: ask,
    keys: (body: object, headers = {}) => ask('POST', '/keys', { body, headers }),
  };
};

const newClient = async (maker: string) => {
  const uid = unique('client');
  await users.get().createClient(maker, { uid });
  return uid;
};

it('a maker gives its client a key, whose secret is shown once and works', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  const made = await maker.keys({ uid, name: 'website', scopes: ['agents', 'privacy'] });
  const { secret, ...shown } = made.body;
  expect(shown).toEqual({
    ...{ uid, name: 'website', scopes: ['agents', 'privacy'], status: 'active' },
    ...{ keyId: expect.stringMatching(/^key_/), start: secret.slice(0, 8), createdAt: expect.any(String) },
  });
  const { keyId } = shown;
  const own = await call('GET', '/key', { apiKey: secret });
  expect(own.body).toEqual({ keyId, uid, name: 'website', scopes: ['agents', 'privacy'] });
  const listed = await maker.call('GET', '/keys', { query: { uid } });
  expect(listed.body).toEqual({ keys: [shown] });
  for (const scopes of [['users'], ['users', 'calls']])
    expect([400, 401]).toContain((await maker.keys({ uid, name: 'more', scopes })).status);
  expect(pickError(await maker.keys({ uid: maker.uid, name: 'own' }))).toEqual([404, 'user_not_found']);
});

it('a key with the scope keys gives its user at most what it has', async () => {
  const own = await makeCaller(['keys', 'calls', 'privacy']);
  const { uid } = own;
  expect((await own.keys({ uid, name: 'batch', scopes: ['calls'] })).status).toBe(200);
  for (const asked of [
    {},
    { scopes: ['agents'] },
    { scopes: ['privacy'] },
    { scopes: ['keys'] },
    { scopes: ['users'] },
  ])
    expect([asked, ...pickError(await own.keys({ uid, name: 'more', ...asked }))]).toEqual([
      asked,
      401,
      'insufficient_permissions',
    ]);
  expect(pickError(await own.keys({ uid: unique('other'), name: 'x' }))).toEqual([401, 'insufficient_permissions']);
});

it('a repetition with the Idempotency-Key gets the same secret, from the same key alone, and the table has it nowhere', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await maker.keys({ uid, name: 'website' }, headers);
  const second = await maker.keys({ uid, name: 'website' }, headers);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  const other = await apiKeys.get().create(maker.uid, { name: 'other', scopes: ['users'] });
  const foreign = await call('POST', '/keys', { apiKey: other.secret, body: { uid, name: 'website' }, headers });
  expect(pickError(foreign)).toEqual([409, 'idempotency_conflict']);
  expect((await apiKeys.get().list(uid)).length).toBe(1);
  const claims = idempotencyCollections(maker.uid).map((shard) => Array.fromAsync(table.get().query(shard)));
  const items = [
    ...(await Promise.all(claims)).flat(),
    ...(await Array.fromAsync(table.get().query(itemsOfUser(uid)))),
  ];
  expect(items.length).toBeGreaterThan(2);
  expect(inspect(items, { depth: 9 })).not.toContain(first.body.secret);
});

it('a rotation replaces a key, and the former one ends after the overlap', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  const { body: former } = await maker.keys({ uid, name: 'website', scopes: ['agents'] });
  const headers = { 'idempotency-key': randomUUID() };
  const rotate = (keyId: string, body = {}) =>
    maker.call('POST', `/keys/${keyId}/rotate`, { body: { uid, ...body }, headers });
  const rotated = await rotate(former.keyId);
  expect(rotated.body).toMatchObject({ name: 'website', scopes: ['agents'], status: 'active' });
  expect((await rotate(former.keyId)).body).toEqual(rotated.body);
  const [newer, older] = (await maker.call('GET', '/keys', { query: { uid } })).body.keys;
  expect([newer.status, newer.endsAt, older.status]).toEqual(['active', undefined, 'ending']);
  expect(Math.round((Date.parse(older.endsAt) - Date.now()) / 3_600_000)).toBe(24);
  const again = await maker.call('POST', `/keys/${former.keyId}/rotate`, { body: { uid } });
  expect(pickError(again)).toEqual([404, 'key_not_found']);
  const atOnce = await maker.call('POST', `/keys/${rotated.body.keyId}/rotate`, { body: { uid, overlapHours: 0 } });
  expect((await call('GET', '/key', { apiKey: rotated.body.secret })).status).toBe(401);
  expect((await call('GET', '/key', { apiKey: atOnce.body.secret })).status).toBe(200);
});

it('any key rotates and ends itself, whatever its scopes, and no other key', async () => {
  const { uid, apiKey, keyId } = await makeCaller(['calls']);
  const other = await apiKeys.get().create(uid, { name: 'other' });
  const refused = await call('POST', `/keys/${other.keyId}/rotate`, { apiKey, body: { uid } });
  expect(pickError(refused)).toEqual([401, 'insufficient_permissions']);
  const rotated = await call('POST', `/keys/${keyId}/rotate`, { apiKey, body: { uid } });
  expect(rotated.body).toMatchObject({ scopes: ['calls'] });
  const { secret, keyId: next } = rotated.body;
  expect((await call('DELETE', `/keys/${next}`, { apiKey: secret, query: { uid } })).status).toBe(200);
  expect((await call('GET', '/key', { apiKey: secret })).status).toBe(401);
});

it('a key for hooks alone neither rotates nor ends itself, however often the scope is named', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  const { body } = await maker.keys({ uid, name: 'address', scopes: ['hooks', 'hooks'] });
  expect(body.scopes).toEqual(['hooks']);
  const { keyId, secret: apiKey } = body;
  const rotated = await call('POST', `/keys/${keyId}/rotate`, { apiKey, body: { uid, overlapHours: 168 } });
  const ended = await call('DELETE', `/keys/${keyId}`, { apiKey, query: { uid } });
  for (const answer of [rotated, ended]) {
    expect(pickError(answer)).toEqual([401, 'insufficient_permissions']);
    expect(answer.body.message).toContain('"hooks"');
  }
  const hook = await call('POST', '/hooks/retell', { query: { uid, key: apiKey }, body: { event: 'unknown' } });
  expect(hook.status).toBe(200);
  expect((await maker.call('DELETE', `/keys/${keyId}`, { query: { uid } })).status).toBe(200);
});

it('a rotation while the key is revoked leaves either a new key or none, and never the old one', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  for (let round = 0; round < 6; round++) {
    const { body: key } = await maker.keys({ uid, name: 'website' });
    const [rotated, revoked] = await Promise.all([
      maker.call('POST', `/keys/${key.keyId}/rotate`, { body: { uid } }),
      maker.call('DELETE', `/keys/${key.keyId}`, { query: { uid } }),
    ]);
    expect(revoked.status).toBe(200);
    expect((await call('GET', '/key', { apiKey: key.secret })).status).toBe(401);
    if (rotated.status === 200) expect((await call('GET', '/key', { apiKey: rotated.body.secret })).status).toBe(200);
    else expect(pickError(rotated)).toEqual([404, 'key_not_found']);
  }
});

it('a user has at most 100 keys that are not over, and one that is over makes room', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  const made = Array.from({ length: limits.keys - 1 }, () => apiKeys.get().creation(uid, { name: 'key' }));
  await table
    .get()
    .putMany(made.flatMap(({ creation }) => creation.flatMap(({ Put }) => (Put ? [Put.Item as never] : []))));
  const answers = await Promise.all([1, 2, 3].map(() => maker.keys({ uid, name: 'last' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  await apiKeys.get().revoke(uid, made[0]?.made.keyId as string);
  expect((await maker.keys({ uid, name: 'room' })).status).toBe(200);
});

it('keys that are made at once are all made, as long as there is room', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  const answers = await Promise.all(Array.from({ length: 30 }, () => maker.keys({ uid, name: 'parallel' })));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

it('at most 300 keys are listed: the next one deletes those that ended first, and suspends only keys in use', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  const ends = Array.from({ length: limits.listedKeys }, (_, n) =>
    new Date(Date.now() - (n + 1) * 60_000).toISOString(),
  );
  const over = ends.map((expiresAt) => apiKeys.get().creation(uid, { name: 'over', expiresAt }));
  await table
    .get()
    .putMany(over.flatMap(({ creation }) => creation.flatMap(({ Put }) => (Put ? [Put.Item as never] : []))));
  const listed = async () => (await maker.call('GET', '/keys', { query: { uid } })).body.keys;
  const oldest = over.at(-1)?.made as { keyId: string; secret: string };
  expect((await listed()).length).toBe(limits.listedKeys);
  const { body: made } = await maker.keys({ uid, name: 'new' });
  const after: { keyId: string }[] = await listed();
  expect([after.length, after[0]?.keyId]).toEqual([limits.listedKeys, made.keyId]);
  expect(after.map(({ keyId }) => keyId)).not.toContain(oldest.keyId);
  expect(await table.get().get(apiKeyKey(hashApiKey(oldest.secret)))).toBeUndefined();

  await maker.call('PATCH', `/users/${uid}`, { body: { suspended: true } });
  type Marked = ItemKey & { suspended?: true };
  const marked = async (secret: string) => (await table.get().get<Marked>(apiKeyKey(hashApiKey(secret))))?.suspended;
  const [last] = over as [(typeof over)[0]];
  expect([await marked(made.secret), await marked(last.made.secret)]).toEqual([true, undefined]);
  // The operator can give an expired key another end.
  await apiKeys.get().change(uid, last.made.keyId, { expiresAt: null });
  expect(pickError(await call('GET', '/key', { apiKey: last.made.secret }))).toEqual([403, 'user_suspended']);
});

it('a key that is over is listed for 30 days, and DynamoDB deletes it then', async () => {
  const maker = await makeCaller(['users']);
  const uid = await newClient(maker.uid);
  const old = await apiKeys.get().create(uid, { name: 'old' });
  const revokedAt = new Date(Date.now() - 31 * 86_400_000).toISOString();
  await apiKeys.get().revoke(uid, old.keyId, revokedAt);
  const recent = await apiKeys.get().create(uid, { name: 'recent' });
  await apiKeys.get().revoke(uid, recent.keyId);
  const { body } = await maker.call('GET', '/keys', { query: { uid } });
  expect(body.keys).toMatchObject([{ keyId: recent.keyId, status: 'revoked' }]);
  const listing = await table
    .get()
    .get<{ ttlSeconds?: number; hash: string; pk: string; sk: string }>(apiKeyListingKey(uid, recent.keyId));
  const record = await table
    .get()
    .get<{ ttlSeconds?: number; pk: string; sk: string }>(apiKeyKey(listing?.hash as string));
  const inDays = [listing, record].map((item) => Math.round(((item?.ttlSeconds ?? 0) - Date.now() / 1000) / 86_400));
  expect(inDays).toEqual([30, 30]);
});
