import { PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, onTestFinished } from 'vitest';
import { insertStatement } from '../../functions/store/statements.ts';
import { type Item, openTable } from '../../functions/store/table.ts';
import { startPartitions } from '../support/partitions.ts';
import { target, unique, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();

const open = async () => {
  const partitions = await startPartitions(target.endpoints.dynamodb);
  onTestFinished(() => partitions.stop());
  return { partitions, table: openTable(target.tableName, { endpoint: partitions.endpoint }) };
};

it('units are counted by partition key as DynamoDB charges them', async () => {
  const { partitions, table } = await open();
  const [one, other] = [unique('key'), unique('key')];
  const item = { pk: one, sk: 'a', text: 'x'.repeat(1500) };
  await table.put(item);
  await table.transact([table.putAction({ pk: other, sk: 'a' }), table.deleteAction({ pk: one, sk: 'b' })]);
  expect(Object.fromEntries(partitions.take())).toEqual({
    [one]: { read: 0, write: 2 + 2 },
    [other]: { read: 0, write: 2 },
  });
  await table.getMany([
    { pk: one, sk: 'a' },
    { pk: one, sk: 'missing' },
  ]);
  await Array.fromAsync(table.query({ pk: other }));
  expect(Object.fromEntries(partitions.take())).toEqual({
    [one]: { read: 2, write: 0 },
    [other]: { read: 1, write: 0 },
  });
});

it('a partition key whose units are used up refuses, while others are served', async () => {
  const { partitions, table } = await open();
  const [hot, cold] = [unique('key'), unique('key')];
  partitions.limit({ read: 1000, write: 2 });
  const put = (n: number) =>
    table.client.send(new PutCommand({ TableName: table.name, Item: { pk: hot, sk: `${n}` } }));
  const started = performance.now();
  const puts = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => put(n)));
  const accepted = puts.filter(({ status }) => status === 'fulfilled').length;
  expect(accepted).toBeLessThanOrEqual(2 + Math.ceil((2 * (performance.now() - started)) / 1000));
  expect(puts.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { name: 'ThrottlingException' } });
  await table.put({ pk: cold, sk: 'a' });
});

it('operations on many keys perform the part that is not refused, and a transaction performs nothing', async () => {
  const { partitions, table } = await open();
  const [hot, cold] = [unique('key'), unique('key')];
  partitions.limit({ read: 1000, write: 0.001 });
  const all = [
    { pk: hot, sk: 'a' },
    { pk: hot, sk: 'b' },
    { pk: cold, sk: 'a' },
  ];
  await table.put(all[0] as Item);
  const inserted = await table.execute(all.map((item) => insertStatement(table.name, item)));
  expect(inserted.map(({ error }) => error)).toEqual(['ThrottlingError', 'ThrottlingError', undefined]);
  const transaction = new TransactWriteCommand({ TransactItems: all.map((item) => table.putAction(item)) });
  await expect(table.client.send(transaction)).rejects.toMatchObject({
    CancellationReasons: all.map(() => ({ Code: 'ThrottlingError' })),
  });
  expect(await table.getMany(all)).toHaveLength(2);
});
