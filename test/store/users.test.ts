import { expect, it } from 'vitest';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { credentials } from '../../functions/store/credentials.ts';
import { users } from '../../functions/store/users.ts';
import { storedBesideChanges } from '../support/stored.ts';
import { newUser, unique } from '../support/world.ts';

it('a key that is made while its user is deleted ends with the user', async () => {
  const { uid: maker } = await newUser(['users']);
  const uid = unique('client');
  await users.get().createClient(maker, { uid });
  await users.get().endAccess(uid);
  const { secret } = await apiKeys.get().create(uid, { name: 'late' });
  await users.get().remove(uid);
  expect((await credentials.get().read(secret)).key).toBeUndefined();
  await expect(apiKeys.get().create(uid, { name: 'later' })).rejects.toMatchObject({ code: 'user_not_found' });
  expect(await storedBesideChanges(uid)).toEqual([]);
  expect(await Array.fromAsync(users.get().clients(maker))).toEqual([]);
});
