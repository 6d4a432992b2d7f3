import { expect, it } from 'vitest';
import { exists } from '../../functions/store/expressions.ts';
import type { ItemKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();

it('a transaction with two actions on one item is refused with the key, and writes nothing', async () => {
  const store = table.get();
  const [one, other] = ['A', 'B'].map((sk) => ({ pk: unique('transact'), sk })) as [ItemKey, ItemKey];
  const actions = [store.putAction(one), store.putAction(other), store.updateAction(one, { set: { n: 1 } })];
  const message = `A transaction has two actions on ${one.pk} ${one.sk}.`;
  await expect(store.transact(actions)).rejects.toThrow(message);
  await expect(store.tryTransact(actions)).rejects.toThrow(message);
  expect(await store.getMany([one, other])).toEqual([]);
  // Conditions that fail do not hide the mistake.
  await expect(store.tryTransact([store.checkAction(one, exists), store.putAction(one)])).rejects.toThrow(message);
  await store.transact(actions.slice(0, 2));
  expect(await store.getMany([one, other])).toHaveLength(2);
});

it('a transaction may have items of one partition, and items with the same sort key', async () => {
  const store = table.get();
  const [pk, another] = [unique('transact'), unique('transact')];
  const keys = [
    { pk, sk: 'A' },
    { pk, sk: 'B' },
    { pk: another, sk: 'A' },
  ];
  await store.transact(keys.map((key) => store.putAction(key)));
  expect(await store.getMany(keys)).toHaveLength(3);
});
