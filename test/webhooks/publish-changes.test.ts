import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startChangeReader } from '../../bin/local/change-reader.ts';
import { createTable } from '../../bin/local/table.ts';
import { type Stores, storesOf } from '../../bin/operator/stores.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { accessKey, blockedNumberKey, webhookEventsOf } from '../../functions/store/keys.ts';
import { openTable, Table } from '../../functions/store/table.ts';
import { changeOf, type TableChange } from '../../functions/store/table-changes.ts';
import { closeWhenQuiet } from '../../functions/webhooks/publish.ts';
import { publishChanges } from '../../functions/webhooks/publish-changes.ts';
import { injectFaultsInto } from '../support/faults.ts';
import { startPartitions } from '../support/partitions.ts';
import { until } from '../support/until.ts';
import { target, unique, useOwnDatabaseInThisProcess } from '../support/world.ts';

const at = '2026-03-01T10:00:00.000Z';

beforeEach(useOwnDatabaseInThisProcess);
// This is the timeout of a job's function: a request would give up.
beforeAll(() => void Object.assign(process.env, { TABLE_THROTTLED_MILLISECONDS: '20000' }));
afterEach(() => vi.useRealTimers());

/** A table of its own with its changes, in the batches in which the local run reads them. */
const newTable = async () => {
  const tableName = unique('read-changes');
  const endpoint = target.endpoints.dynamodb;
  await createTable(tableName, { endpoint });
  const batches: DynamoDBRecord[][] = [];
  const reader = await startChangeReader({ endpoint, tableName }, async ({ Records }) => {
    if (Records.length > 0) batches.push(Records);
    return { batchItemFailures: [] };
  });
  onTestFinished(() => reader.stop());
  const options = { marshallOptions: { removeUndefinedValues: true } };
  const table = new Table(DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), options), tableName);
  const stores = storesOf(table);
  const [uid, agentId] = [unique('user'), newIdentifier('agent')];
  await stores.agents.create({ uid, agentId, name: 'A', configuration: {}, createdAt: at, updatedAt: at });
  const requests: Record<string, number> = {};
  const messages: JobMessage<'deliverWebhook' | 'closeBlockListEvent'>[] = [];
  const send = async (message: JobMessage<'deliverWebhook' | 'closeBlockListEvent'>) => {
    messages.push(message);
    requests[message.job] = (requests[message.job] ?? 0) + 1;
  };
  const services = {
    ...stores,
    credentials: new Credentials(table),
    jobQueue: { send },
    deliveryQueue: { sendMany: async (sent: typeof messages) => void (await Promise.all(sent.map(send))) },
  };
  return {
    ...{ uid, agentId, stores, services, batches, messages },
    /** Blocks numbers by one request, which is repeated where a busy machine does not write them in time. */
    async block(count: number) {
      const [numbers, request] = [manyNumbers(count), unique('request')];
      await until(async () => {
        const outcomes = await stores.blockList.add({ agentId }, numbers, {}, request);
        return ![...outcomes.values()].includes('temporarily_unavailable');
      });
    },
    /** The changes of numbers so far, when there are this many. */
    async numbers(count: number): Promise<DynamoDBRecord[]> {
      return until(() => {
        const found = batches.flat().filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith('+'));
        return found.length >= count && found;
      });
    },
    /** Reads a batch, and returns the requests that this took. */
    async requestsOf(records: DynamoDBRecord[]): Promise<Record<string, number>> {
      for (const name of Object.keys(requests)) delete requests[name];
      const count = (operation: string) => {
        requests[operation] = (requests[operation] ?? 0) + 1;
        return undefined;
      };
      injectFaultsInto(table.client, count);
      expect(await publishChanges(records.map(changeOf), services, { until: Date.now() + 45_000 })).toBeUndefined();
      return { ...requests };
    },
  };
};

