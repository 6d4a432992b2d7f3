import { expect, it } from 'vitest';
import { newClientWorld, pickError } from '../../support/clients.ts';
import { json, operator } from '../../support/operator-command.ts';
import { call, newUser, target, unique } from '../../support/world.ts';

const service = ['--base-url', target.baseUrl];

it('the operator creates and lists clients of a user, and deletes the user only after them', async () => {
  const maker = await newUser(['users']);
  const uid = unique('client');
  expect(await json('user', 'create', uid, '--of', maker.uid)).toMatchObject({ uid, maker: maker.uid });
  expect((await operator('user', 'create', uid, '--of', maker.uid)).code).toBe(1);
  expect((await json('user', 'list', '--of', maker.uid)).users).toMatchObject([{ uid }]);
  const { body } = await call('GET', '/users', { apiKey: maker.apiKey });
  expect(body.users).toMatchObject([{ uid, suspended: false }]);
  const refused = await operator('user', 'delete', maker.uid);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(uid)]);
});

it('the operator suspends any user, and ends the suspension', async () => {
  const world = await newClientWorld();
  const ask = () => world.call('GET', '/key');
  expect(await json('user', 'suspend', world.uid)).toMatchObject({ uid: world.uid, suspended: true });
  expect(pickError(await ask())).toEqual([403, 'user_suspended']);
  expect(await json('user', 'show', world.uid)).toMatchObject({ maker: world.maker.uid, suspended: true });
  // Only the operator ends it.
  const body = { suspended: false };
  expect(pickError(await world.maker.call('PATCH', `/users/${world.uid}`, { body }))).toEqual([
    409,
    'suspended_by_operator',
  ]);
  expect(await json('user', 'resume', world.uid)).toMatchObject({ uid: world.uid, suspended: false });
  expect((await ask()).status).toBe(200);
});

it('the operator deletes a suspended client, and its maker may create it again', async () => {
  const { uid, maker, suspend } = await newClientWorld();
  await suspend(true);
  const { code, stderr } = await operator('user', 'delete', uid, ...service, '--yes');
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect((await maker.call('GET', '/users')).body.users).toEqual([]);
  const again = await maker.call('POST', '/users', { body: { uid } });
  expect([again.status, again.body.suspended]).toEqual([200, false]);
});

it('the operator makes no key with the scope users and another one', async () => {
  const { uid } = await newUser();
  const { code, stderr } = await operator('key', 'create', '--uid', uid, '--name', 'both', '--scope', 'users', 'calls');
  expect([code, stderr]).toEqual([2, expect.stringContaining('stands alone')]);
  const made = await json('key', 'create', '--uid', uid, '--name', 'sign-up', '--scope', 'users');
  expect((await call('GET', '/key', { apiKey: made.apiKey })).body).toMatchObject({ uid, scopes: ['users'] });
});
