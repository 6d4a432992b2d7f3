import { isDeepStrictEqual } from 'node:util';
import pMap from 'p-map';
import type { ReportedCost } from '../../domain/call-costs.ts';
import type { RefusedOutcome } from '../../domain/call-outcomes.ts';
import { type EarlierCall, toEarlierCall } from '../../domain/caller-history.ts';
import type { Call, CallReference, outcomeFields } from '../../domain/calls.ts';
import { isIdentifier } from '../../domain/identifiers.ts';
import { parseJson, withoutUndefined } from '../../domain/json.ts';
import { limits } from '../../domain/limits.ts';
import { listForms } from '../../domain/number-forms.ts';
import type { TranscriptDeletion, TranscriptNote } from '../../domain/transcripts.ts';
import { environment } from '../../environment.ts';
import { service } from '../../service.ts';
import { when } from '../expressions.ts';
import {
  callCollection,
  callHistoryCollection,
  callHistoryKey,
  callKey,
  callPosition,
  type ItemKey,
  isSameKey,
  parseCallId,
  parseCallStart,
  phoneCallCollection,
  withoutKey,
} from '../keys.ts';
import {
  type Item,
  type Lookup,
  type QueryOptions,
  type Table,
  TableStore,
  type TransactionAction,
  table,
} from '../table.ts';
import { packHistory, unpackHistory } from './outcome-history.ts';

/** A call's record. JSON text keeps numbers beyond DynamoDB's 1e126. `version` changes with each write. */
type CallItem = Item &
  Omit<Call, TextField> &
  RefusedOutcome & {
    outcome?: string;
    heldOutcome?: string;
    details?: string;
    outcomeHistory?: string;
    version: string;
    requestId?: string;
  };
type TextField = (typeof outcomeFields)[number] | 'heldOutcome' | 'details' | 'outcomeHistory';

/** A call with the version of it that was read. */
export type StoredCall = { call: Call & RefusedOutcome & Unlisted; version: string };

/** What no list of calls has: the cost that a platform reported, when the call was first recorded, where its transcript is, who deleted one, and whether it has an entry in a history. */
type Unlisted = {
  reportedCost?: ReportedCost;
  recordedAt?: string;
  transcript?: TranscriptNote;
  hasHistory?: true;
  transcriptDeletedBy?: TranscriptDeletion;
};

/** A call as a caller names it, and what a lookup by id found. */
export type CallTarget = { agentId: string; reference: CallReference; lookedUp?: { record?: ReportedCall } };

/** Looks up the record of a call that is named by its id. */
export const callLookup = (target: CallTarget): Lookup<CallTarget> => {
  const key = recordKey(target);
  return {
    keys: key ? [key] : [],
    isLarge: key !== undefined,
    read: ([item]) => (key ? { ...target, lookedUp: { record: item && reportedCall(item) } } : target),
  };
};

/** Returns the key of a call's record; undefined without a valid id. */
const recordKey = ({ agentId, reference }: CallTarget): ItemKey | undefined =>
  'callId' in reference && [agentId, reference.callId].every(isIdentifier)
    ? callKey(agentId, reference.callId)
    : undefined;

/** A call that is here, or was deleted here. */
export type ReportedCall = StoredCall | 'deleted';

const concurrency = 16;
/** The maximum number of lookups of a phone number whose call keeps changing. */
const maxAttempts = 5;

/** Reads the records of calls. */
export class CallRecords extends TableStore {
  readonly #retentionDays: number | undefined;

  /** With `retentionDays`, calls that started earlier are not found. */
  constructor(table: Table, retentionDays?: number) {
    super(table);
    this.#retentionDays = retentionDays;
  }

