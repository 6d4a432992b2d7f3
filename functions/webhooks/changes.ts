import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../domain/calls.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { jsonBytes, withoutUndefined } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import type { EventType, WebhookEndpoint } from '../domain/webhooks.ts';
import { type NumberChange, numberChangeOf } from '../store/block-list/blocked-number.ts';
import { storedCall } from '../store/calls/call-records.ts';
import { changedItem, type EventSubject, type ItemKey } from '../store/keys.ts';
import type { Item } from '../store/table.ts';

/** A change of an item as the table's stream has it. */
export type TableChange = {
  key: ItemKey;
  before?: Item | undefined;
  after?: Item | undefined;
  /** When it happened, in Unix milliseconds. */
  at: number;
  /** Its place in the stream: the same whenever it is read. */
  sequenceNumber: string;
  /** DynamoDB has deleted the item, which had expired. */
  isExpiry?: boolean;
};

/** Something that has happened, and what its event says. The same change has the same `eventId`, however often it is read. */
export type Happening = {
  eventId: string;
  type: EventType;
  timestamp: string;
  subject: EventSubject;
  ids: Record<string, string>;
  details: Record<string, unknown>;
  /** The users who get the event, where the access to the agent no longer has them. */
  recipients?: string[];
};

/** An import of numbers that has ended. */
type EndedImport = { list: { agentId: string } | { uid: string }; by: string; added: number; removed: number };

/** What a change of an item means to receivers of events. */
export type Meaning = {
  happenings: Happening[];
  number?: NumberChange;
  import?: EndedImport;
  /** What is deleted, whose events lose their details. */
  gone?: EventSubject;
  /** What says something else from now on about a person: its earlier events lose their details. */
  corrected?: EventSubject;
  /** A number that is erased from a list, and from the events of the list. */
  erased?: ListedNumber;
};

export type ListedNumber = Pick<NumberChange, 'list' | 'number'>;

// biome-ignore lint/suspicious/noExplicitAny: the stores know the attributes of their items
type AnyItem = any;

