import type { Call } from '../domain/calls.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { jsonBytes, withoutUndefined } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { toRequestId } from '../domain/trace.ts';
import type { EventType } from '../domain/webhooks.ts';
import { type BlockListOwner, type EventSubject, importKey } from '../store/keys.ts';
import type { TableChange } from '../store/table-changes.ts';
import type { DomainEvent, EventNumbers } from '../webhooks/domain-event.ts';
import { pickFacts } from './decode-call.ts';
import { type ChangeTable, type DomainChange, type DomainChangeOf, ignoreKinds, lookUp } from './domain-change.ts';

/** What webhooks do about a change. */
export type Effects = {
  /** Events of requests on block lists follow the log of changes instead: see `buildListEvent`. */
  events?: DomainEvent[];
  /** A subject that was deleted, or lost personal data: its earlier events lose their details. */
  scrubbed?: EventSubject;
  /** The number that was erased from a list, and from the list's events. */
  erased?: { list: BlockListOwner; number: string };
  /** The endpoints of a user whose suspension has ended. Their deliveries are resumed. */
  resumed?: { uid: string; endpointId: string }[];
};

/** Returns what webhooks do about a change, which depends on it alone. */
export const toEffects = (what: DomainChange, change: TableChange): Effects => lookUp(effects, what, change);

type NewEvent = Omit<DomainEvent, 'eventId' | 'timestamp' | 'requestId'> & { timestamp?: string };

/** Returns the event of a change. `discriminator` distinguishes several events of one type. */
const buildEvent = (
  { key: { pk, sk }, sequenceNumber, at, requestId }: TableChange,
  { details, timestamp = new Date(at).toISOString(), ...event }: NewEvent,
  discriminator = '',
): DomainEvent => ({
  ...event,
  requestId,
  eventId: derivedIdentifier('event', [pk, sk, sequenceNumber, event.type, discriminator]),
  timestamp,
  details: withoutUndefined(details),
});

type AgentChange = DomainChangeOf<'agentCreated' | 'agentUpdated' | 'agentTrafficUpdated'>;
const aboutAgent = ({ agent: { uid, agentId } }: AgentChange) => {
  return { subject: { agentId }, ids: { uid, agentId }, recipients: [uid] };
};

const detailsOfAgent = ({ agent }: AgentChange) => {
  const { name, phoneNumber, key, version, createdAt, updatedAt, sourceAgentId } = agent;
  return { name, phoneNumber, key, version, createdAt, updatedAt, sourceAgentId };
};

type CallChange = Extract<DomainChange, { call: Call }>;
const ofCall = (type: EventType, what: CallChange, change: TableChange, outcome: object = {}): DomainEvent => {
  const details = { ...detailsOfCall(what.call), ...outcome };
  const timestamp = type === 'call.outcome_updated' ? what.call.outcomeUpdatedAt : undefined;
  return buildEvent(change, { type, ...aboutCall(what), details, timestamp });
};

const aboutCall = ({ agentId, callId }: { agentId: string; callId: string }) => ({
  subject: { agentId, callId },
  ids: { call_id: callId, agent_id: agentId },
});

const detailsOfCall = (call: Call): Record<string, unknown> => {
  const { custom_call_outcome, custom_call_outcome_value, custom_call_metadata } = call;
  const isTruncated =
    custom_call_metadata !== undefined && jsonBytes(custom_call_metadata) > limits.webhookMetadataBytes;
  return {
    ...pickFacts(call),
    custom_call_outcome,
    custom_call_outcome_value,
    ...(isTruncated ? { truncated: true } : { custom_call_metadata }),
  };
};

const shortHeldOutcome = (heldOutcome: NonNullable<Call['heldOutcome']>) => {
  const { custom_call_metadata, ...others } = heldOutcome;
  const isTruncated = jsonBytes(custom_call_metadata) > limits.webhookMetadataBytes / 2;
  return isTruncated ? { heldOutcome: others, truncated: true } : { heldOutcome };
};

const ofSource = (
  verb: 'ready' | 'failed' | 'deleted',
  { source: { type, agentId, id }, record }: DomainChangeOf<'sourceReady' | 'sourceFailed' | 'sourceDeleted'>,
  change: TableChange,
): Effects => {
  const { name, url, pages, size, error, warnings, lastUpdatedAt } = record;
  // A failed source keeps its former text and the warnings about it.
  const found = { pages, type: record.type, size, error, warnings: verb === 'ready' ? warnings : undefined };
  const isDeleted = verb === 'deleted';
  const event: NewEvent = {
    type: `${type}.${verb}`,
    subject: { agentId },
    ids: { agentId, [`${type}Id`]: id },
    details: isDeleted ? { name, url } : { name, url, ...found },
    timestamp: isDeleted ? undefined : lastUpdatedAt,
  };
  return { events: [buildEvent(change, event)] };
};