  async find(target: CallTarget): Promise<StoredCall | undefined> {
    const { agentId, reference } = target;
    if (!('phone' in reference)) {
      const record = await this.findReported(target);
      return record && record !== 'deleted' ? this.#kept(record) : undefined;
    }
    for (let attempt = 1; ; attempt++) {
      const entry = await this.#findEntry(agentId, reference);
      if (entry === undefined) return undefined;
      const item = await this.table.get<CallItem>(callKey(agentId, parseCallId(entry.sk)));
      const found = item && storedCall(item);
      if (found && hasEntry(found.call, entry)) return found;
      if (attempt === maxAttempts) throw new Error('A call kept changing while it was looked up.');
    }
  }

  /** Returns what is here of a call that is named by its id, even if it is older than retention. */
  async findReported(target: CallTarget): Promise<ReportedCall | undefined> {
    if (target.lookedUp) return target.lookedUp.record;
    const key = recordKey(target);
    const item = key && (await this.table.get(key));
    return item && reportedCall(item);
  }

  /** Reads many records, or their errors. Nothing begins after `until` (Unix milliseconds). */
  async findMany(targets: CallTarget[], until: number): Promise<(StoredCall | undefined | Error)[]> {
    const notInTime = () => new Error('The call was not read in time.');
    const entries = new Map<string, Promise<ItemKey | undefined>>();
    const named = await pMap(
      targets,
      async (target) => {
        const { agentId, reference } = target;
        if (!('phone' in reference)) return { callId: target.lookedUp ? undefined : reference.callId };
        const name = JSON.stringify([agentId, reference]);
        if (Date.now() >= until) return { error: notInTime() };
        const asked = entries.get(name) ?? this.#findEntry(agentId, reference);
        entries.set(name, asked);
        const entry = await asked.catch((error: Error) => error);
        if (entry === undefined || entry instanceof Error) return { error: entry };
        return { callId: parseCallId(entry.sk), entry };
      },
      { concurrency },
    );
    const keys = named.map(({ callId }, index) =>
      callId !== undefined && isIdentifier(callId) ? callKey(targets[index]?.agentId as string, callId) : undefined,
    );
    const read =
      Date.now() >= until
        ? notInTime()
        : await this.read(keys.filter((key) => key !== undefined)).catch((error: Error) => error);
    return pMap(
      targets,
      async (target, index) => {
        const { error, entry } = named[index] as { error?: Error; entry?: ItemKey };
        if (target.lookedUp) return this.find(target);
        const key = keys[index];
        if (!key) return error;
        if (read instanceof Error) return read;
        const found = read.get(key.pk);
        const { reference } = target;
        if (!('phone' in reference)) return found && this.#kept(found);
        if (found && hasEntry(found.call, entry as ItemKey)) return found;
        // The call was corrected in between: the number is looked up again.
        if (Date.now() >= until) return notInTime();
        return this.find(target).catch((fault: Error) => fault);
      },
      { concurrency },
    );
  }

  /** Returns the latest calls with any form of a number in the last days, and how many there are: one more than are counted, at most. One round trip, if they are all in the history. */
  async readHistory(
    agentId: string,
    phone: string,
    { calls, days, except }: { calls: number; days: number; except?: string },
  ): Promise<{ latest: EarlierCall[]; count: number }> {
    const from = this.earliestStart(startOfRetention(days));
    const firstPages = async <T extends Item>(
      collect: typeof phoneCallCollection,
      { limit, keysOnly }: QueryOptions,
    ) => {
      const pages = await Promise.all(
        listForms(phone).map((form) =>
          this.table.pages<T>(collect(agentId, form), { from, limit, keysOnly, descending: true }).next(),
        ),
      );
      return pages.flatMap(({ value }) => (value as T[] | undefined) ?? []);
    };
    // One that is not counted may be the call itself.
    const [every, told] = await Promise.all([
      firstPages(phoneCallCollection, { limit: limits.historyCounted + 2, keysOnly: true }),
      firstPages<HistoryItem>(callHistoryCollection, { limit: calls + 1 }),
    ]);
    const entries = every
      .filter(({ sk }) => parseCallId(sk) !== except)
      .sort((one, other) => (one.sk < other.sk ? 1 : -1));
    const newest = entries.slice(0, calls);
    const toldAt = new Map(told.map((item) => [item.sk, item]));
    // Calls that were recorded before the agent had a history.
    const untold = newest.filter(({ sk }) => !toldAt.has(sk));
    const found =
      untold.length === 0 ? undefined : await this.read(untold.map(({ sk }) => callKey(agentId, parseCallId(sk))));
    const latest = newest.flatMap((entry) => {
      const item = toldAt.get(entry.sk);
      if (item) return [{ ...withoutKey(item), startedAt: parseCallStart(item.sk) }];
      const call = found?.get(callKey(agentId, parseCallId(entry.sk)).pk)?.call;
      return call && hasEntry(call, entry) ? [toEarlierCall(call)] : [];
    });
    // A call that was deleted in between is none.
    return { latest, count: entries.length - (newest.length - latest.length) };
  }