/** What a change means. It depends on the change alone. */
export const meaningOf = (change: TableChange): Meaning => {
  const item = changedItem(change.key);
  const [before, after]: AnyItem[] = [change.before, change.after];
  const event = (
    type: EventType,
    subject: EventSubject,
    ids: Record<string, string>,
    details: Record<string, unknown>,
    more: { at?: string; recipients?: string[]; discriminator?: string } = {},
  ): Happening => {
    const { pk, sk } = change.key;
    const { at, recipients, discriminator = '' } = more;
    return {
      eventId: derivedIdentifier('event', [pk, sk, change.sequenceNumber, discriminator]),
      type,
      timestamp: at ?? new Date(change.at).toISOString(),
      subject,
      ids,
      details: withoutUndefined(details),
      ...(recipients && { recipients }),
    };
  };
  const nothing = { happenings: [] };
  switch (item?.kind) {
    case 'agent': {
      const { uid, agentId } = item;
      // The entry of a shared agent in a guest's list is no record.
      if (!after?.configuration) return nothing;
      const { name, phoneNumber, createdAt, updatedAt, sourceAgentId } = after;
      const details = { name, phoneNumber, createdAt, updatedAt, sourceAgentId };
      const happened = (type: EventType) =>
        event(type, { agentId }, { uid, agentId }, details, { at: updatedAt, recipients: [uid] });
      if (!before) return { happenings: [happened('agent.created')] };
      return isDeepStrictEqual(withoutVersion(before), withoutVersion(after))
        ? nothing
        : { happenings: [happened('agent.updated')] };
    }
    case 'access': {
      const { agentId } = item;
      if (before?.uid === undefined || after?.uid !== undefined) return nothing;
      const uid = before.uid as string;
      const recipients = [uid, ...(before.guests ?? [])];
      const deleted = event('agent.deleted', { agentId }, { uid, agentId }, {}, { recipients });
      return { happenings: [deleted], gone: { agentId } };
    }
    case 'call': {
      const { agentId, id: callId } = item;
      const subject = { agentId, callId };
      const ids = { call_id: callId, agent_id: agentId };
      if (!after) return { happenings: [event('call.deleted', subject, ids, {})], gone: subject };
      const { call } = storedCall(after);
      const { version } = after;
      const former = before && storedCall(before).call;
      const details = detailsOfCall(call);
      if (!former || !isDeepStrictEqual(factsOf(former), factsOf(call))) {
        const happenings = [event('call.recorded', subject, ids, details)];
        // An erasure of the former number does not find the call any more.
        return former && former.phone !== call.phone ? { happenings, corrected: subject } : { happenings };
      }
      if (version === before.version) return nothing;
      return { happenings: [event('call.outcome_updated', subject, ids, details, at(call.outcomeUpdatedAt))] };
    }
    case 'website':
    case 'document': {
      const { kind, agentId, id } = item;
      const was = before?.status;
      const is = after?.status as string | undefined;
      // A source that begins as ready is part of a copied agent.
      if (was === undefined || is === undefined || was === is) return nothing;
      const ids = { agentId, [`${kind}Id`]: id };
      const { name, url, pages, type, size, error } = after;
      if (is === 'deleting') return { happenings: [event(`${kind}.deleted`, { agentId }, ids, { name, url })] };
      if (is !== 'ready' && is !== 'failed') return nothing;
      const details = { name, url, pages, type, size, error };
      return { happenings: [event(`${kind}.${is}`, { agentId }, ids, details, at(after.lastUpdatedAt))] };
    }
    case 'number': {
      // A request marks an entry as removed; an erasure deletes it.
      if (!after && !change.isExpiry) return { happenings: [], erased: { list: item.list, number: change.key.sk } };
      const number = numberChangeOf(item.list, before, after);
      return number ? { happenings: [], number } : nothing;
    }
    case 'import': {
      if (!after?.finishedAt || before?.finishedAt) return nothing;
      const { agentId, importId, added = 0, removed = 0 } = after;
      if (added + removed === 0) return nothing;
      const list = agentId === undefined ? { uid: item.uid } : { agentId };
      return { happenings: [], import: { list, by: importId, added, removed } };
    }
    case 'endpoints': {
      const { uid } = item;
      const endpoints = Object.values((after?.endpoints ?? {}) as Record<string, WebhookEndpoint>);
      const disabled = endpoints.filter(
        ({ endpointId, disabledAt }) =>
          disabledAt !== undefined && before?.endpoints?.[endpointId]?.disabledAt !== disabledAt,
      );
      return {
        happenings: disabled.map(({ endpointId, url, description, disabledAt, disabledReason }) =>
          event(
            'webhook_endpoint.disabled',
            { uid },
            { uid, endpointId },
            { url, description, disabledAt, disabledReason },
            { ...at(disabledAt), discriminator: endpointId },
          ),
        ),
      };
    }
    default:
      return nothing;
  }
};

const at = (time: string | undefined) => (time === undefined ? {} : { at: time });

const withoutVersion = ({ version: _v, updatedAt: _u, ...rest }: AnyItem) => rest;

/** What PUT records of a call. */
const factsOf = (call: Call) => {
  const { phone, direction, startedAt, endedAt, durationSeconds, status, details } = call;
  return { phone, direction, startedAt, endedAt, durationSeconds, status, details: details && JSON.stringify(details) };
};

const detailsOfCall = (call: Call): Record<string, unknown> => {
  const { details: _, ...facts } = factsOf(call);
  const { custom_call_outcome, custom_call_outcome_value, custom_call_metadata } = call;
  const isTruncated =
    custom_call_metadata !== undefined && jsonBytes(custom_call_metadata) > limits.webhookMetadataBytes;
  return withoutUndefined({
    ...facts,
    custom_call_outcome,
    custom_call_outcome_value,
    ...(isTruncated ? { truncated: true } : { custom_call_metadata }),
  });
};
