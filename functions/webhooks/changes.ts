import { isDeepStrictEqual } from 'node:util';
import { type ChangeForLog, readForLog } from '../changes/log-changes.ts';
import type { RefusedOutcome } from '../domain/call-outcomes.ts';
import { type Call, eventFacts } from '../domain/calls.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { jsonBytes, withoutUndefined } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { deleting } from '../domain/source-state.ts';
import type { SourceKindName } from '../domain/sources.ts';
import type { EventType } from '../domain/webhooks.ts';
import { type AgentItem, changedAgentFields } from '../store/agents/agent-items.ts';
import type { BlockedItem, NumberChange } from '../store/block-list/blocked-number.ts';
import { storedCall } from '../store/calls/call-records.ts';
import { type CallDeletion, locateDeletion } from '../store/calls/deleted-calls.ts';
import type { AccessItem } from '../store/credentials.ts';
import { type BlockListOwner, changedItem, type EventSubject } from '../store/keys.ts';
import type { DocumentRecord } from '../store/sources/documents.ts';
import type { WebsiteRecord } from '../store/sources/website-reads.ts';
import type { Item } from '../store/table.ts';
import type { TableChange } from '../store/table-changes.ts';
import type { EndpointsItem } from './webhook-endpoints.ts';

/** An event with its data. The same change always has the same `eventId`. */
export type DomainEvent = {
  eventId: string;
  type: EventType;
  timestamp: string;
  /** The id of the request that caused it. */
  requestId?: string;
  /** Where the request is found that deleted a call. */
  deletion?: CallDeletion;
  subject: EventSubject;
  ids: Record<string, string>;
  details: Record<string, unknown>;
  /** The numbers of a block list, from which an erasure takes single numbers. */
  numbers?: EventNumbers;
  /** Users who get the event without access to the agent. */
  recipients?: string[];
};

/** The counts of added and removed numbers, and the first of each. */
export type EventNumbers = { counts: { added: number; removed: number }; added: string[]; removed: string[] };

/** A number of a block list. */
export type ListedNumber = Pick<NumberChange, 'list' | 'number'>;

/** The effects of a change of an item. */
export type ChangeEffects = {
  /** Events of requests on block lists follow the log of changes instead. */
  events?: DomainEvent[];
  /** A subject that was deleted, or lost personal data: its earlier events lose their details. */
  scrubbed?: EventSubject;
  /** The number that was erased from a list, and from the list's events. */
  erased?: ListedNumber;
  /** The endpoints of a user whose suspension has ended. Their deliveries are resumed. */
  resumed?: { uid: string; endpointId: string }[];
};

/** A change, what the log says about it, and its effects. */
export type ReadChange = ChangeForLog & { effects: ChangeEffects };

export const readChange = (change: TableChange): ReadChange => ({
  ...readForLog(change),
  effects: interpretChange(change),
});

/** Returns the effects of a change, which depend on it alone. */
const interpretChange = (change: TableChange): ChangeEffects => {
  const item = changedItem(change.key);
  switch (item?.kind) {
    case 'agent':
      return agentChanged(item, change as TableChange<AgentItem>);
    case 'access':
      return accessChanged(item.agentId, change as TableChange<AccessItem>);
    case 'call':
      return callChanged({ agentId: item.agentId, callId: item.id }, change);
    case 'website':
    case 'document':
      return sourceChanged({ kind: item.kind, agentId: item.agentId, id: item.id }, change as TableChange<SourceItem>);
    case 'number':
      return numberChanged(item.list, change);
    case 'import':
      return importChanged(item.uid, change as TableChange<ImportItem>);
    case 'endpoints':
      return endpointsChanged(item.uid, change as TableChange<EndpointsItem>);
    default:
      return {};
  }
};

const agentChanged = (
  { uid, agentId }: { uid: string; agentId: string },
  change: TableChange<AgentItem>,
): ChangeEffects => {
  const { before, after } = change;
  // A guest's entry of a shared agent is no record.
  if (!after?.configuration) return {};
  const about = { subject: { agentId }, ids: { uid, agentId }, recipients: [uid] };
  const { name, phoneNumber, key, version, split = [], createdAt, updatedAt, sourceAgentId, lastChange = {} } = after;
  const details = { name, phoneNumber, key, version, createdAt, updatedAt, sourceAgentId };
  const { keyId, note } = lastChange;
  if (!before) {
    return { events: [buildEvent(change, { type: 'agent.created', ...about, details, timestamp: updatedAt })] };
  }
  if (!isDeepStrictEqual(before.split ?? [], split)) {
    return { events: [buildEvent(change, { type: 'agent.traffic_updated', ...about, details: { split, keyId } })] };
  }
  const changed = changedAgentFields(before, after);
  if (changed.length === 0) return {};
  const updated = { ...details, changed, keyId, note };
  return { events: [buildEvent(change, { type: 'agent.updated', ...about, details: updated, timestamp: updatedAt })] };
};

