import * as z from 'zod/mini';
import { StoredIdentifier } from './identifiers.ts';
import type { EventType } from './webhooks.ts';

/** The user that the work is for: the owner of the agent. A queue is shared fairly among users. */
const ofUser = { uid: StoredIdentifier };

/** The position up to which the responses kept for users have been searched. A key in it is hashed. */
const KeptPosition = z.object({
  uid: StoredIdentifier,
  shard: z.number(),
  after: z.optional(z.string()),
  isUnderWay: z.boolean(),
});
export type KeptPosition = z.infer<typeof KeptPosition>;

/** An event without its data, and the endpoints of one user that subscribed to it when it happened. */
const QueuedEvent = z.object({
  eventId: z.string(),
  type: z.custom<EventType>((type) => typeof type === 'string'),
  timestamp: z.string(),
  subject: z.union([
    z.object({ agentId: z.string(), callId: z.optional(z.string()) }),
    z.object({ uid: StoredIdentifier }),
  ]),
  ids: z.record(z.string(), z.string()),
  /** The event whose data it has, if another one. */
  sourceId: z.optional(z.string()),
  endpointIds: z.array(StoredIdentifier),
});

/** The message of each job, by the job's name. A message is delivered at least once, possibly late. */
export const jobMessages = {
  finishDuplication: z.object({ job: z.literal('finishDuplication'), ...ofUser, agentId: StoredIdentifier }),
  finishDeletion: z.object({
    job: z.literal('finishDeletion'),
    ...ofUser,
    agentId: StoredIdentifier,
    /** The state of a run that began at `startedAt` (Unix milliseconds) and has deleted everything except kept responses. */
    progress: z.optional(z.object({ startedAt: z.number(), position: KeptPosition })),
  }),
  finishUserDeletion: z.object({
    job: z.literal('finishUserDeletion'),
    ...ofUser,
    /** The message begins the work again if no run has begun for a while, and is repeated until the deletion is over. */
    isRescue: z.optional(z.boolean()),
  }),
  /** The message does not hold the person's number, because a message outlives its job. */
  erasePerson: z.object({
    job: z.literal('erasePerson'),
    uid: StoredIdentifier,
    erasureId: StoredIdentifier,
    /** The state of an erasure that had erased everything except kept responses by `erasedAt` (Unix milliseconds). */
    progress: z.optional(
      z.object({ erasedAt: z.number(), copiesBegun: z.number(), position: z.optional(KeptPosition) }),
    ),
  }),
  /** Sent on a schedule. The work continues at a segment of the table. A key of the table could contain a person's number. */
  expireCalls: z.object({
    job: z.literal('expireCalls'),
    uid: z.optional(StoredIdentifier),
    segment: z.optional(z.number()),
  }),
  countCalls: z.object({
    job: z.literal('countCalls'),
    ...ofUser,
    agentId: StoredIdentifier,
    /** A day in UTC. */
    day: z.string(),
    /** The message has waited the additional delay of its day. */
    hasWaited: z.optional(z.literal(true)),
  }),
  writeLake: z.object({
    job: z.literal('writeLake'),
    ...ofUser,
    agentId: StoredIdentifier,
    /** A day in UTC, or a month. */
    day: z.string(),
    /** The file is written then (Unix milliseconds). */
    dueAt: z.number(),
  }),
  checkBudget: z.object({
    job: z.literal('checkBudget'),
    ...ofUser,
    /** How often the check has waited for counts. */
    waits: z.optional(z.number()),
  }),
  crawlWebsite: z.object({
    job: z.literal('crawlWebsite'),
    ...ofUser,
    agentId: StoredIdentifier,
    websiteId: StoredIdentifier,
    attempt: StoredIdentifier,
    /** The crawl is due since then (Unix milliseconds). Absent when it was requested. */
    dueAt: z.optional(z.number()),
  }),
  /** Sent on a schedule. */
  refreshWebsites: z.object({ job: z.literal('refreshWebsites'), uid: z.optional(StoredIdentifier) }),
  /** Sent on a schedule. */
  reconcileAgents: z.object({ job: z.literal('reconcileAgents'), uid: z.optional(StoredIdentifier) }),
  /** Sent on a schedule, after each deployment, and by an operator. */
  retryChanges: z.object({ job: z.literal('retryChanges'), uid: z.optional(StoredIdentifier) }),
  reconcileCalls: z.object({
    job: z.literal('reconcileCalls'),
    ...ofUser,
    agentId: StoredIdentifier,
    reconciliationId: StoredIdentifier,
    /** The clock starts it. An earlier pass compared the calls that ended before `comparedUntil` (Unix milliseconds). */
    hourly: z.optional(z.object({ to: z.string(), comparedUntil: z.optional(z.number()) })),
  }),
  exportCalls: z.object({
    job: z.literal('exportCalls'),
    ...ofUser,
    exportId: StoredIdentifier,
    /** The message begins the export if its first message was not sent. */
    isRescue: z.optional(z.literal(true)),
  }),
  /** The message does not hold the person's number, because a message outlives its job. */
  exportPerson: z.object({
    job: z.literal('exportPerson'),
    ...ofUser,
    exportId: StoredIdentifier,
    /** The message begins the export if its first message was not sent. */
    isRescue: z.optional(z.literal(true)),
  }),
  indexKnowledge: z.object({ job: z.literal('indexKnowledge'), ...ofUser, agentId: StoredIdentifier }),
  createDeliveries: z.object({
    job: z.literal('createDeliveries'),
    uid: StoredIdentifier,
    events: z.array(QueuedEvent),
  }),
  deliverWebhook: z.object({
    job: z.literal('deliverWebhook'),
    uid: StoredIdentifier,
    endpointId: StoredIdentifier,
    deliveryId: StoredIdentifier,
    /** The number of the attempt. A message of an earlier attempt is late, and changes nothing. */
    sequence: z.number(),
    /** A user requested the delivery, so it is attempted even while its endpoint fails. */
    isRequested: z.optional(z.boolean()),
    /** Unix milliseconds. No attempt is made before this time. */
    dueAt: z.optional(z.number()),
  }),
  resumeDeliveries: z.object({
    job: z.literal('resumeDeliveries'),
    uid: StoredIdentifier,
    endpointId: StoredIdentifier,
  }),
  importBlockList: z.object({
    job: z.literal('importBlockList'),
    uid: StoredIdentifier,
    importId: StoredIdentifier,
    /** A run has ended before the file did, and this message continues it. */
    continues: z.optional(z.literal(true)),
  }),
  extractDocument: z.object({
    job: z.literal('extractDocument'),
    ...ofUser,
    agentId: StoredIdentifier,
    documentId: StoredIdentifier,
    /** The name of a retry. Absent when the file has arrived: that attempt is named after the file (see `extractDocument`). */
    attempt: z.optional(z.string()),
  }),
};

export type JobName = keyof typeof jobMessages;

export type ErasureProgress = NonNullable<z.infer<(typeof jobMessages)['erasePerson']>['progress']>;

/** The id of the request that caused a message, however many jobs earlier. It is beside the fields of the message's job. */
export const MessageCause = z.object({ requestId: z.optional(z.string()) });

/** A message of one of these jobs, as it is sent. */
export type JobMessage<Name extends JobName = JobName> = { [N in Name]: z.infer<(typeof jobMessages)[N]> }[Name] &
  z.infer<typeof MessageCause> & { uid: string };

/** The group that a queue is shared fairly among. A slow receiver of webhooks does not delay the user's other receivers. */
export const messageGroup = (message: { uid?: string; endpointId?: string }) => message.endpointId ?? message.uid;