/** Adds endpoints that nobody calls. */
const addEndpoints = async (stores: Stores, uid: string, count: number) => {
  for (let n = 0; n < count; n++) {
    const endpoint = { endpointId: `endpoint_${n}`, url: `https://crm.example.com/${n}`, events: ['*'], secrets: [] };
    await stores.webhookEndpoints.add(uid, { ...endpoint, active: true, createdAt: at });
  }
};

/** Changes as the stream has them when one request blocks numbers. */
const numbersBlocked = (agentId: string, count: number): TableChange[] =>
  manyNumbers(count).map((number, n) => {
    const key = blockedNumberKey({ agentId }, number);
    const after = { ...key, blockedAt: at, blockedUntil: 9_999_999_999, addedBy: `request/${count}` };
    return { key, after, at: Date.parse(at), sequenceNumber: String(1000 + n) };
  });

const manyNumbers = (count: number) => Array.from({ length: count }, (_, index) => `+1415${5_000_000 + index}`);

it('the reader of changes makes one event of a request whose numbers arrive in several batches, with three requests for each and one message', async () => {
  const { uid, stores, block, numbers, requestsOf } = await newTable();
  const endpoint = { endpointId: 'endpoint_1', url: 'https://crm.example.com/', events: ['*'], secrets: [] };
  await stores.webhookEndpoints.add(uid, { ...endpoint, active: true, createdAt: at });
  await block(400);
  const records = await numbers(400);
  const batch = (index: number) => requestsOf(records.slice(100 * index, 100 * (index + 1)));
  const reads = { BatchGetItem: 2, UpdateItem: 1 };
  expect(await batch(0)).toEqual({ ...reads, closeBlockListEvent: 1 });
  expect(await batch(1)).toEqual(reads);
  // A batch that comes again sends its message again: the first time it may have died before.
  expect(await batch(0)).toEqual({ ...reads, closeBlockListEvent: 1 });
  expect(await batch(2)).toEqual(reads);
  // The last one completes the event: it is closed, and its delivery is queued.
  expect(await batch(3)).toEqual({ BatchGetItem: 2, UpdateItem: 2, BatchExecuteStatement: 1, deliverWebhook: 1 });
});

it('the numbers of a large request are written once each, in parts, however small the batches are in which they come', async () => {
  const { uid, agentId, stores, services, messages } = await newTable();
  const partitions = await startPartitions(target.endpoints.dynamodb);
  onTestFinished(() => partitions.stop());
  await addEndpoints(stores, uid, 1);
  const metered = storesOf(openTable(stores.table.name, { endpoint: partitions.endpoint }));
  const withMeter = { ...services, webhookEvents: metered.webhookEvents };
  const count = 1000;
  const changes = numbersBlocked(agentId, count);
  const read = (from: number, to: number) =>
    publishChanges(changes.slice(from, to), withMeter, { until: Date.now() + 45_000 });
  for (let from = 0; from < count; from += 25) await read(from, from + 25);
  // The end of the stream comes again, from another change.
  await read(count - 40, count);
  const { write } = partitions.take().get(accessKey(agentId).pk) ?? { write: 0 };
  // A transaction of two items for each batch. One item that grows takes almost three hundred.
  expect(write).toBeLessThanOrEqual(4 * (count / 25 + 2));
  const [message] = messages as JobMessage<'closeBlockListEvent'>[];
  const { eventId, token, quietSeconds } = message as JobMessage<'closeBlockListEvent'>;
  await closeWhenQuiet({ list: { agentId }, uid, eventId, token, quietSeconds }, services);
  expect(messages.at(-1)?.job).toBe('deliverWebhook');
  expect(await stores.webhookEvents.details({ agentId }, eventId)).toEqual({
    added: { count, numbers: manyNumbers(count).slice(0, 100) },
    removed: { count: 0, numbers: [] },
  });
  // A number that arrives after the event was closed goes into another event.
  await read(0, 25);
  const [first] = changes as [TableChange];
  const key = blockedNumberKey({ agentId }, '+14155559999');
  const late = { ...first, key, after: { ...first.after, ...key } };
  await publishChanges([late], withMeter, { until: Date.now() + 45_000 });
  const events = new Set(messages.flatMap((one) => ('eventId' in one ? [one.eventId] : [])));
  expect(events.size).toBe(2);
  await stores.webhookEvents.scrubNumber({ agentId }, manyNumbers(1)[0] as string);
  const { added } = (await stores.webhookEvents.details({ agentId }, eventId)) as { added: { count: number } };
  expect(added.count).toBe(count - 1);
});

