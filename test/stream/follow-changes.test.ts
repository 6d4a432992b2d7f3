import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startChangeReader } from '../../bin/local/change-reader.ts';
import { createTable } from '../../bin/local/table.ts';
import { makeStores, type Stores } from '../../bin/operator/stores.ts';
import { currentRequestId, withCause } from '../../functions/cause.ts';
import { ChangeLog } from '../../functions/changes/change-log.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { CallFigures } from '../../functions/figures/call-figures.ts';
import { toAgentItem } from '../../functions/store/agents/agent-items.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { blockedNumberKey, webhookEndpointsKey, webhookEventCollection } from '../../functions/store/keys.ts';
import { type Item, Table } from '../../functions/store/table.ts';
import { type TableChange, toTableChange } from '../../functions/store/table-changes.ts';
import { followChanges, readChange } from '../../functions/stream/follow-changes.ts';
import { createDeliveries } from '../../functions/webhooks/create-deliveries.ts';
import { injectFaultsInto } from '../support/faults.ts';
import { newAgentRecord, newEndpointRecord } from '../support/records.ts';
import { until } from '../support/until.ts';
import { target, unique, useOwnDatabaseInThisProcess } from '../support/world.ts';

const at = new Date().toISOString();

beforeEach(useOwnDatabaseInThisProcess);
// This is the timeout of a job's function: a request would give up.
beforeAll(() => void Object.assign(process.env, { TABLE_THROTTLED_MILLISECONDS: '20000' }));
afterEach(() => vi.useRealTimers());

