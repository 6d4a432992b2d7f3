import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunks } from '../../../functions/store/table.ts';
import { operatorWith } from '../../support/operator-command.ts';
import { awsSettings, target, unique } from '../../support/world.ts';

const client = new DynamoDBClient({
  endpoint: target.endpoints.dynamodb,
  region: awsSettings.AWS_REGION,
  credentials: target.credentials,
});
const [live, earlier] = [unique('live'), unique('earlier')];

type Items = Record<string, AttributeValue>[];

const fill = async (TableName: string, items: Items) => {
  const [AttributeDefinitions, KeySchema] = [
    ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    (['HASH', 'RANGE'] as const).map((KeyType, index) => ({ AttributeName: ['pk', 'sk'][index], KeyType })),
  ];
  await client.send(
    new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions, KeySchema }),
  );
  for (const some of chunks(items, 25)) {
    const requests = some.map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
  }
};

const itemsOf = async (TableName: string) => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items.sort((a, b) => (JSON.stringify([a.pk, a.sk]) < JSON.stringify([b.pk, b.sk]) ? -1 : 1));
};

const restore = async (...args: string[]) => {
  const environment = { ...awsSettings, AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb };
  const { code, stdout, stderr } = await operatorWith(environment, ['--table', live, 'restore', ...args]);
  return { code, stdout, stderr };
};

const item = (pk: string, sk: string, more: Record<string, AttributeValue> = {}) => ({
  pk: { S: pk },
  sk: { S: sk },
  ...more,
});
const many = (count: number, from: number, text: string) =>
  Array.from({ length: count }, (_, n) => item(`USER#${from + n}`, 'USER', { name: { S: text } }));

describe('restoring the table', () => {
  const exact = item('AGENT#1', 'WEBSITE#1', {
    bytes: { B: new Uint8Array([0, 255, 7]) },
    digits: { N: '12345678901234567890123456789012345678' },
    nested: { M: { list: { L: [{ NULL: true }, { BOOL: false }] } } },
  });
  const kept = [...many(300, 0, 'as it was'), exact];
  beforeAll(async () => {
    await fill(earlier, kept);
    // Some are the same still, some were changed, some were deleted, and some are new.
    await fill(live, [...many(100, 0, 'as it was'), ...many(100, 100, 'changed'), ...many(150, 1000, 'new')]);
  });
  afterAll(async () => {
    for (const TableName of [live, earlier]) await client.send(new DeleteTableCommand({ TableName }));
  });

  it('shows what it would do, and does nothing without confirmation', async () => {
    const before = await itemsOf(live);
    const { stdout, stderr, code } = await restore('--from', earlier, '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { table: live, from: earlier, done: false, same: 100, written: 201, deleted: 150 },
    ]);
    expect(stderr).toBe('Nothing was changed. Add --yes to do it.\n');
    expect(await itemsOf(live)).toEqual(before);
  });

  it('makes it exactly what the other one is, which stays as it is', async () => {
    const { stdout, stderr, code } = await restore('--from', earlier, '--yes', '--json');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ done: true, same: 100, written: 201, deleted: 150 });
    const restored = await itemsOf(live);
    expect(restored).toHaveLength(301);
    expect(restored).toEqual(await itemsOf(earlier));
    expect(restored).toContainEqual(exact);
    // Done again, there is nothing to do.
    const again = JSON.parse((await restore('--from', earlier, '--yes', '--json')).stdout);
    expect(again).toMatchObject({ same: 301, written: 0, deleted: 0 });
  });

  it('rejects a missing table, and itself', async () => {
    const before = await itemsOf(live);
    const missing = await restore('--from', 'no-such-table', '--yes');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('no such table') });
    expect(await restore('--from', live, '--yes')).toMatchObject({
      code: 2,
      stderr: 'A table cannot be restored from itself. Name another table.\n',
    });
    expect(await itemsOf(live)).toEqual(before);
  });
});
