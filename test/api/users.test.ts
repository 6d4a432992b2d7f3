import { expect, it } from 'vitest';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { users } from '../../functions/store/users.ts';
import { newMaker, pickError } from '../support/clients.ts';
import { call, unique } from '../support/world.ts';

it('a client is created once: the same maker gets it again unchanged, and to everybody else its id is taken', async () => {
  const [maker, other] = await Promise.all([newMaker(), newMaker()]);
  const uid = unique('client');
  const created = await maker.call('POST', '/users', { body: { uid, name: 'Acme', quotas: { agents: 3 } } });
  expect(created.body).toEqual({
    ...{ uid, name: 'Acme', createdAt: expect.any(String), maker: maker.uid, suspended: false, agents: 0 },
    quotas: { agents: 3, sources: expect.any(Number) },
  });
  const again = await maker.call('POST', '/users', { body: { uid, name: 'Other' } });
  expect([again.status, again.body]).toEqual([200, created.body]);
  expect(pickError(await other.call('POST', '/users', { body: { uid } }))).toEqual([409, 'uid_taken']);
  expect(pickError(await maker.call('POST', '/users', { body: { uid: maker.uid } }))).toEqual([409, 'uid_taken']);
  const made = await maker.call('POST', '/users', { body: {} });
  expect(made.body.uid).toMatch(/^user_/);
  // Clients and proxies remove such a segment of a path, so that it names something else.
  const dots = await maker.call('POST', '/users', { body: { uid: '..' } });
  expect(pickError(dots)).toEqual([400, 'invalid_request']);
});

it('of two makers that create the same user at once, one has it', async () => {
  const makers = await Promise.all([newMaker(), newMaker()]);
  const uid = unique('client');
  const answers = await Promise.all(makers.map((maker) => maker.call('POST', '/users', { body: { uid } })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const lists = await Promise.all(makers.map((maker) => maker.call('GET', '/users')));
  expect(lists.map(({ body }) => body.users.length).sort()).toEqual([0, 1]);
});

it('a user that is not a client is not found, like one that does not exist', async () => {
  const [maker, other] = await Promise.all([newMaker(), newMaker()]);
  const { body: client } = await other.call('POST', '/users', { body: {} });
  for (const uid of [client.uid, maker.uid, 'nobody', 'a b', 'x'.repeat(2000)])
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'Mine' }],
    ] as const) {
      const answer = await maker.call(method, `/users/${encodeURIComponent(uid)}`, { body });
      expect([uid.slice(0, 20), ...pickError(answer)]).toEqual([uid.slice(0, 20), 404, 'user_not_found']);
    }
});

it('clients are listed by their ids, page by page', async () => {
  const maker = await newMaker();
  const uids = ['c', 'a', 'b'].map((letter) => unique(letter));
  for (const uid of uids) await maker.call('POST', '/users', { body: { uid } });
  const first = await maker.call('GET', '/users', { query: { limit: 2 } });
  const second = await maker.call('GET', '/users', { query: { limit: 2, cursor: first.body.nextCursor } });
  const listed = [...first.body.users, ...second.body.users].map(({ uid }: { uid: string }) => uid);
  expect([listed, second.body.nextCursor]).toEqual([uids.toSorted(), undefined]);
});

it('quotas hold from the next request on, and are at most those of the deployment', async () => {
  const maker = await newMaker();
  const { body: client } = await maker.call('POST', '/users', { body: { quotas: { agents: 1 } } });
  const { secret: apiKey } = await apiKeys.get().create(client.uid, { name: 'client' });
  const create = () => call('POST', '/agents', { apiKey, body: { uid: client.uid, name: 'Agent' } });
  const agent = await create();
  const second = await create();
  expect([agent.status, pickError(second)]).toEqual([200, [409, 'quota_exceeded']]);
  expect(second.body.message).toBe(
    'The quota of this user is 1 for agents. The creator of the user can raise this limit.',
  );
  const raised = await maker.call('PATCH', `/users/${client.uid}`, { body: { quotas: { agents: 2, sources: 0 } } });
  expect(raised.body).toMatchObject({ quotas: { agents: 2, sources: 0 }, agents: 1 });
  expect((await create()).status).toBe(200);
  const { agentId } = agent.body;
  const note = { uid: client.uid, agentId, name: 'a.txt', content: 'Text' };
  expect(pickError(await call('POST', '/agent-documents/text', { apiKey, body: note }))).toEqual([
    409,
    'quota_exceeded',
  ]);
  const copy = { uid: client.uid, agentId };
  expect(pickError(await call('POST', '/duplicate-agent', { apiKey, body: copy }))).toEqual([409, 'quota_exceeded']);
  const tooMany = await maker.call('PATCH', `/users/${client.uid}`, { body: { quotas: { agents: 1e9 } } });
  expect([tooMany.status, tooMany.body.details[0].path]).toEqual([400, 'quotas.agents']);
});