type Message = { job: string; deliveryId?: string; requestId?: string; events?: object[] };

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
  const stores = makeStores(table);
  const [uid, agentId] = [unique('user'), newIdentifier('agent')];
  await stores.users.create(uid);
  await stores.agentChanges.create(newAgentRecord(uid, { agentId }));
  const requests: Record<string, number> = {};
  const messages: Message[] = [];
  const send = async (message: Message) => {
    messages.push({ requestId: currentRequestId(), ...message });
    requests[message.job] = (requests[message.job] ?? 0) + 1;
  };
  const sendMany = async (sent: Message[]) => void (await Promise.all(sent.map(send)));
  const services = {
    ...stores,
    callFigures: new CallFigures(table),
    credentials: new Credentials(table),
    changeLog: new ChangeLog(table, 400),
    jobQueue: { send },
    eventQueue: { sendMany },
    deliveryQueue: { sendMany },
  };
  const follow = async (changes: TableChange[]) => {
    const followed = await followChanges(changes.map(readChange), services, { until: Date.now() + 45_000 });
    expect(followed.failures.size).toBe(0);
    return followed;
  };
  /** Does the job of the messages that name events. */
  const createAll = async () => {
    const sent = messages.splice(0);
    messages.push(...sent.filter(({ job }) => job !== 'createDeliveries'));
    for (const message of sent.filter(({ job }) => job === 'createDeliveries')) {
      const { requestId } = message;
      const create = () =>
        createDeliveries(message as JobMessage<'createDeliveries'>, services, Number.POSITIVE_INFINITY);
      await withCause({ maker: { via: 'job' }, requestId }, create);
    }
  };
  const read = async (changes: TableChange[]) => {
    const followed = await follow(changes);
    await createAll();
    return followed;
  };
  /** The numbers of each event of the agent's block list, sorted by the first one. */
  const listEvents = async () => {
    const items = await Array.fromAsync(
      table.query<Item & { added?: Set<string> }>(webhookEventCollection({ agentId })),
    );
    return items.map(({ added = new Set() }) => [...added].sort()).sort();
  };
  return {
    ...{ uid, agentId, stores, services, batches, messages, follow, read, listEvents },
    /** Blocks numbers by one request, which is repeated where a busy machine does not write them in time. */
    async block(count: number) {
      const [numbers, request] = [manyNumbers(count), unique('request')];
      await until(async () => {
        const outcomes = await stores.blockList.add({ agentId }, numbers, {}, request);
        return ![...outcomes.values()].includes('temporarily_unavailable');
      });
    },
    /** The changes of numbers so far, when there are this many. */
    async numbers(count: number): Promise<TableChange[]> {
      return until(() => {
        const found = batches.flat().filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith('+'));
        return found.length >= count && found.map(toTableChange);
      });
    },
    /** Reads a batch, and returns the requests that this took. */
    async countRequests(changes: TableChange[]): Promise<Record<string, number>> {
      for (const name of Object.keys(requests)) delete requests[name];
      const count = (operation: string) => {
        requests[operation] = (requests[operation] ?? 0) + 1;
        return undefined;
      };
      injectFaultsInto(table.client, count);
      await follow(changes);
      const taken = { ...requests };
      await createAll();
      return taken;
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

const rename = (uid: string, agentId: string, name: string): TableChange => {
  const before = toAgentItem({ ...newAgentRecord(uid, { agentId }), version: 1 }, {});
  const after = { ...before, name, updatedAt: at };
  return { key: { pk: before.pk, sk: before.sk }, before, after, at: 0, sequenceNumber: name };
};

const manyNumbers = (count: number) => Array.from({ length: count }, (_, index) => `+1415${5_000_000 + index}`);

it('the numbers of a request are in one event of each batch of changes, with five requests for it', async () => {
  const { uid, agentId, stores, countRequests } = await newTable();
  await addEndpoints(stores, uid, 1);
  const changes = numbersBlocked(agentId, 100);
  const batch = (index: number) => countRequests(changes.slice(50 * index, 50 * (index + 1)));
  // The users of the agent, then the owner and the endpoints; the entries so far; an entry, and an event.
  const each = { BatchGetItem: 2, Query: 1, UpdateItem: 1, createDeliveries: 1 };
  expect(await batch(0)).toEqual({ ...each, BatchExecuteStatement: 1 });
  expect(await batch(1)).toEqual({ ...each, BatchExecuteStatement: 1 });
  // A batch that comes again sends its message again: the first time it may have died before.
  expect(await batch(0)).toEqual(each);
});

it('requests of one number each are logged together, without a query for each', async () => {
  const { agentId, stores, numbers, countRequests } = await newTable();
  await Promise.all(manyNumbers(30).map((number) => stores.blockList.add({ agentId }, [number])));
  const records = await numbers(30);
  // The users of the agent, then the owner and the endpoints; 25 entries in a request.
  expect(await countRequests(records)).toEqual({ BatchGetItem: 2, BatchWriteItem: 2 });
});

it('each number of a request is in one event, whatever the batches are in which the changes come, and come again', async () => {
  const { uid, agentId, stores, messages, read, listEvents } = await newTable();
  await addEndpoints(stores, uid, 1);
  const changes = numbersBlocked(agentId, 200);
  await read(changes.slice(0, 60));
  // The end of the batch again, with more; then its beginning, in another size; then parts of both, out of order.
  await read(changes.slice(30, 90));
  await read(changes.slice(0, 20));
  await read(changes.slice(120, 200));
  await read(changes.slice(10, 150));
  const events = await listEvents();
  expect(events.flat().sort()).toEqual(manyNumbers(200));
  expect(Math.max(...events.map(({ length }) => length))).toBeLessThanOrEqual(80);
  const { items } = await new ChangeLog(stores.table, 400).page(uid, {});
  expect(items.map(({ counts }) => counts?.added).reduce((sum = 0, one = 0) => sum + one)).toBe(200);
  const ids = new Set(messages.map(({ deliveryId }) => deliveryId));
  expect([ids.size, items.length]).toEqual([events.length, events.length]);
});

it('the numbers of a batch that ended between its entry and its event are in the event, even if it comes again in parts', async () => {
  const { uid, agentId, stores, services, messages, read, listEvents } = await newTable();
  await addEndpoints(stores, uid, 1);
  const changes = numbersBlocked(agentId, 40);
  const addAll = vi.spyOn(services.webhookEvents, 'addAll').mockRejectedValueOnce(new Error('It ended.'));
  await followChanges(changes.map(readChange), services, { until: Date.now() + 45_000 });
  expect(addAll).toHaveBeenCalledOnce();
  await read(changes.slice(0, 10));
  await read(changes.slice(10));
  expect(await listEvents()).toEqual([manyNumbers(40)]);
  const [message] = messages;
  const delivery = await stores.webhookDeliveries.find(uid, message?.deliveryId ?? '');
  expect(await stores.webhookEvents.details({ agentId }, delivery?.eventId ?? '')).toMatchObject({
    added: { count: 40, numbers: manyNumbers(40) },
  });
});

it('an event that is written after the erasure of its person does not keep the number, even if the number stays blocked', async () => {
  const { uid, agentId, stores, messages, block, numbers, countRequests } = await newTable();
  await addEndpoints(stores, uid, 1);
  await block(1);
  const [number] = manyNumbers(1) as [string];
  const counted = stores.table.updateAction({ pk: 'counter', sk: 'counter' }, { add: { count: 1 } });
  await stores.blockList.erase([{ agentId }], number, 'keep', counted);
  for (const record of await numbers(2)) await countRequests([record]);
  const [event] = await Array.fromAsync(stores.table.query(webhookEventCollection({ agentId })));
  expect(messages.map(({ job }) => job)).toEqual(['deliverWebhook']);
  const eventId = event?.sk.replace('EVENT#', '') ?? '';
  const nothing = { count: 0, numbers: [] };
  expect(await stores.webhookEvents.details({ agentId }, eventId)).toEqual({
    added: { count: 1, numbers: [] },
    removed: nothing,
  });
  expect(JSON.stringify(event)).not.toContain(number);
});

it('the deliveries of a user resume under the id of the request that ended the suspension', async () => {
  const { uid, read, messages } = await newTable();
  const key = webhookEndpointsKey(uid);
  const after = { ...key, endpoints: { one: {}, two: {} } };
  const change = { key, before: { ...after, suspended: true }, after, at: 0, sequenceNumber: '1' };
  await read([{ ...change, requestId: 'request-1' }]);
  const message = { job: 'resumeDeliveries', uid, requestId: 'request-1' };
  expect(messages).toEqual(['one', 'two'].map((endpointId) => ({ ...message, endpointId })));
});

it('the deliveries of a deleted call name the request that deleted it, by its id or with a person', async () => {
  const { uid, agentId, stores, batches, messages, read } = await newTable();
  await addEndpoints(stores, uid, 1);
  const [phone] = manyNumbers(1) as [string];
  const record = (callId: string) =>
    stores.calls.record(agentId, callId, { phone, direction: 'inbound', startedAt: at });
  const remove = (callId: string, requestId: string) =>
    withCause({ maker: { uid, via: 'api' }, requestId }, () => stores.calls.remove(agentId, callId));
  const erase = () => stores.calls.erase(agentId, phone, { until: Number.POSITIVE_INFINITY, alongside: () => [] });
  for (const callId of ['once', 'twice', 'erased']) await record(callId);
  await remove('once', 'request-1');
  await remove('twice', 'request-2');
  await record('twice');
  await remove('twice', 'request-3');
  await withCause({ maker: { via: 'job' }, requestId: 'request-4' }, erase);
  const removed = await until(() => {
    const found = batches.flat().filter(({ dynamodb }) => dynamodb?.NewImage?.deletedAt);
    return found.length === 4 && found;
  });
  await read(removed.map(toTableChange));
  const sent = messages.filter(({ job }) => job === 'deliverWebhook');
  const deliveries = sent.map(async ({ deliveryId = '', requestId }) => {
    const delivery = await stores.webhookDeliveries.find(uid, deliveryId);
    expect(delivery?.requestId).toBe(requestId);
    return `${delivery?.type} ${delivery?.ids.call_id} ${requestId}`;
  });
  expect((await Promise.all(deliveries)).sort()).toEqual([
    'call.deleted erased request-4',
    'call.deleted once request-1',
    'call.deleted twice request-2',
    'call.deleted twice request-3',
  ]);
});

it('the end of a suspension resumes nothing for a user whose endpoints are deleted', async () => {
  const { uid, stores, batches, messages, read } = await newTable();
  await addEndpoints(stores, uid, 1);
  await stores.webhookEndpoints.remove(uid, 'endpoint_0');
  const key = webhookEndpointsKey(uid);
  const item = (await stores.table.get<Item>(key)) ?? key;
  for (const suspended of [true, undefined]) await stores.table.put({ ...item, suspended } as Item);
  const records = await until(() => {
    const found = batches.flat().filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === key.sk);
    return found.length === 4 && found;
  });
  await read(records.map(toTableChange));
  expect(messages.filter(({ job }) => job === 'resumeDeliveries')).toEqual([]);
});