/** Returns the effects of a changed access item: without an owner, the agent is deleted. */
const accessChanged = (agentId: string, change: TableChange<AccessItem>): ChangeEffects => {
  const { before, after } = change;
  if (before?.uid === undefined || after?.uid !== undefined) return {};
  const { uid, guests = [] } = before;
  const subject = { agentId };
  const recipients = [uid, ...guests];
  return {
    events: [buildEvent(change, { type: 'agent.deleted', subject, ids: { uid, agentId }, details: {}, recipients })],
    scrubbed: subject,
  };
};

const callChanged = (subject: { agentId: string; callId: string }, change: TableChange): ChangeEffects => {
  const { agentId, callId } = subject;
  const about = { subject, ids: { call_id: callId, agent_id: agentId } };
  const former = change.before && storedCall(change.before);
  if (!change.after) {
    const deletion = former && locateDeletion(former);
    const deleted = { type: 'call.deleted' as const, ...about, deletion, details: {} };
    return { events: [buildEvent(change, deleted)], scrubbed: subject };
  }
  const { call, version } = storedCall(change.after);
  const details = detailsOfCall(call);
  const timestamp = call.outcomeUpdatedAt;
  const outcomeUpdated = { type: 'call.outcome_updated' as const, ...about, details, timestamp };
  const isOutcomeUpdated = timestamp !== undefined && timestamp !== former?.call.outcomeUpdatedAt;
  const unset = [...newHeldOutcome(former?.call, call), ...newRefusedOutcome(change)].map(({ type, ...outcome }) =>
    buildEvent(change, { type, ...about, details: { ...details, ...outcome }, discriminator: type }),
  );
  if (!former || !isSameRecord(former.call, call)) {
    // POST /calls records a call and sets its outcome in one write.
    return {
      events: [
        buildEvent(change, { type: 'call.recorded', ...about, details }),
        ...(isOutcomeUpdated ? [buildEvent(change, { ...outcomeUpdated, discriminator: 'outcome' })] : []),
        ...unset,
      ],
      // An erasure of the former number no longer finds the call.
      scrubbed: former && former.call.phone !== call.phone ? subject : undefined,
    };
  }
  if (version === former.version) return {};
  if (unset.length > 0 && !isOutcomeUpdated) return { events: unset };
  return { events: [buildEvent(change, outcomeUpdated)] };
};

/** Returns the outcome that a change holds: the type of the event, and its field. */
const newHeldOutcome = (former: Call | undefined, { heldOutcome }: Call) =>
  heldOutcome && JSON.stringify(heldOutcome) !== JSON.stringify(former?.heldOutcome)
    ? [{ type: 'call.outcome_held' as const, ...shortHeldOutcome(heldOutcome) }]
    : [];

/** Returns the outcome that a change refuses. Later changes of the call repeat the label. */
const newRefusedOutcome = ({ before, after }: TableChange<Item & RefusedOutcome>) => {
  const refusedOutcome = after?.refusedOutcome;
  return refusedOutcome !== undefined && refusedOutcome !== before?.refusedOutcome
    ? [{ type: 'call.outcome_refused' as const, refusedOutcome }]
    : [];
};

const shortHeldOutcome = (heldOutcome: NonNullable<Call['heldOutcome']>) => {
  const { custom_call_metadata, ...others } = heldOutcome;
  const isTruncated = jsonBytes(custom_call_metadata) > limits.webhookMetadataBytes / 2;
  return isTruncated ? { heldOutcome: others, truncated: true } : { heldOutcome };
};

const pickFacts = (call: Call) => Object.fromEntries(eventFacts.map((name) => [name, call[name]]));

const isSameRecord = (one: Call, other: Call) =>
  isDeepStrictEqual(pickFacts(one), pickFacts(other)) && JSON.stringify(one.details) === JSON.stringify(other.details);

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

type SourceItem = Item & (WebsiteRecord | DocumentRecord);

