import type { Table } from '../../functions/store/table.ts';

/**
 * Makes tables send their transactions one after the other. DynamoDB Local commits no more of them side by side, and lets
 * hardly another write through meanwhile: 25 writes wait for seconds.
 */
export const queueTransactions = (tables: Pick<Table, 'transact'>): void => {
  const { transact } = tables;
  let last = Promise.resolve();
  tables.transact = function (this: Table, ...given) {
    const [actions] = given;
    if (actions.length === 1) return transact.apply(this, given);
    const result = last.then(() => transact.apply(this, given));
    last = result.catch(() => {});
    return result;
  };
};
