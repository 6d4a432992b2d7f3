import pMap from 'p-map';
import { bulkSender } from '../clients/job-queue.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { type EventType, wantsEvent } from '../domain/webhooks.ts';
import type { ServicesOf } from '../service.ts';
import { credentials } from '../store/credentials.ts';
import type { EventSubject } from '../store/keys.ts';
import type { DomainEvent, ListEvent } from './changes.ts';
import { type StoredDelivery, webhookDeliveries } from './webhook-deliveries.ts';
import { type StoredEndpoint, webhookEndpoints } from './webhook-endpoints.ts';
import { webhookEvents } from './webhook-events.ts';

/** The services of a function that publishes events. */
export const publishServices = {
  credentials: credentials.for('findUsers'),
  webhookEndpoints: webhookEndpoints.for('listMany'),
  webhookDeliveries: webhookDeliveries.for('addAll', 'offer'),
  webhookEvents: webhookEvents.for('addAll', 'addNumbers', 'scrub', 'scrubNumber'),
  deliveryQueue: bulkSender('deliverWebhook'),
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

  /** Loads the users of subjects, and the endpoints of these and of other users, in two round trips. */
  static async load(
    subjects: EventSubject[],
    uids: string[],
    { credentials, webhookEndpoints }: Pick<PublishServices, 'credentials' | 'webhookEndpoints'>,
  ): Promise<Subscribers> {
    const agentIds = subjects.flatMap((subject) => ('agentId' in subject ? [subject.agentId] : []));
    const agents = await credentials.findUsers(agentIds);
    const users = subjects.flatMap((subject) => ('uid' in subject ? [subject.uid] : []));
    const all = new Set([...users, ...uids, ...[...agents.values()].flat()]);
    return new Subscribers(agents, await webhookEndpoints.listMany([...all]));
  }

  /** Returns the owner of an event's subject; undefined when the agent no longer exists. */
  subjectOwner(subject: EventSubject): string | undefined {
    return 'uid' in subject ? subject.uid : this.#agents.get(subject.agentId)?.[0];
  }

  /** Returns the endpoints that subscribe to an event, each with its user. */
  subscribedEndpoints(
    type: EventType,
    subject: EventSubject,
    recipients: string[] = [],
  ): { uid: string; endpoint: StoredEndpoint }[] {
    const users = 'uid' in subject ? [subject.uid] : (this.#agents.get(subject.agentId) ?? []);
    return [...new Set([...users, ...recipients])].flatMap((uid) =>
      (this.#endpoints.get(uid) ?? [])
        .filter((endpoint) => endpoint.active && wantsEvent(endpoint, type) && isAbout(subject, endpoint.agentIds))
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
  const endpoints = subscribers.subscribedEndpoints(event.type, event.subject, event.recipients);
  const uid = event.ids.uid ?? subscribers.subjectOwner(event.subject);
  if (endpoints.length === 0 || uid === undefined) return undefined;
  return {
    ...event,
    ids: { uid, ...event.ids },
    endpoints,
    keepsDetails: keepsDetails && Object.keys(event.details).length > 0,
  };
};

/**
 * Writes a delivery for each endpoint of events, and queues it, until a time (Unix milliseconds). Returns the events
 * that were not written completely. Repeating it is safe: existing deliveries stay as they are. Those without an attempt
 * are queued again, in case their message was lost.
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
  const deliveries = events.filter((event) => !withoutDetails.has(event)).flatMap(planDeliveries);
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
      job: 'deliverWebhook',
      uid,
      endpointId,
      deliveryId,
      sequence: 0,
      requestId,
    })),
  );
  return new Set([...withoutDetails, ...unwritten.map(({ event }) => event)]);
};

const offersInFlight = 8;

const planDeliveries = (event: OutgoingEvent) =>
  event.endpoints.map(({ uid, endpoint: { endpointId, listeningUntil } }) => {
    const { eventId, type, subject, ids, timestamp, requestId } = event;
    const deliveryId = derivedIdentifier('delivery', [eventId, endpointId], Date.parse(timestamp));
    const delivery: StoredDelivery = {
      deliveryId,
      endpointId,
      eventId,
      type,
      createdAt: timestamp,
      timestamp,
      ids,
      subject,
      requestId,
      status: 'pending',
      attempts: [],
      sequence: 0,
      failures: 0,
    };
    return { event, uid, delivery, isFetched: listeningUntil !== undefined };
  });

/**
 * Sends the event of numbers that were added to a block list or removed from it. Its numbers are sets, so that sending it again, also
 * with other numbers of it, changes nothing.
 */
export const publishListEvent = async (
  { eventId, timestamp, requestId, list, ...numbers }: ListEvent,
  subscribers: Subscribers,
  services: PublishServices,
  until: number,
): Promise<void> => {
  const type = 'block_list.updated';
  const ids = { scope: 'agentId' in list ? 'agent' : 'user', ...list, ...(requestId && { requestId }) };
  const event = outgoing({ eventId, type, timestamp, requestId, subject: list, ids, details: {} }, subscribers, false);
  if (!event) return;
  await services.webhookEvents.addNumbers(list, eventId, numbers);
  const unpublished = await publishAll([event], until, services);
  if (unpublished.size > 0) throw new Error('An event of a block list could not be written.');
};