it('from the response on, every key of a suspended client is refused with 403, also one that is made at the same moment', async () => {
  const maker = await newMaker();
  const { body: client } = await maker.call('POST', '/users', { body: {} });
  const before = await apiKeys.get().create(client.uid, { name: 'before' });
  const making = Promise.all(Array.from({ length: 8 }, () => apiKeys.get().create(client.uid, { name: 'meanwhile' })));
  const suspended = await maker.call('PATCH', `/users/${client.uid}`, { body: { suspended: true } });
  expect(suspended.body).toMatchObject({ uid: client.uid, suspended: true });
  const after = await apiKeys.get().create(client.uid, { name: 'after' });
  const keys = [before, ...(await making), after];
  const ask = (apiKey: string) => call('GET', '/agents', { apiKey, query: { uid: client.uid } });
  for (const { secret, name } of keys)
    expect([name, ...pickError(await ask(secret))]).toEqual([name, 403, 'user_suspended']);
  await apiKeys.get().revoke(client.uid, before.keyId);
  expect(pickError(await ask(before.secret))).toEqual([401, 'invalid_api_key']);
  await maker.call('PATCH', `/users/${client.uid}`, { body: { suspended: false } });
  for (const { secret, name } of keys.slice(1)) expect([name, (await ask(secret)).status]).toEqual([name, 200]);
});

it('the answer to a suspension that was lost is repeated, and of two opposite requests at once one holds for every key', async () => {
  const maker = await newMaker();
  const { body: client } = await maker.call('POST', '/users', { body: {} });
  const keys = await Promise.all(Array.from({ length: 12 }, () => apiKeys.get().create(client.uid, { name: 'key' })));
  for (let round = 0; round < 4; round++) {
    await Promise.all(
      [true, false, true].map((suspended) => maker.call('PATCH', `/users/${client.uid}`, { body: { suspended } })),
    );
    const { suspended = false } = (await users.get().find(client.uid)) ?? {};
    const found = await apiKeys.get().list(client.uid);
    expect(found.map((key) => key.suspended ?? false)).toEqual(keys.map(() => suspended));
  }
});

it('a key with the scope users reads and writes nothing of its clients', async () => {
  const maker = await newMaker();
  const { body: client } = await maker.call('POST', '/users', { body: {} });
  for (const uid of [client.uid, maker.uid])
    expect(pickError(await maker.call('GET', '/agents', { query: { uid } }))).toEqual([
      401,
      'insufficient_permissions',
    ]);
  expect((await maker.call('GET', '/key')).body).toMatchObject({ uid: maker.uid, scopes: ['users'] });
});

it('the operator’s key administers any user and its keys, which no other key with the same scopes does', async () => {
  const [maker, other] = await Promise.all([newMaker(), newMaker()]);
  const uid = unique('client');
  await maker.call('POST', '/users', { body: { uid } });
  const given = { name: 'any', scopes: ['users' as const] };
  const made = await apiKeys.get().create(uid, given);
  const ask = async (apiKey: string) => [
    await call('GET', `/users/${uid}`, { apiKey }),
    await call('PATCH', `/users/${uid}`, { apiKey, body: { name: 'Acme' } }),
    await call('GET', '/keys', { apiKey, query: { uid } }),
    await call('POST', `/keys/${made.keyId}/rotate`, { apiKey, body: { uid } }),
  ];
  const ordinary = await apiKeys.get().create(other.uid, given);
  expect((await ask(ordinary.secret)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  const operators = await apiKeys.get().create(other.uid, { ...given, isOperators: true });
  const answers = await ask(operators.secret);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers.map(({ body }) => body)).toMatchObject([
    { uid },
    { name: 'Acme' },
    { keys: [{}] },
    { scopes: ['users'] },
  ]);
});