it('the reader of changes writes only the log for changes of users without endpoints', async () => {
  const { uid, agentId, stores, numbers, batches, countRequests } = await newTable();
  const requests = await countRequests(numbersBlocked(agentId, 100));
  expect(requests).toEqual({ BatchGetItem: 2, Query: 1, BatchExecuteStatement: 1 });
  const guest = unique('guest');
  await stores.users.create(guest);
  await stores.agentSharing.share(agentId, uid, guest);
  await stores.blockList.add({ agentId }, ['+14155550199']);
  await numbers(1);
  const ofAccess = batches.flat().filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === 'ACCESS');
  expect(ofAccess.length).toBeGreaterThan(1);
  // The agent is shared: the owner, and the entry.
  expect(await countRequests(ofAccess.map(toTableChange))).toEqual({ BatchGetItem: 1, BatchWriteItem: 1 });
});

it('the events of a user with few changes are sent before those of one with many', async () => {
  const { uid, agentId, stores, follow, messages } = await newTable();
  const other = { uid: unique('user'), agentId: newIdentifier('agent') };
  await stores.users.create(other.uid);
  await stores.agentChanges.create(newAgentRecord(other.uid, other));
  for (const user of [uid, other.uid]) await addEndpoints(stores, user, 1);
  const many = ['B', 'C', 'D'].map((name) => rename(uid, agentId, name));
  await follow([...many, rename(other.uid, other.agentId, 'B')]);
  expect(messages[0]).toMatchObject({ uid: other.uid });
  expect(messages.at(-1)).toMatchObject({ uid });
});

it('an event that no endpoint wants is counted by the nearest cause, and one that any endpoint wants is sent', async () => {
  const { uid, agentId, stores, read } = await newTable();
  const add = (endpointId: string, more: object) =>
    stores.webhookEndpoints.add(uid, {
      ...newEndpointRecord(`https://crm.example.com/${endpointId}`),
      endpointId,
      ...more,
    });
  const unwanted = async () => (await read([rename(uid, agentId, 'B')])).unwanted;
  expect(await unwanted()).toEqual({ noEndpoint: 1 });
  await add('calls', { events: ['call.*'] });
  expect(await unwanted()).toEqual({ otherType: 1 });
  await add('another', { events: ['*'], agentIds: ['another-agent'] });
  expect(await unwanted()).toEqual({ otherAgent: 1 });
  await add('off', { events: ['agent.updated'], active: false });
  expect(await unwanted()).toEqual({ inactive: 1 });
  await add('on', { events: ['agent.*'] });
  const renames = ['C', 'D'].map((name) => rename(uid, agentId, name));
  expect(await read(renames)).toMatchObject({ events: 2, unwanted: {} });
});
