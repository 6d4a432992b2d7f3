import pMap from 'p-map';
import { bulkQueueFor, jobQueueFor } from '../clients/job-queue.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { asksFor, type EventType } from '../domain/webhooks.ts';
import type { ServicesOf } from '../service.ts';
import { credentials } from '../store/credentials.ts';
import type { BlockListOwner, EventSubject } from '../store/keys.ts';
import { statementsPerBatch } from '../store/statements.ts';
import type { DomainEvent } from './changes.ts';
import { type StoredDelivery, webhookDeliveries } from './webhook-deliveries.ts';
import { type StoredEndpoint, webhookEndpoints } from './webhook-endpoints.ts';
import { type CollectedNumbers, maxNumbersInItem, webhookEvents } from './webhook-events.ts';

/**
 * The time to wait for more numbers of a request after the last one arrived. It is longer for a request of several batches,
 * since a batch may be retried. Numbers that arrive later go into a second event.
 */
const quietSecondsFor = (size: number | undefined) => (size !== undefined && size > statementsPerBatch ? 10 : 2);

/** The services of a function that publishes events. */
export const publishServices = {
  credentials: credentials.for('usersOf'),
  webhookEndpoints: webhookEndpoints.for('listMany'),
  webhookDeliveries: webhookDeliveries.for('addAll', 'offer'),
  webhookEvents: webhookEvents.for('addAll', 'collect', 'close', 'scrub', 'scrubNumber'),
  jobQueue: jobQueueFor('closeBlockListEvent'),
  deliveryQueue: bulkQueueFor('deliverWebhook'),
};
export type PublishServices = ServicesOf<typeof publishServices>;

/** The users of agents, and the endpoints of users. */
export class Subscribers {
  readonly #agents: Map<string, string[]>;
  readonly #endpoints: Map<string, StoredEndpoint[]>;

  private constructor(agents: Map<string, string[]>, endpoints: Map<string, StoredEndpoint[]>) {
    this.#agents = agents;
    this.#endpoints = endpoints;
  }

  /** Loads the users of subjects, and the endpoints of these and of other users: two round trips for any number of them. */
  static async load(
    subjects: EventSubject[],
    uids: string[],
    { credentials, webhookEndpoints }: Pick<PublishServices, 'credentials' | 'webhookEndpoints'>,
  ): Promise<Subscribers> {
    const agentIds = subjects.flatMap((subject) => ('agentId' in subject ? [subject.agentId] : []));
    const agents = await credentials.usersOf(agentIds);
    const users = subjects.flatMap((subject) => ('uid' in subject ? [subject.uid] : []));
    const all = new Set([...users, ...uids, ...[...agents.values()].flat()]);
    return new Subscribers(agents, await webhookEndpoints.listMany([...all]));
  }

  /** Returns the owner of an event's subject; undefined when the agent no longer exists. */
  ownerOf(subject: EventSubject): string | undefined {
    return 'uid' in subject ? subject.uid : this.#agents.get(subject.agentId)?.[0];
  }