const effects = {
  agentCreated: (what, change) => {
    const { updatedAt: timestamp } = what.agent;
    const event = { ...aboutAgent(what), details: detailsOfAgent(what), timestamp };
    return { events: [buildEvent(change, { type: 'agent.created', ...event })] };
  },
  agentUpdated: (what, change) => {
    const { lastChange: { keyId, note } = {}, updatedAt: timestamp } = what.agent;
    const details = { ...detailsOfAgent(what), changed: what.changed, keyId, note };
    return { events: [buildEvent(change, { type: 'agent.updated', ...aboutAgent(what), details, timestamp })] };
  },
  agentTrafficUpdated: (what, change) => {
    const { split = [], lastChange: { keyId } = {} } = what.agent;
    const event = { ...aboutAgent(what), details: { split, keyId } };
    return { events: [buildEvent(change, { type: 'agent.traffic_updated', ...event })] };
  },
  agentDeleted: ({ agentId, owner, guests }, change) => {
    const subject = { agentId };
    const event = { subject, ids: { uid: owner, agentId }, details: {}, recipients: [owner, ...guests] };
    return { events: [buildEvent(change, { type: 'agent.deleted', ...event })], scrubbed: subject };
  },
  sourceReady: (what, change) => ofSource('ready', what, change),
  sourceFailed: (what, change) => ofSource('failed', what, change),
  sourceDeleted: (what, change) => ofSource('deleted', what, change),
  callRecorded: (what, change) => {
    const { agentId, callId, before, call } = what;
    // An erasure of the former number no longer finds the call.
    const scrubbed = before && before.phone !== call.phone ? { agentId, callId } : undefined;
    return { events: [ofCall('call.recorded', what, change)], scrubbed };
  },
  callOutcomeUpdated: (what, change) => ({ events: [ofCall('call.outcome_updated', what, change)] }),
  callOutcomeHeld: (what, change) => {
    const outcome = shortHeldOutcome(what.heldOutcome);
    return { events: [ofCall('call.outcome_held', what, change, outcome)] };
  },
  callOutcomeRefused: (what, change) => {
    const { refusedOutcome } = what;
    return { events: [ofCall('call.outcome_refused', what, change, { refusedOutcome })] };
  },
  callDeleted: (what, change) => {
    const about = aboutCall(what);
    const event = { type: 'call.deleted' as const, ...about, details: {} };
    return { events: [buildEvent(change, event)], scrubbed: about.subject };
  },
  consentRecorded: ({ uid, consent }, change) => {
    const { consentId, number, purpose, state, at, recordedAt: timestamp } = consent;
    const event = { subject: { uid }, ids: { uid, consentId }, details: { number, purpose, state, at }, timestamp };
    return { events: [buildEvent(change, { type: 'consent.recorded', ...event })] };
  },
  numberErased: ({ list, number }) => ({ erased: { list, number } }),
  importFinished: ({ uid, importId, list, record }, { requestId }) => {
    const { finishedAt: timestamp, added, removed, addedNumbers, removedNumbers } = record;
    const numbers = { counts: { added, removed }, added: addedNumbers, removed: removedNumbers };
    const eventId = derivedIdentifier('event', [importKey(uid, importId).pk, importId]);
    return { events: [buildListEvent(list, numbers, { eventId, timestamp, requestId })] };
  },
  rulesUpdated: ({ list, version }, change) => {
    const scope = 'agentId' in list ? 'agent' : 'user';
    const ids = { scope, ...list };
    return {
      events: [buildEvent(change, { type: 'block_list.rules_updated', subject: list, ids, details: { version } })],
    };
  },
  endpointDisabled: ({ place: { uid, endpoint } }, change) => {
    const { endpointId, url, description, disabledAt, disabledReason } = endpoint;
    const details = { url, description, disabledAt, disabledReason };
    const about = { subject: { uid }, ids: { uid, endpointId }, details, timestamp: disabledAt };
    return { events: [buildEvent(change, { type: 'webhook_endpoint.disabled', ...about }, endpointId)] };
  },
  userBudgetReached: ({ kind: _, uid, creator, ...details }, change) => {
    const about = { subject: { uid }, ids: { uid }, details, recipients: creator === undefined ? [] : [creator] };
    const discriminator = `${details.period} ${details.share}`;
    return { events: [buildEvent(change, { type: 'user.budget_reached', ...about }, discriminator)] };
  },
  deliveriesResumed: ({ uid, endpointIds }) => ({ resumed: endpointIds.map((endpointId) => ({ uid, endpointId })) }),
  ...ignoreKinds({}, 'accessGranted', 'accessEnded', 'callDeletedByRequest', 'numberChanged', 'erasureRequested'),
  ...ignoreKinds({}, 'personExportRequested', 'transcriptDeleted'),
  ...ignoreKinds({}, 'sourceCreated', 'sourceUpdated', 'sourceRestarted', 'hookSecretSet', 'hookSecretDeleted'),
  ...ignoreKinds({}, 'platformKeySet', 'platformKeyDeleted'),
  ...ignoreKinds({}, 'endpointCreated', 'endpointUpdated', 'endpointDeleted', 'keyCreated', 'keyUpdated', 'keyRevoked'),
  ...ignoreKinds({}, 'userCreated', 'userUpdated', 'userSuspended', 'userResumed', 'userDeletionBegun'),
} satisfies ChangeTable<Effects>;

/** Returns the event of a changed block list. */
export const buildListEvent = (
  list: BlockListOwner,
  numbers: EventNumbers,
  event: Pick<DomainEvent, 'eventId' | 'timestamp' | 'requestId'>,
): DomainEvent => {
  const scope = 'agentId' in list ? 'agent' : 'user';
  const ids = withoutUndefined({ scope, ...list, requestId: toRequestId(event.requestId) }) as DomainEvent['ids'];
  return { ...event, type: 'block_list.updated', subject: list, ids, details: {}, numbers };
};
