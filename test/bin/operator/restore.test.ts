import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeStores } from '../../../bin/operator/stores.ts';
import { BlockListImports, type ImportRecord } from '../../../functions/block-list-import/block-list-imports.ts';
import { importFailure } from '../../../functions/domain/block-list-imports.ts';
import { chunks } from '../../../functions/domain/chunks.ts';
import { Erasures } from '../../../functions/erasure/erasures.ts';
import { BlockListPages } from '../../../functions/store/block-list/block-list-pages.ts';
import { hashOfNumber } from '../../../functions/store/erased-people.ts';
import { openTable } from '../../../functions/store/table.ts';
import { listCalls } from '../../support/listed-calls.ts';
import { jsonError, runOperator } from '../../support/operator-command.ts';
import { awsSettings, target, unique } from '../../support/world.ts';

const client = new DynamoDBClient({
  endpoint: target.endpoints.dynamodb,
  region: awsSettings.AWS_REGION,
  credentials: { ...target.credentials },
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

const listItems = async (TableName: string) => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items.sort((a, b) => (JSON.stringify([a.pk, a.sk]) < JSON.stringify([b.pk, b.sk]) ? -1 : 1));
};

const restore = async (...args: string[]) => {
  const environment = { ...awsSettings, AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb };
  const { code, stdout, stderr } = await runOperator(environment, ['--table', live, 'restore', ...args]);
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
    // Some items are unchanged, some were changed, some were deleted, and some are new.
    await fill(live, [...many(100, 0, 'as it was'), ...many(100, 100, 'changed'), ...many(150, 1000, 'new')]);
  });
  afterAll(async () => {
    for (const TableName of [live, earlier]) await client.send(new DeleteTableCommand({ TableName }));
  });

  it('restoring the table shows the plan, and does nothing without confirmation', async () => {
    const before = await listItems(live);
    const { stdout, stderr, code } = await restore('--from', earlier, '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { table: live, from: earlier, done: false, same: 100, written: 201, deleted: 150, erasures: 0 },
    ]);
    expect(stderr).toBe('');
    expect((await restore('--from', earlier)).stdout).toMatch(/would be written +201\n/);
    expect(await listItems(live)).toEqual(before);
  });

  it('restoring the table makes it equal to the other one, which stays as it is', async () => {
    const { stdout, stderr, code } = await restore('--from', earlier, '--yes', '--json');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ done: true, same: 100, written: 201, deleted: 150 });
    const restored = await listItems(live);
    expect(restored).toHaveLength(301);
    expect(restored).toEqual(await listItems(earlier));
    expect(restored).toContainEqual(exact);
    // A second run finds nothing to do.
    const again = JSON.parse((await restore('--from', earlier, '--yes', '--json')).stdout);
    expect(again).toMatchObject({ same: 301, written: 0, deleted: 0 });
  });

  it('restoring the table rejects a missing table, and the table itself', async () => {
    const before = await listItems(live);
    const missing = await restore('--from', 'no-such-table', '--yes');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('no such table') });
    expect(await restore('--from', live, '--yes')).toMatchObject({
      code: 2,
      stderr: 'A table cannot be restored from itself. Name another table.\n',
    });
    expect(await listItems(live)).toEqual(before);
  });
});

