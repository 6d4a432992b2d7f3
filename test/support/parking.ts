import type { DynamoDBRecord } from 'aws-lambda';
import { makeStores } from '../../bin/operator/stores.ts';
import { ChangeLog } from '../../functions/changes/change-log.ts';
import { files } from '../../functions/clients/files.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { CallFigures } from '../../functions/figures/call-figures.ts';
import { entityOfKey, ParkedChanges } from '../../functions/parking/parked-changes.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import type { ItemKey } from '../../functions/store/keys.ts';
import type { Item, Table } from '../../functions/store/table.ts';
import { toReference, toTableChange } from '../../functions/store/table-changes.ts';
import { followBatch } from '../../functions/stream/follow-batch.ts';
import { readChange } from '../../functions/stream/follow-changes.ts';
import { retryParked } from '../../functions/stream/retry-parked.ts';
import { newAgentRecord, newEndpointRecord } from './records.ts';
import { startTableWithStream } from './table-stream.ts';
import { unique } from './world.ts';

type Message = JobMessage<'createDeliveries' | 'resumeDeliveries' | 'countCalls'>;

/** Fails before and after each request of a process that has died. */
type Dies = () => boolean;

const killed = () => Object.assign(new Error('killed'), { $fault: 'client', $metadata: { httpStatusCode: 400 } });

/** The name of an agent, the change to which DynamoDB rejects as long as the world is broken. */
export const poison = 'POISON';

/** A table of its own with a user, who has an agent and an endpoint for all events, and the reader of its stream. */
export const newParkingWorld = async () => {
  const stream = await startTableWithStream('parking');
  const sound = stream.open();
  const stores = makeStores(sound);
  const [uid, endpointId] = [unique('user'), newIdentifier('endpoint')];
  const newAgent = async () => {
    const agentId = newIdentifier('agent');
    await stores.agentChanges.create(newAgentRecord(uid, { agentId }));
    return agentId;
  };
  await stores.users.create(uid);
  const agentId = await newAgent();
  await stores.webhookEndpoints.add(uid, {
    ...newEndpointRecord('https://crm.example.com/hook'),
    ...{ endpointId, events: ['*'], active: true },
  });
  await stream.changesSoFar();
  const world = { isBroken: true };
  const sent: string[] = [];

  const breakRequests = (table: Table, dies: Dies) => {
    const middleware = (next: (args: { input: unknown }) => Promise<unknown>) => async (args: { input: unknown }) => {
      if (dies()) throw killed();
      if (world.isBroken && JSON.stringify(args.input).includes(poison))
        throw Object.assign(new Error('It is not valid.'), {
          ...{ name: 'ValidationException', $fault: 'client', $metadata: { httpStatusCode: 400 } },
        });
      const result = await next(args);
      if (dies()) throw killed();
      return result;
    };
    table.client.middlewareStack.add(middleware as never, { step: 'initialize', name: 'break', override: true });
  };
  const mortal = <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>, dies: Dies) => {
    return async (...args: Args): Promise<Result> => {
      if (dies()) throw killed();
      const result = await work(...args);
      if (dies()) throw killed();
      return result;
    };
  };
  /** The services of a process, which may die. */
  const makeServices = (dies: Dies = () => false) => {
    const table = stream.open();
    breakRequests(table, dies);
    const store = files.get();
    const { webhookEndpoints, webhookEvents } = makeStores(table);
    const send = mortal(async (message: Message) => {
      if (message.job === 'createDeliveries') sent.push(...message.events.map(({ eventId }) => eventId));
    }, dies);
    return {
      ...{ webhookEndpoints, webhookEvents },
      ...{
        callFigures: new CallFigures(table),
        credentials: new Credentials(table),
      },
      changeLog: new ChangeLog(table, 400),
      jobQueue: { send },
      eventQueue: { sendMany: async (messages: Message[]) => void (await Promise.all(messages.map(send))) },
      parkedChanges: new ParkedChanges(table, {
        put: mortal(store.put.bind(store), dies),
        read: mortal(store.read.bind(store), dies),
        delete: mortal(store.delete.bind(store), dies),
      }),
    };
  };
  const parked = new ParkedChanges(sound, files.get());

  return {
    ...{ uid, agentId, world, stores, parked, newAgent, makeServices },
    table: sound,
    changes: () => stream.changesSoFar(),
    stop: () => stream.stop(),
    /** Writes a call as a version of the service would that this one cannot read. */
    writeUnreadableCall: (key: ItemKey, more: object = {}) =>
      sound.put({ ...key, details: '{', version: unique('version'), ...more } as Item),
    rename: (agent: string, name: string) => stores.agentChanges.change(uid, agent, (before) => ({ ...before, name })),
    follow: (records: DynamoDBRecord[], dies?: Dies) =>
      followBatch(records, makeServices(dies), { until: Date.now() + 45_000 }),
    retry: (dies?: Dies) =>
      retryParked(makeServices(dies), { until: Date.now() + 45_000, endsAt: Date.now() + 60_000 }),
    /** Returns the sequence numbers of the parked changes of an item. */
    listParked: async (key: ItemKey) =>
      (await parked.list(entityOfKey(key))).map(({ sequenceNumber }) => sequenceNumber),
    /** Returns the ids of the events that were queued, in the order of the first message of each. */
    sentEvents: () => [...new Set(sent)],
  };
};

/** Returns the ids of the events of a record; undefined if it cannot be read. */
export const listEvents = (record: DynamoDBRecord): string[] | undefined => {
  try {
    const { effects } = readChange(toTableChange(record));
    return effects.flatMap(({ events = [] }) => events.map(({ eventId }) => eventId));
  } catch {
    return undefined;
  }
};

export const readSequenceNumber = (record: DynamoDBRecord) => toReference(record).sequenceNumber;
export const readKey = (record: DynamoDBRecord) => toReference(record).key;
