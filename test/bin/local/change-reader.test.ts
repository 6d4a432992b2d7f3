import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { startChangeReader } from '../../../bin/local/change-reader.ts';
import { createTable } from '../../../bin/local/table.ts';
import { type TableChange, toTableChange } from '../../../functions/store/table-changes.ts';
import { until } from '../../support/until.ts';
import { target, unique, useOwnDatabaseInThisProcess } from '../../support/world.ts';

beforeEach(useOwnDatabaseInThisProcess);

type Attributes = NonNullable<ConstructorParameters<typeof PutItemCommand>[0]['Item']>;

/** A table of its own, whose changes `handle` reads. */
const readTable = async (handle: (changes: TableChange[]) => string | undefined) => {
  const [endpoint, tableName] = [target.endpoints.dynamodb, unique('change-reader')];
  await createTable(tableName, { endpoint });
  const client = new DynamoDBClient({ endpoint });
  let version = 0;
  const put = (attributes: Attributes) => {
    version += 1;
    const Item = { pk: { S: 'AGENT#agent-1' }, sk: { S: 'ACCESS' }, version: { N: String(version) }, ...attributes };
    return client.send(new PutItemCommand({ TableName: tableName, Item }));
  };
  const start = async () => {
    const reader = await startChangeReader({ endpoint, tableName }, async ({ Records }: DynamoDBStreamEvent) => {
      const itemIdentifier = handle(Records.map(toTableChange));
      return { batchItemFailures: itemIdentifier === undefined ? [] : [{ itemIdentifier }] };
    });
    onTestFinished(() => reader.stop());
  };
  return { put, start };
};

it('the local stream has an item of any shape as DynamoDB has it', async () => {
  const read: TableChange[] = [];
  const { put, start } = await readTable((changes) => void read.push(...changes));
  const sent = {
    ...{ emptyMap: {}, emptyList: [], emptyText: '', nothing: null, isActive: false },
    nested: [[], {}, { inner: {}, name: 'A' }],
    bytes: new Uint8Array([0, 255]),
    ...{ texts: new Set(['a', 'b']), numbers: new Set([1, 2.5]), small: 1e-130, large: 10n ** 125n },
  };
  await put(marshall(sent));
  await put({});
  await start();
  await until(() => read.length >= 2);
  const [first, second] = read.slice(-2);
  expect(first?.after).toMatchObject(sent);
  expect(second?.before).toEqual(first?.after);
});

it('changes before one that cannot be read do not wait for it', async () => {
  const [read, attempts]: [number[], number[]] = [[], []];
  const { put, start } = await readTable((changes) => {
    const versions = changes.map(({ after }) => (after as unknown as { version: number }).version);
    attempts.push(...versions);
    if (versions.includes(6)) throw new Error('It cannot be read.');
    read.push(...versions);
    return undefined;
  });
  for (let n = 0; n < 9; n++) await put({});
  await start();
  // It is read again, alone with those after it.
  await until(() => attempts.filter((version) => version === 6).length > 6);
  expect(read).toEqual([1, 2, 3, 4, 5]);
});