  /** Returns the first or last entry of any form of a number. */
  async #findEntry(agentId: string, { phone, preference }: Extract<CallReference, { phone: string }>) {
    const descending = preference === 'last';
    const options = { from: this.earliestStart(), limit: 1, descending, keysOnly: true };
    const found = await Promise.all(
      listForms(phone).map((form) => this.table.query(phoneCallCollection(agentId, form), options).next()),
    );
    const entries: ItemKey[] = found.flatMap(({ value }) => value ?? []);
    const [entry] = entries.sort((one, other) => (one.sk < other.sk === descending ? 1 : -1));
    return entry;
  }

  /** Returns the earliest start of the calls that are found, within retention. */
  earliestStart(from?: string): string | undefined {
    const keptFrom = this.#retentionDays && startOfRetention(this.#retentionDays);
    return keptFrom && (from === undefined || from < keptFrom) ? keptFrom : from;
  }

  /** Returns a call, unless it is older than retention. */
  #kept(found: StoredCall): StoredCall | undefined {
    const from = this.earliestStart();
    return from !== undefined && found.call.startedAt < from ? undefined : found;
  }

  /** Returns what is here of calls that a platform reports, by call id. */
  async readReported(agentId: string, callIds: string[]): Promise<Map<string, ReportedCall>> {
    const ids = new Map(callIds.map((callId) => [callKey(agentId, callId).pk, callId]));
    const items = await this.table.getMany([...ids.values()].map((callId) => callKey(agentId, callId)));
    return new Map(items.map((item) => [ids.get(item.pk) as string, reportedCall(item)]));
  }

  /** Returns the ids of the calls that start from a time until before another, without reading their records. */
  async listIds(agentId: string, { from, to }: { from: string; to: string }): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const { sk, ttlSeconds } of this.table.query<Item & { ttlSeconds?: number }>(callCollection(agentId), {
      from,
      to,
    }))
      if (ttlSeconds === undefined) ids.add(parseCallId(sk));
    return ids;
  }

  /** Returns records by partition key, even those older than retention. */
  async read(keys: ItemKey[]): Promise<Map<string, StoredCall>> {
    const distinct = [...new Map(keys.map((key) => [key.pk, key])).values()];
    const items = await this.table.getMany<CallItem>(distinct);
    return new Map(
      items.flatMap((item) => {
        const found = storedCall(item);
        return found ? [[item.pk, found]] : [];
      }),
    );
  }
}

/** Returns the earliest start of the calls that are kept. */
export const startOfRetention = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();

/** Checks that a call's start and number have not been corrected since. */
export const hasEntry = (call: Call, entry: ItemKey) => callEntryKeys(call).some((key) => isSameKey(key, entry));

/** Returns the entries of a call by time and by number. */
export const callEntryKeys = (call: Call): ItemKey[] => {
  const { pk } = callCollection(call.agentId);
  const sk = callPosition(call);
  return [
    { pk, sk },
    ...(call.phone === undefined ? [] : [{ pk: phoneCallCollection(call.agentId, call.phone).pk, sk }]),
  ];
};

