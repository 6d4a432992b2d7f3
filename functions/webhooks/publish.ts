import pMap from 'p-map';
import { changeLog } from '../changes/change-log.ts';
import { bulkSender, queueSender } from '../clients/job-queue.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { wantsEvent } from '../domain/webhooks.ts';
import type { ServicesOf } from '../service.ts';
import { type AgentUsers, credentials } from '../store/credentials.ts';
import type { BlockListOwner, EventSubject } from '../store/keys.ts';
import type { DomainEvent } from './domain-event.ts';
import type { StoredEndpoint } from './endpoint-state.ts';
import { type StoredDelivery, webhookDeliveries } from './webhook-deliveries.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';
import { webhookEvents } from './webhook-events.ts';

/** The services of a function that publishes events. */
export const publishServices = {
  changeLog: changeLog.for('writeAll', 'addAll', 'withPrefix'),
  credentials: credentials.for('findUsers'),
  webhookEndpoints: webhookEndpoints.for('listMany'),
  webhookDeliveries: webhookDeliveries.for('addAll', 'offer'),
  webhookEvents: webhookEvents.for('addAll', 'scrub', 'scrubNumber'),
  deliveryQueue: bulkSender('deliverWebhook'),
  jobQueue: queueSender('resumeDeliveries'),
};
export type PublishServices = ServicesOf<typeof publishServices>;

/** An event with the endpoints that subscribe to it. */
type OutgoingEvent = DomainEvent & { endpoints: { uid: string; endpoint: StoredEndpoint }[] };

/** The users of agents, and the endpoints of users. */
export class Subscribers {
  readonly #agents: Map<string, AgentUsers>;
  #endpoints = new Map<string, StoredEndpoint[]>();
  #owners = new Set<string>();

  private constructor(agents: Map<string, AgentUsers>) {
    this.#agents = agents;
  }

  /** Loads the owners of logged records and the subscribers, in two round trips. */
  static async load(
    { records, subjects, recipients }: { records: BlockListOwner[]; subjects: EventSubject[]; recipients: string[] },
    { credentials, webhookEndpoints }: Pick<PublishServices, 'credentials' | 'webhookEndpoints'>,
  ): Promise<Subscribers> {
    const agentIds = [...records, ...subjects].flatMap((one) => ('agentId' in one ? [one.agentId] : []));
    const found = new Subscribers(await credentials.findUsers(agentIds));
    const uids = new Set([...subjects.flatMap((subject) => found.#findUsers(subject)), ...recipients]);
    const owners = new Set(records.flatMap((record) => found.#findOwner(record) ?? []));
    const { endpoints, existing } = await webhookEndpoints.listMany([...uids], [...owners]);
    found.#endpoints = endpoints;
    found.#owners = existing;
    return found;
  }

  /** Returns the owner of a logged record, unless the user is being deleted. */
  recordOwner(record: BlockListOwner): string | undefined {
    const owner = this.#findOwner(record);
    return owner !== undefined && this.#owners.has(owner) ? owner : undefined;
  }

  /** Returns the owner of a subject; undefined when the agent is gone. */
  subjectOwner(subject: EventSubject): string | undefined {
    return this.#findUsers(subject)[0];
  }

  /** Returns an event with its endpoints, or why no endpoint wants it. */
  address<E extends DomainEvent>(event: E): (E & OutgoingEvent) | UnwantedCause {
    const { subject, recipients = [] } = event;
    const found = [...new Set([...this.#findUsers(subject), ...recipients])].flatMap((uid) =>
      (this.#endpoints.get(uid) ?? []).map((endpoint) => ({ uid, endpoint, cause: refuse(endpoint, event) })),
    );
    const endpoints = found.filter(({ cause }) => cause === undefined).map(({ uid, endpoint }) => ({ uid, endpoint }));
    const uid = event.ids.uid ?? this.subjectOwner(subject);
    if (endpoints.length > 0 && uid !== undefined) return { ...event, ids: { uid, ...event.ids }, endpoints };
    return unwantedCauses.find((name) => found.some(({ cause }) => cause === name)) ?? 'noEndpoint';
  }

  #findUsers(subject: EventSubject): string[] {
    return 'uid' in subject ? [subject.uid] : (this.#agents.get(subject.agentId)?.users ?? []);
  }

  #findOwner(record: BlockListOwner): string | undefined {
    return 'uid' in record ? record.uid : this.#agents.get(record.agentId)?.owner;
  }
}

/** Why no endpoint wants an event, from the nearest to the farthest. */
const unwantedCauses = ['inactive', 'otherAgent', 'otherType', 'noEndpoint'] as const;
export type UnwantedCause = (typeof unwantedCauses)[number];

/** Returns why an endpoint does not get an event; undefined if it does. */
const refuse = (endpoint: StoredEndpoint, { type, subject }: DomainEvent): UnwantedCause | undefined => {
  if (!wantsEvent(endpoint, type)) return 'otherType';
  if (!isAbout(subject, endpoint.agentIds)) return 'otherAgent';
  return endpoint.active ? undefined : 'inactive';
};

const isAbout = (subject: EventSubject, agentIds: string[] | undefined) =>
  !agentIds || ('agentId' in subject && agentIds.includes(subject.agentId));

const hasDetails = ({ details, numbers }: DomainEvent) => numbers !== undefined || Object.keys(details).length > 0;

/** Writes and queues a delivery for each endpoint of events. Returns those not written in time. Repeating is safe. */
export const publishAll = async <E extends OutgoingEvent>(
  events: E[],
  until: number,
  { webhookEvents, webhookDeliveries, deliveryQueue }: PublishServices,
): Promise<Set<E>> => {
  const withoutDetails = new Set(await webhookEvents.addAll(events.filter(hasDetails), until));
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

const planDeliveries = <E extends OutgoingEvent>(event: E) =>
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
