import { expect, it } from 'vitest';
import { exists } from '../../functions/store/expressions.ts';
import type { ItemKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

it('two actions on one item in a transaction fail in tests, as they do on AWS, and not by a condition', async () => {
  useTargetInThisProcess();
  const store = table.get();
  const [one, other] = ['A', 'B'].map((sk) => ({ pk: unique('transact'), sk })) as [ItemKey, ItemKey];
  const actions = [store.checkAction(one, exists), store.putAction(other), store.updateAction(one, { set: { n: 1 } })];
  await expect(store.tryTransact(actions)).rejects.toThrow('A transaction has two actions on the item');
  await store.transact(actions.slice(1));
  expect(await store.getMany([one, other])).toHaveLength(2);
});