it('the reader of changes makes an event of a request of which not every number changes, once nothing has come for a second', async () => {
  const { uid, agentId, stores, services, messages, block, numbers, requestsOf } = await newTable();
  const endpoint = { endpointId: 'endpoint_1', url: 'https://crm.example.com/', events: ['*'], secrets: [] };
  await stores.webhookEndpoints.add(uid, { ...endpoint, active: true, createdAt: at });
  await block(1);
  const [number] = manyNumbers(1) as [string];
  await stores.blockList.remove({ agentId }, [number, '+14155559999']);
  const [, removal] = (await numbers(2)) as [DynamoDBRecord, DynamoDBRecord];
  vi.useFakeTimers({ toFake: ['Date'] });
  expect(await requestsOf([removal])).toEqual({ BatchGetItem: 2, UpdateItem: 1, closeBlockListEvent: 1 });
  const [message] = messages as JobMessage<'closeBlockListEvent'>[];
  const { eventId, token, quietSeconds } = message as JobMessage<'closeBlockListEvent'>;
  const close = () => closeWhenQuiet({ list: { agentId }, uid, eventId, token, quietSeconds }, services);
  await close();
  expect(messages).toEqual([message, message]);
  vi.setSystemTime(Date.now() + 1000);
  await close();
  expect(messages.map(({ job }) => job)).toEqual(['closeBlockListEvent', 'closeBlockListEvent', 'deliverWebhook']);
  const nothing = { count: 0, numbers: [] };
  const removed = { count: 1, numbers: [number] };
  expect(await stores.webhookEvents.details({ agentId }, eventId)).toMatchObject({ added: nothing, removed });
});

it('an event that is written after the erasure of its person does not keep the number, even if the number stays blocked', async () => {
  const { uid, agentId, stores, messages, block, numbers, requestsOf } = await newTable();
  await addEndpoints(stores, uid, 1);
  await block(1);
  const [number] = manyNumbers(1) as [string];
  const counted = stores.table.updateAction({ pk: 'counter', sk: 'counter' }, { add: { count: 1 } });
  await stores.blockList.erase([{ agentId }], number, 'keep', counted);
  for (const record of await numbers(2)) await requestsOf([record]);
  const [event] = await Array.fromAsync(stores.table.query(webhookEventsOf({ agentId })));
  expect(messages.map(({ job }) => job)).toEqual(['deliverWebhook']);
  const eventId = event?.sk.replace('EVENT#', '') ?? '';
  const nothing = { count: 0, numbers: [] };
  expect(await stores.webhookEvents.details({ agentId }, eventId)).toEqual({ added: nothing, removed: nothing });
  expect(JSON.stringify(event)).not.toContain(number);
});

it('the reader of changes makes two reads for changes of users without endpoints, and none for changes that are not events', async () => {
  const { uid, agentId, stores, block, numbers, batches, requestsOf } = await newTable();
  await block(100);
  expect(await requestsOf(await numbers(100))).toEqual({ BatchGetItem: 2 });
  const guest = unique('guest');
  await stores.users.create(guest);
  await stores.agents.grant(agentId, uid, guest);
  await stores.blockList.add({ agentId }, ['+14155550199']);
  await numbers(101);
  const ofAccess = batches.flat().filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === 'ACCESS');
  expect(ofAccess.length).toBeGreaterThan(1);
  expect(await requestsOf(ofAccess)).toEqual({});
});
