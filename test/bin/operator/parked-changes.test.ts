import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { files } from '../../../functions/clients/files.ts';
import { callKey } from '../../../functions/store/keys.ts';
import { newFile, oneSentence, runOperator } from '../../support/operator-command.ts';
import { newParkingWorld, readSequenceNumber } from '../../support/parking.ts';
import { awsSettings, target, unique, useOwnDatabaseInThisProcess } from '../../support/world.ts';

beforeAll(useOwnDatabaseInThisProcess);

/** A table with an unreadable change of a call, parked, and a later change of the call behind it. */
const newParked = async () => {
  const world = await newParkingWorld();
  onTestFinished(world.stop);
  const key = callKey(world.agentId, 'call-1');
  await world.writeUnreadableCall(key, { n: 1 });
  await world.writeUnreadableCall(key, { n: 2 });
  const records = (await world.changes()).filter(({ dynamodb }) => dynamodb?.Keys?.pk?.S === key.pk);
  const [first = '', second = ''] = records.map(readSequenceNumber);
  const run = {
    pid: process.pid,
    baseUrl: target.baseUrl,
    uid: world.uid,
    tableName: world.table.name,
    endpoints: target.endpoints,
    region: awsSettings.AWS_REGION,
    // DynamoDB Local has a database for each access key.
    credentials: {
      accessKeyId: process.env.AWS_ACCESS_KEY_ID,
      secretAccessKey: awsSettings.AWS_SECRET_ACCESS_KEY,
    },
  };
  const runFile = newFile(JSON.stringify(run), `${unique('run')}.json`);
  const changes = (...args: string[]) =>
    runOperator({ ...awsSettings, TABLE_TIMEOUT_SECONDS: '20' }, ['--run-file', runFile, 'changes', ...args]);
  const parsed = async (...args: string[]) => {
    const { code, stdout, stderr } = await changes(...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  return { ...world, key, records, first, second, changes, parsed };
};

/**
 * What Lambda writes of a failed batch to a bucket, as its documentation shows it:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
const makeFailedBatch = (records: DynamoDBRecord[]) => ({
  requestContext: {
    requestId: '316aa6d0-8154-xmpl-9af7-85d5f4a6bc81',
    functionArn: 'arn:aws:lambda:us-east-2:123456789012:function:read-changes',
    condition: 'RetryAttemptsExhausted',
    approximateInvokeCount: 1,
  },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
  version: '1.0',
  timestamp: '2026-11-14T00:13:49.717Z',
  DDBStreamBatchInfo: {
    shardId: 'shardId-00000001573689847184-864758bb',
    startSequenceNumber: records.map(readSequenceNumber)[0],
    endSequenceNumber: records.map(readSequenceNumber).at(-1),
    approximateArrivalOfFirstRecord: '2026-11-14T00:13:19Z',
    approximateArrivalOfLastRecord: '2026-11-14T00:13:19Z',
    batchSize: records.length,
    streamArn: 'arn:aws:dynamodb:us-east-2:123456789012:table/calls/stream/2026-11-14T00:04:06.388',
  },
  payload: JSON.stringify({ Records: records }),
});

it('changes parked list shows each item once with its first change, show its record, and retry begins the job', async () => {
  const { agentId, follow, records, first, second, changes, parsed } = await newParked();
  expect((await changes('parked', 'list')).stdout).toBe('No change is parked.\n');
  expect((await changes('parked', 'retry')).stdout).toBe('No change is parked.\n');
  expect(await follow(records)).toMatchObject({ parked: 2, comesAgain: undefined });
  const item = { kind: 'call', agentId, id: 'call-1' };
  const { parked } = await parsed('parked', 'list');
  expect(parked).toEqual([
    expect.objectContaining({ item, changes: 2, sequenceNumber: first, attempts: 1, error: expect.any(Object) }),
  ]);
  expect((await changes('parked', 'list')).stdout).toContain(`call ${agentId} call-1`);
  const shown = await parsed('parked', 'show', second);
  expect(shown).toMatchObject({ item, behind: 1, sequenceNumber: second, attempts: 0 });
  expect(shown.record.dynamodb.NewImage.n).toEqual({ N: '2' });
  expect((await parsed('parked', 'retry')).items).toBe(1);
  const missing = await changes('parked', 'show', '4711');
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(oneSentence)]);
});

it('changes parked drop only shows a change, and with --yes ends it alone', async () => {
  const { follow, records, first, second, changes, listParked, key } = await newParked();
  await follow(records);
  expect((await changes('parked', 'drop', first)).code).toBe(0);
  expect(await listParked(key)).toEqual([first, second]);
  expect((await changes('parked', 'drop', first, '--yes')).stdout).toContain(`Dropped the change ${first}`);
  expect(await listParked(key)).toEqual([second]);
});

it('changes replay parks the records that Lambda has written, from the bucket or a file, once and in their order', async () => {
  const { records, first, second, changes, parsed, listParked, key } = await newParked();
  const text = JSON.stringify(makeFailedBatch(records));
  const name = `aws/lambda/${unique('mapping')}/shardId-1/2026/11/14/2026-11-14T00.13.49-0b1e`;
  await files.get().put(name, new TextEncoder().encode(text));
  expect(await parsed('replay', name)).toEqual({ changes: 2 });
  expect(await listParked(key)).toEqual([first, second]);
  expect(await parsed('replay', newFile(text))).toEqual({ changes: 2 });
  expect(await listParked(key)).toEqual([first, second]);
  const { payload: _payload, ...withoutRecords } = makeFailedBatch(records);
  for (const wrong of [JSON.stringify(withoutRecords), '{"payload":"{}"}', 'no JSON']) {
    const { code, stderr } = await changes('replay', newFile(wrong));
    expect([code, stderr]).toEqual([2, 'This is not a file of changes that Lambda has written.\n']);
  }
});