  /** Returns the endpoints that subscribe to an event, each with its user. */
  endpointsFor(
    type: EventType,
    subject: EventSubject,
    recipients: string[] = [],
  ): { uid: string; endpoint: StoredEndpoint }[] {
    const users = 'uid' in subject ? [subject.uid] : (this.#agents.get(subject.agentId) ?? []);
    return [...new Set([...users, ...recipients])].flatMap((uid) =>
      (this.#endpoints.get(uid) ?? [])
        .filter((endpoint) => endpoint.active && asksFor(endpoint, type) && isAbout(subject, endpoint.agentIds))
        .map((endpoint) => ({ uid, endpoint })),
    );
  }
}

const isAbout = (subject: EventSubject, agentIds: string[] | undefined) =>
  !agentIds || ('agentId' in subject && agentIds.includes(subject.agentId));

/** An event with the endpoints that subscribe to it, and whether its details are kept. */
type OutgoingEvent = DomainEvent & { endpoints: { uid: string; endpoint: StoredEndpoint }[]; keepsDetails: boolean };

/** Returns an event as it is sent; undefined when no endpoint subscribes to it. */
export const outgoing = (
  event: DomainEvent,
  subscribers: Subscribers,
  keepsDetails: boolean,
): OutgoingEvent | undefined => {
  const endpoints = subscribers.endpointsFor(event.type, event.subject, event.recipients);
  const uid = event.ids.uid ?? subscribers.ownerOf(event.subject);
  if (endpoints.length === 0 || uid === undefined) return undefined;
  return {
    ...event,
    ids: { uid, ...event.ids },
    endpoints,
    keepsDetails: keepsDetails && Object.keys(event.details).length > 0,
  };
};

/**
 * Writes a delivery for each endpoint of events, and queues it, until a time (Unix milliseconds). Returns the events that were
 * not written completely. Repeating it is safe: existing deliveries stay as they are, and those without an attempt are queued
 * again, in case their message was never sent.
 */
export const publishAll = async (
  events: OutgoingEvent[],
  until: number,
  { webhookEvents, webhookDeliveries, deliveryQueue }: PublishServices,
): Promise<Set<OutgoingEvent>> => {
  const withoutDetails = new Set(
    await webhookEvents.addAll(
      events.filter(({ keepsDetails }) => keepsDetails),
      until,
    ),
  );
  const deliveries = events.filter((event) => !withoutDetails.has(event)).flatMap(deliveriesOf);
  await pMap(
    deliveries.filter(({ isFetched }) => isFetched),
    ({ uid, delivery }) => webhookDeliveries.offer(uid, delivery),
    { concurrency: offersInFlight },
  );
  const { waiting, unwritten } = await webhookDeliveries.addAll(
    deliveries.filter(({ isFetched }) => !isFetched),
    until,
  );
  await deliveryQueue.sendMany(
    waiting.map(({ uid, delivery: { deliveryId, endpointId, requestId } }) => ({
      ...{ job: 'deliverWebhook', uid, endpointId, deliveryId, sequence: 0, requestId },
    })),
  );
  return new Set([...withoutDetails, ...unwritten.map(({ event }) => event)]);
};

const offersInFlight = 8;

const deliveriesOf = (event: OutgoingEvent) =>
  event.endpoints.map(({ uid, endpoint: { endpointId, listeningUntil } }) => {
    const { eventId, type, subject, ids, timestamp, requestId } = event;
    const deliveryId = derivedIdentifier('delivery', [eventId, endpointId], Date.parse(timestamp));
    const delivery: StoredDelivery = {
      ...{ deliveryId, endpointId, eventId, type, createdAt: timestamp, timestamp, ids, subject, requestId },
      ...{ status: 'pending', attempts: [], sequence: 0, failures: 0 },
    };
    return { event, uid, delivery, isFetched: listeningUntil !== undefined };
  });

/** The numbers that one request or import has added to a list or removed from it, of those that were read together. */
export type ListChange = {
  list: BlockListOwner;
  by: string;
  size?: number | undefined;
  added: string[];
  removed: string[];
  /** The position of the first number in the stream, which is the same when they are read again. */
  first: string;
  /** The time of the change. */
  timestamp: string;
  requestId?: string | undefined;
  /** The counts of an import that has ended. */
  counted?: { added: number; removed: number } | undefined;
};

/**
 * Collects the numbers of a request into one event. The event is sent when it has all numbers of the request, or when no more
 * arrive. Later numbers make another event, so that each number is in exactly one.
 */
export const collectNumbers = async (
  change: ListChange,
  subscribers: Subscribers,
  services: PublishServices,
): Promise<void> => {
  const { list, by, size, first, timestamp, requestId, counted } = change;
  if (subscribers.endpointsFor('block_list.updated', list).length === 0) return;
  const uid = subscribers.ownerOf(list);
  if (uid === undefined) return;
  const isImport = size === undefined && by.startsWith('import_');
  let { added, removed } = change;
  if (isImport)
    [added, removed] = [added, removed].map((all) => all.slice(0, limits.webhookNumbers)) as [string[], string[]];
  for (let part = 1; ; part++) {
    const eventId = derivedIdentifier('event', ['block list', JSON.stringify(list), by, String(part)]);
    const options = { ...(counted && { counted }), ...(isImport && !counted && { max: limits.webhookNumbers }) };
    const opening = { timestamp, openedBy: first, size };
    const collected = await services.webhookEvents.collect(list, eventId, { added, removed }, opening, options);
    // The event was deleted with its list.
    if (!collected) return;
    if (!collected.isClosed) {
      const isComplete = size !== undefined && collected.added.size + collected.removed.size >= size;
      if (isComplete) return closeListEvent({ list, eventId, uid, requestId }, subscribers, services);
      // An import reports its own end.
      if (isImport && !counted) return;
      // One message waits for the remaining numbers, however many batches they take.
      if (!counted && collected.openedBy !== first) return;
      const waiting = { list, eventId, uid, requestId, token: first, quietSeconds: quietSecondsFor(size) };
      // For a large request, only the message can determine that all numbers have arrived.
      return waitForMore(waiting, services, size !== undefined && size > maxNumbersInItem ? 2 : undefined);
    }
    // The batch that closed the event may have failed before sending it.
    if (collected.closedBy === 'reader')
      await publishNumbers({ list, eventId, uid, requestId }, collected, subscribers, services);
    added = added.filter((number) => !collected.added.has(number));
    removed = removed.filter((number) => !collected.removed.has(number));
    if (isImport || added.length + removed.length === 0) return;
  }
};

type ListEvent = { list: BlockListOwner; eventId: string; uid: string; requestId?: string | undefined };
/** `token` identifies the message that closes an event. Only that message sends the event, including when it is delivered again. */
type WaitingEvent = ListEvent & { token: string; quietSeconds: number };

const waitForMore = (
  { list, quietSeconds, ...event }: WaitingEvent,
  { jobQueue }: Pick<PublishServices, 'jobQueue'>,
  delaySeconds = quietSeconds,
) => jobQueue.send({ job: 'closeBlockListEvent', ...event, quietSeconds, ...list }, delaySeconds);

const closeListEvent = async (event: ListEvent, subscribers: Subscribers, services: PublishServices): Promise<void> => {
  const closed = await services.webhookEvents.close(event.list, event.eventId, 'reader');
  if (closed && closed !== 'open') await publishNumbers(event, closed, subscribers, services);
};

/** Closes the event of a request whose numbers may not all arrive, and sends it. Waits until no number has arrived for a while. */
export const closeWhenQuiet = async (event: WaitingEvent, services: PublishServices): Promise<void> => {
  const { list, eventId, token, quietSeconds } = event;
  const closed = await services.webhookEvents.close(list, eventId, token, (quietSeconds - 1) * 1000);
  if (!closed) return;
  if (closed === 'open') return waitForMore(event, services);
  if (closed.closedBy !== token) return;
  await publishNumbers(event, closed, await Subscribers.load([list], [], services), services);
};

const publishNumbers = async (
  { list, eventId, uid, requestId }: ListEvent,
  { timestamp }: CollectedNumbers,
  subscribers: Subscribers,
  services: PublishServices,
): Promise<void> => {
  const type = 'block_list.updated';
  const ids = { uid, scope: 'agentId' in list ? 'agent' : 'user', ...list };
  const event = outgoing({ eventId, type, timestamp, requestId, subject: list, ids, details: {} }, subscribers, false);
  if (!event) return;
  const unpublished = await publishAll([event], Date.now() + publishSeconds * 1000, services);
  if (unpublished.size > 0) throw new Error('An event of a block list could not be written.');
};

/** The time within which the event of a block list is written. Otherwise its message or its changes are delivered again. */
const publishSeconds = 10;
