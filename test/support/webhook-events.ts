import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type BlockListOwner, webhookEventCollection } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { until } from './until.ts';
import { newEndpoint, newReceiver, type SentEvent, verified } from './webhooks.ts';
import { newWorld, type World } from './world.ts';

/** A user whose endpoint gets an event of each agent that it makes. */
const newWitness = async () => {
  const { uid, call } = await newWorld();
  const receiver = await newReceiver();
  await newEndpoint({ uid, call } as World, receiver.url, { events: ['agent.created'] });
  return async () => {
    const { agentId } = (await call('POST', '/agents', { body: { uid, name: 'Witness' } })).body;
    await until(async () => (await receiver.received()).some(({ body }) => body.includes(agentId)));
  };
};

let witness: ReturnType<typeof newWitness> | undefined;

/** Waits until the stream has been read up to now: with the creation of a world's own agent, before there is an endpoint. */
export const changesAreRead = async () => {
  witness ??= newWitness();
  await (await witness)();
};

/**
 * A world whose user has an endpoint, and the events that it gets, verified by the library of Standard Webhooks. A test that
 * counts requests, not events, waits first until the creation of the world's agent has been read.
 */
export const listening = async ({
  events: asked = ['*'],
  countsRequests = true,
}: {
  events?: string[];
  countsRequests?: boolean;
} = {}) => {
  const world = await newWorld();
  const receiver = await newReceiver();
  if (countsRequests) await changesAreRead();
  const { endpointId, secret } = await newEndpoint(world, receiver.url, { events: [...asked, 'agent.created'] });
  // The event of the world's own agent may still arrive, since the agent was created a moment ago.
  const isBefore = ({ type, data }: SentEvent) => type === 'agent.created' && data.agentId === world.agentId;
  const events = async () => {
    const all = (await receiver.received()).map((request) => verified(secret, request));
    return all.filter((event) => !isBefore(event));
  };
  const isPending = async () => {
    const query = { uid: world.uid, endpointId, status: 'pending' };
    return (await world.call('GET', '/webhook-deliveries', { query })).body.deliveries.length > 0;
  };
  /** Waits until no attempt at a delivery is in progress or scheduled. */
  const deliveriesEnd = () => until(async () => !(await isPending()));
  return {
    ...world,
    receiver,
    endpointId,
    secret,
    events,
    deliveriesEnd,
    /** Waits for the next events of a type, and leaves the others. */
    async until(type: string, count = 1): Promise<SentEvent[]> {
      for (const deadline = Date.now() + 50_000; ; await sleep(200)) {
        const found = (await events()).filter((event) => event.type === type);
        if (found.length >= count) return found;
        if (Date.now() > deadline)
          throw new Error(`${found.length} events ${type}, of ${JSON.stringify(await events())}`);
      }
    },
    /** Returns every event so far, after the event of a last change has arrived and no earlier delivery is pending. */
    async all(): Promise<SentEvent[]> {
      const marker = await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Marker' } });
      const isOfMarker = ({ data }: SentEvent) => data.agentId === marker.body.agentId;
      await until(async () => (await events()).some(isOfMarker));
      await deliveriesEnd();
      return (await events()).filter((event) => !isOfMarker(event));
    },
  };
};

/** Blocks three hundred numbers for a world's agent, and expects events whose counts add up. Returns them and the numbers. */
export const blockManyNumbers = async ({ uid, agentId, block, events }: Awaited<ReturnType<typeof listening>>) => {
  const numbers = Array.from({ length: 300 }, (_, index) => `+1415${5_000_000 + index}`);
  const response = await block(numbers);
  const blocked: string[] = response.body.added;
  expect(blocked.length).toBeGreaterThan(100);
  const sumCounts = (found: SentEvent[]) => found.reduce((sum, { data }) => sum + data.added.count, 0);
  const found = await until(async () => {
    const sent = distinct((await events()).filter(({ type }) => type === 'block_list.updated'));
    return sumCounts(sent) >= blocked.length && sent;
  });
  expect(sumCounts(found)).toBe(blocked.length);
  for (const { data } of found) {
    const added = { count: data.added.numbers.length, numbers: expect.any(Array) };
    const requestId = response.headers.get('x-request-id');
    expect(data).toEqual({ uid, agentId, requestId, scope: 'agent', added, removed: { count: 0, numbers: [] } });
  }
  expect(found.flatMap(({ data }) => data.added.numbers).sort()).toEqual(blocked.toSorted());
  return { events: found, numbers };
};

/** The ids of the events of a block list. */
export const listEvents = async (list: BlockListOwner) => {
  const { pk, prefix } = webhookEventCollection(list);
  const items = await Array.fromAsync(table.get().query({ pk, prefix }));
  return items.filter((item) => 'counted' in item).map(({ sk }) => sk.slice(prefix.length));
};

/** Each event once, by its id. */
export const distinct = (events: SentEvent[]) => [...new Map(events.map((event) => [event.id, event])).values()];
