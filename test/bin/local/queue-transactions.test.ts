import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { queueTransactions } from '../../../bin/local/queue-transactions.ts';
import type { TransactionAction } from '../../../functions/store/table.ts';

it('a transaction begins after the one before has ended, also by an error, and a single write at once', async () => {
  const sent: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const tables = {
    transact(_: TransactionAction[], token = '') {
      sent.push(token);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    },
  };
  queueTransactions(tables);
  const first = tables.transact([{}, {}], 'first');
  const second = tables.transact([{}, {}], 'second');
  void tables.transact([{}], 'single');
  await setImmediate();
  expect(sent).toEqual(['single', 'first']);
  ends[1]?.reject(new Error('conflict'));
  await expect(first).rejects.toThrow('conflict');
  await setImmediate();
  expect(sent).toEqual(['single', 'first', 'second']);
  ends[2]?.resolve();
  await second;
});