const sourceChanged = (
  { kind, agentId, id }: { kind: SourceKindName; agentId: string; id: string },
  change: TableChange<SourceItem>,
): ChangeEffects => {
  const { before, after } = change;
  // A source that begins as ready is part of a copied agent.
  if (!before || !after || before.status === after.status) return {};
  const about = { subject: { agentId }, ids: { agentId, [`${kind}Id`]: id } };
  const { name, url, pages, type, size, error, warnings, lastUpdatedAt } = after as Partial<
    WebsiteRecord & DocumentRecord
  >;
  const status: string = after.status;
  if (status === deleting) {
    return { events: [buildEvent(change, { type: `${kind}.deleted`, ...about, details: { name, url } })] };
  }
  if (status !== 'ready' && status !== 'failed') return {};
  const isSameText = after.text !== undefined && after.text.revision === before.text?.revision;
  const hadFailed = 'failedCrawls' in before && before.failedCrawls;
  if (status === 'ready' && isSameText && !hadFailed) return {};
  // A failed source keeps its former text and the warnings about it.
  const details = { name, url, pages, type, size, error, warnings: status === 'ready' ? warnings : undefined };
  return { events: [buildEvent(change, { type: `${kind}.${status}`, ...about, details, timestamp: lastUpdatedAt })] };
};

const numberChanged = (list: BlockListOwner, { key, before, after, isExpiry }: TableChange): ChangeEffects => {
  // A request marks an entry as removed. An erasure deletes or marks it.
  if (!after && !isExpiry) return { erased: { list, number: key.sk } };
  const [former, item] = [before, after] as (BlockedItem | undefined)[];
  const isErased = item?.erasedAt !== undefined && item.erasedAt !== former?.erasedAt;
  return isErased ? { erased: { list, number: key.sk } } : {};
};

/** The attributes of an import's record that its event needs. */
type ImportItem = Item & {
  importId: string;
  agentId?: string;
  finishedAt?: string;
  added?: number;
  removed?: number;
  addedNumbers?: string[];
  removedNumbers?: string[];
};

const importChanged = (uid: string, change: TableChange<ImportItem>): ChangeEffects => {
  const { key, before, after, requestId } = change;
  if (!after?.finishedAt) return {};
  const { agentId, importId, finishedAt, added = 0, removed = 0, addedNumbers = [], removedNumbers = [] } = after;
  const list = agentId === undefined ? { uid } : { agentId };
  const kept = new Set([...addedNumbers, ...removedNumbers]);
  const number = [...(before?.addedNumbers ?? []), ...(before?.removedNumbers ?? [])].find((one) => !kept.has(one));
  // After its end, an import loses numbers only by an erasure.
  if (before?.finishedAt) return number === undefined ? {} : { erased: { list, number } };
  if (added + removed === 0) return {};
  const eventId = derivedIdentifier('event', [key.pk, importId]);
  const numbers = { counts: { added, removed }, added: addedNumbers, removed: removedNumbers };
  return { events: [buildListEvent(list, numbers, { eventId, timestamp: finishedAt, requestId })] };
};

/** Returns the event of a changed block list. */
export const buildListEvent = (
  list: BlockListOwner,
  numbers: EventNumbers,
  event: Pick<DomainEvent, 'eventId' | 'timestamp' | 'requestId'>,
): DomainEvent => {
  const scope = 'agentId' in list ? 'agent' : 'user';
  const ids = withoutUndefined({ scope, ...list, requestId: event.requestId }) as DomainEvent['ids'];
  return { ...event, type: 'block_list.updated', subject: list, ids, details: {}, numbers };
};

const endpointsChanged = (uid: string, change: TableChange<EndpointsItem>): ChangeEffects => {
  const { before, after } = change;
  const endpoints = after?.endpoints ?? {};
  const disabled = Object.values(endpoints).filter(
    ({ endpointId, disabledAt }) =>
      disabledAt !== undefined && before?.endpoints?.[endpointId]?.disabledAt !== disabledAt,
  );
  const isResumed = before?.suspended && !after?.suspended;
  return {
    resumed: isResumed ? Object.keys(endpoints).map((endpointId) => ({ uid, endpointId })) : [],
    events: disabled.map(({ endpointId, url, description, disabledAt, disabledReason }) =>
      buildEvent(change, {
        type: 'webhook_endpoint.disabled',
        subject: { uid },
        ids: { uid, endpointId },
        details: { url, description, disabledAt, disabledReason },
        timestamp: disabledAt,
        discriminator: endpointId,
      }),
    ),
  };
};

/** Returns the event of a change. `discriminator` distinguishes several events of one change. */
const buildEvent = (
  { key: { pk, sk }, sequenceNumber, at, requestId }: TableChange,
  {
    details,
    timestamp = new Date(at).toISOString(),
    discriminator = '',
    ...event
  }: Omit<DomainEvent, 'eventId' | 'timestamp' | 'requestId'> & {
    timestamp?: string;
    discriminator?: string;
  },
): DomainEvent => ({
  ...event,
  requestId,
  eventId: derivedIdentifier('event', [pk, sk, sequenceNumber, discriminator]),
  timestamp,
  details: withoutUndefined(details),
});