describe('restoring a table from before an erasure', () => {
  const [now, before] = [unique('now'), unique('before')];
  const config = {
    endpoint: target.endpoints.dynamodb,
    region: awsSettings.AWS_REGION,
    credentials: { ...target.credentials },
  };
  const person = '+4915112345678';
  const other = '+14155550100';
  /** A person whose number is in the earlier table only as a failed line of a guest's import. */
  const inFailedLine = '+33612345678';
  /** A person whose number the earlier table has in another form. */
  const inOtherForm = '+525512345678';
  const secret = 'signing-secret';
  const importOfGuest = { uid: 'guest', importId: 'import_1' };
  const agent = { uid: 'acme', agentId: 'desk', name: 'Desk', configuration: {}, createdAt: '', updatedAt: '' };
  const call = { direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' } as const;
  const restoreNow = (settings: Record<string, string>, ...args: string[]) =>
    runOperator({ ...awsSettings, AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb, ...settings }, [
      ...['--table', now, 'restore', '--from', before, '--json', ...args],
    ]);

  beforeAll(async () => {
    for (const name of [now, before]) {
      await fill(name, []);
      const { agentChanges, agentSharing, blockList, calls, users } = makeStores(openTable(name, config));
      await agentChanges.create(agent);
      if (name === now) continue;
      await calls.record('desk', 'call-1', { ...call, phone: person });
      await calls.record('desk', 'call-2', { ...call, phone: other });
      await calls.record('desk', 'call-3', { ...call, phone: inOtherForm.replace('+52', '+521') });
      await blockList.add({ agentId: 'desk' }, [person, other], { reason: 'spam' });
      await blockList.add({ uid: 'acme' }, [person], { reason: 'spam' });
      await blockList.add({ uid: 'somebody-else' }, [person], { reason: 'spam' });
      await users.create('guest');
      await agentSharing.share('desk', 'acme', 'guest');
      const imports = new BlockListImports(openTable(name, config));
      await imports.add({ ...importOfGuest, keyId: 'key_guest', agentId: 'desk', mode: 'add' });
      const begun = await imports.begin((await imports.find(importOfGuest)) as ImportRecord, 'etag');
      const lines = [inFailedLine.replace('+33', '+33 '), other];
      const failures = lines.map((number, index) => importFailure(index + 1, number, 'invalid_expires_at'));
      const advanced = await imports.advance(begun as ImportRecord, { lines: 2, failed: 2, failures });
      await imports.finish(advanced as ImportRecord);
    }
    const erasures = new Erasures(openTable(now, config));
    for (const [erasureId, number] of [
      ['erasure_1', person],
      ['erasure_2', inFailedLine],
      ['erasure_3', inOtherForm],
    ] as const) {
      const numberHash = hashOfNumber(secret, 'acme', number);
      await erasures.add({ uid: 'acme', erasureId, number, numberHash, blockList: 'keep' });
      await erasures.finish('acme', erasureId);
    }
  });
  afterAll(async () => {
    for (const TableName of [now, before]) await client.send(new DeleteTableCommand({ TableName }));
  });

  it('restoring a table from before an erasure erases the person again, even from a failed line of an import or in another form of the number, and no one else', async () => {
    const counted = await restoreNow({});
    expect([counted.code, JSON.parse(counted.stdout)]).toMatchObject([0, { done: false, erasures: 3, deleted: 0 }]);
    const refused = await restoreNow({}, '--yes');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      jsonError(
        'invalid_usage',
        'Erasures that ended since must be repeated. Set ERASURE_SECRET to the secret of the service.',
      ),
    ]);
    const { code, stdout } = await restoreNow({ ERASURE_SECRET: secret }, '--yes');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { done: true, erasures: 3 }]);
    const restored = openTable(now, config);
    const lists = new BlockListPages(restored);
    expect((await listCalls('desk', {}, restored)).map(({ callId }) => callId)).toEqual(['call-2']);
    const entries = await Promise.all(
      [{ agentId: 'desk' }, { uid: 'acme' }, { uid: 'somebody-else' }].map(async (owner) =>
        (await Array.fromAsync(lists.list(owner))).map(({ number, reason }) => [number, reason]),
      ),
    );
    expect(entries).toEqual([
      [
        [other, 'spam'],
        [person, undefined],
      ],
      [[person, undefined]],
      [[person, 'spam']],
    ]);
    const imported = await new BlockListImports(openTable(now, config)).find(importOfGuest);
    expect(imported?.failures.map(({ number }) => number)).toEqual([other]);
    expect(await new Erasures(openTable(now, config)).find('acme', 'erasure_1')).toMatchObject({ status: 'done' });
    // Run again after an interruption, it does the same.
    expect(JSON.parse((await restoreNow({ ERASURE_SECRET: secret }, '--yes')).stdout)).toMatchObject({
      erasures: 3,
    });
    expect((await listCalls('desk', {}, restored)).length).toBe(1);
  });
});