/** What the start of a later call says of a call. */
type HistoryItem = Item & Omit<EarlierCall, 'startedAt'>;

/** Returns a call with the mark that it has an entry in a history, if its agent has one. */
export const withHistory = <C extends Call>(call: C, hasHistory: boolean | undefined): C =>
  hasHistory ? { ...call, hasHistory: true } : call;

/** Returns all entries of a call. Once it has one in a history, each write of the call keeps that one true. */
export const listCallEntries = (call: Call & Unlisted): Item[] => {
  const keys = callEntryKeys(call);
  const { agentId, phone, hasHistory } = call;
  if (!hasHistory || phone === undefined) return keys;
  const { startedAt: _, ...told } = toEarlierCall(call);
  return [...keys, { ...callHistoryKey(agentId, phone, call), ...withoutUndefined(told) }];
};

/** Returns the actions that write the entries of a call, and delete those that it no longer has. */
export const entryActions = (table: Table, call: Call, formerCall: Call | undefined): TransactionAction[] => {
  const former = formerCall ? listCallEntries(formerCall) : [];
  const entries = listCallEntries(call);
  return [
    ...entries
      .filter((entry) => !former.some((one) => isDeepStrictEqual(one, entry)))
      .map((entry) => table.putAction(entry)),
    ...former
      .filter((one) => !entries.some((entry) => isSameKey(one, entry)))
      .map(({ pk, sk }) => table.deleteAction({ pk, sk })),
  ];
};

/** The condition that a record has not been written since it was read. */
export const isUnchanged = ({ version }: StoredCall) => when`#version = ${version}`;

/** The condition that there is no call: no record, or one of a deleted call. */
export const isNoCall = when`attribute_not_exists(pk) or attribute_exists(deletedAt)`;

const reportedCall = (item: Item): ReportedCall => storedCall(item) ?? 'deleted';

/** Returns a call with its version; undefined if it was deleted. */
export const storedCall = (item: Item): StoredCall | undefined => {
  if ('deletedAt' in item) return undefined;
  const { pk: _pk, sk: _sk, version, requestId: _r, outcome, ...texts } = item as CallItem;
  const { heldOutcome, details, outcomeHistory, ...rest } = texts;
  const call = {
    ...rest,
    ...('transcript' in rest && { hasTranscript: true }),
    ...(details !== undefined && { details: parseJson(details) }),
    ...(outcome !== undefined && (parseJson(outcome) as object)),
    ...(heldOutcome !== undefined && { heldOutcome: parseJson(heldOutcome) }),
    ...(outcomeHistory !== undefined && { outcomeHistory: unpackHistory(outcomeHistory) }),
  } as Call;
  return { call, version };
};

/** Returns the attributes of a call's item. Absent values are null. */
export const toCallAttributes = (call: Call, version: string) => {
  const { custom_call_outcome, custom_call_outcome_value, custom_call_metadata, ...others } = call;
  const { heldOutcome, details, outcomeHistory, hasTranscript: _, ...rest } = others;
  const outcome = JSON.stringify({ custom_call_outcome, custom_call_outcome_value, custom_call_metadata });
  return {
    ...rest,
    outcome: outcome === '{}' ? null : outcome,
    heldOutcome: heldOutcome ? JSON.stringify(heldOutcome) : null,
    details: details ? JSON.stringify(details) : null,
    outcomeHistory: outcomeHistory && packHistory(outcomeHistory),
    version,
  };
};

/** For functions whose bundles need no code that writes calls. */
export const callRecords = /* @__PURE__ */ service(() => new CallRecords(table.get(), environment.callRetentionDays), {
  find: ['dynamodb:GetItem', 'dynamodb:Query'],
  readHistory: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  earliestStart: [],
  readReported: ['dynamodb:BatchGetItem'],
  listIds: ['dynamodb:Query'],
});
