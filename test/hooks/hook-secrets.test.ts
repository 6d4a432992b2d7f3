import { beforeAll, expect, it, vi } from 'vitest';
import { hookSecretLookup, hookSecrets, type SealedHookSecret } from '../../functions/hooks/secrets/hook-secrets.ts';
import { hookSecretKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

beforeAll(useTargetInThisProcess);

const at = '2026-03-01T10:00:00.000Z';

/** A user whose Vapi signs with a secret. */
const newUser = async () => {
  const uid = unique('user');
  await users.get().create(uid);
  const set = (sealed: string) =>
    hookSecrets.get().set(uid, 'vapi', { sealed, createdAt: at, keyId: 'key_test' }, async () => false);
  await set('first');
  const inForce = async (): Promise<SealedHookSecret[] | undefined> => {
    const item = await table.get().get(hookSecretKey(uid, 'vapi'));
    return hookSecretLookup(uid, 'vapi').read(item ? [item] : [])?.secrets;
  };
  return { uid, set, inForce };
};

it('a secret of a platform that is set while the former ones are deleted stays alone', async () => {
  const { uid, set, inForce } = await newUser();
  const change = table.get().change.bind(table.get());
  vi.spyOn(table.get(), 'change').mockImplementationOnce(async (...given) => {
    const changed = await change(...given);
    await set('second');
    return changed;
  });
  expect(await hookSecrets.get().remove(uid, 'vapi')).toBe(true);
  expect(await inForce()).toEqual([expect.objectContaining({ sealed: 'second' })]);
});

it('secrets of a platform whose deletion is killed half-way are not accepted, and can be deleted again', async () => {
  const { uid, inForce } = await newUser();
  const secrets = hookSecrets.get();
  vi.spyOn(table.get(), 'delete').mockRejectedValueOnce(new Error('killed'));
  await expect(secrets.remove(uid, 'vapi')).rejects.toThrow('killed');
  expect(await inForce()).toBeUndefined();
  expect(await secrets.find(uid, 'vapi')).toBeUndefined();
  expect(await Array.fromAsync(secrets.list(uid))).toEqual([]);
  expect(await secrets.remove(uid, 'vapi')).toBe(true);
  expect(await secrets.remove(uid, 'vapi')).toBe(false);
});

it('a secret of a platform that is set after a deletion that was killed half-way has no use of the former one', async () => {
  const { uid, set, inForce } = await newUser();
  const secrets = hookSecrets.get();
  await table
    .get()
    .change(hookSecretKey(uid, 'vapi'), { set: { lastUsedAt: at, lastRefused: { at, reason: 'body' } } });
  vi.spyOn(table.get(), 'delete').mockRejectedValueOnce(new Error('killed'));
  await expect(secrets.remove(uid, 'vapi')).rejects.toThrow('killed');
  await set('second');
  expect(await inForce()).toEqual([expect.objectContaining({ sealed: 'second' })]);
  const found = await secrets.find(uid, 'vapi');
  expect(found).toMatchObject({ platform: 'vapi', createdAt: at });
  expect(found?.lastUsedAt).toBeUndefined();
  expect(found?.lastRefused).toBeUndefined();
});
