import { changeLog } from '../changes/change-log.ts';
import { bulkSender, queueSender } from '../clients/job-queue.ts';
import { chunks } from '../domain/chunks.ts';
import type { JobMessage } from '../domain/job-messages.ts';
import { wantsEvent } from '../domain/webhooks.ts';
import type { ServicesOf } from '../service.ts';
import { type AgentUsers, credentials } from '../store/credentials.ts';
import type { BlockListOwner, EventSubject } from '../store/keys.ts';
import type { DomainEvent } from './domain-event.ts';
import type { StoredEndpoint } from './endpoint-state.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';
import { webhookEvents } from './webhook-events.ts';

/** The services of a function that publishes events. */
export const publishServices = {
  changeLog: changeLog.for('writeAll', 'addAll', 'withPrefix'),
  credentials: credentials.for('findUsers'),
  webhookEndpoints: webhookEndpoints.for('listMany'),
  webhookEvents: webhookEvents.for('addAll', 'scrub', 'scrubNumber'),
  eventQueue: bulkSender('createDeliveries'),
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

/** Keeps the data of events, and queues their deliveries. Returns the events that were not kept in time. Repeating is safe. */
export const publishAll = async <E extends OutgoingEvent>(
  events: E[],
  until: number,
  { webhookEvents, eventQueue }: PublishServices,
): Promise<Set<E>> => {
  const sources = findSources(events);
  const kept = events.filter((event) => hasDetails(event) && sources.get(event) === event.eventId);
  const unkept = new Set((await webhookEvents.addAll(kept, until)).map(({ eventId }) => eventId));
  const left = new Set(events.filter((event) => unkept.has(sources.get(event) as string)));
  const queued = events.filter((event) => !left.has(event)).map((event) => toQueuedEvents(event, sources.get(event)));
  await eventQueue.sendMany(toMessages(queued.flat()));
  return left;
};

/** Returns the event whose data each event has: the first of those with the same data, such as all of one change. */
const findSources = <E extends DomainEvent>(events: E[]): Map<E, string> => {
  const first = new Map<string, string>();
  const sources = events.map((event) => {
    const { eventId, subject, details, numbers } = event;
    if (numbers) return [event, eventId] as const;
    const data = JSON.stringify([subject, details]);
    const source = first.get(data) ?? eventId;
    first.set(data, source);
    return [event, source] as const;
  });
  return new Map(sources);
};

/** The number of deliveries that a message makes at once. Ten such messages are sent together. */
const deliveriesPerMessage = 50;
/** Keeps a message under the size at which SQS charges it twice. */
const eventsPerMessage = 20;

type QueuedEvent = JobMessage<'createDeliveries'>['events'][number];
type UserEvent = { uid: string; requestId?: string; event: QueuedEvent };

/** Returns an event once for each of its users, with the endpoints of the user. */
const toQueuedEvents = (
  { eventId, type, timestamp, subject, ids, requestId, endpoints }: OutgoingEvent,
  source: string | undefined,
): UserEvent[] =>
  [...Map.groupBy(endpoints, ({ uid }) => uid)].map(([uid, some]) => {
    const endpointIds = some.map(({ endpoint }) => endpoint.endpointId);
    const sourceId = source === eventId ? undefined : source;
    return { uid, requestId, event: { eventId, type, timestamp, subject, ids, sourceId, endpointIds } };
  });

/** Returns messages with the events of each user and request. */
const toMessages = (events: UserEvent[]): JobMessage<'createDeliveries'>[] => {
  const groups = Map.groupBy(events, ({ uid, requestId }) => JSON.stringify([uid, requestId]));
  return [...groups.values()].flatMap((group) => {
    const mostEndpoints = Math.max(...group.map(({ event }) => event.endpointIds.length));
    const size = Math.min(eventsPerMessage, Math.ceil(deliveriesPerMessage / mostEndpoints));
    return chunks(group, size).map((some) => {
      const [{ uid, requestId }] = some as [UserEvent];
      return { job: 'createDeliveries', uid, requestId, events: some.map(({ event }) => event) };
    });
  });
};
