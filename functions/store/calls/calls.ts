import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { currentMaker } from '../../cause.ts';
import { concernsNumber } from '../../domain/call-outcomes.ts';
import { type Call, type CallFacts, type CallReference, withFacts } from '../../domain/calls.ts';
import { chunks } from '../../domain/chunks.ts';
import { now } from '../../domain/date-time.ts';
import { environment } from '../../environment.ts';
import { service } from '../../service.ts';
import { isAbsent, isDeleted } from '../expressions.ts';
import {
  type Collection,
  callCollection,
  callKey,
  callTranscriptCollection,
  callTranscriptKey,
  type ItemKey,
  parseCallId,
  phoneCallCollection,
} from '../keys.ts';
import { type Table, TableStore, type TransactionAction, table, untilWritten } from '../table.ts';
import { type OutcomeChange, OutcomeWriter } from './call-outcomes.ts';
import {
  CallRecords,
  type CallTarget,
  isNoCall,
  isUnchanged,
  listCallEntries,
  type StoredCall,
  withHistory,
} from './call-records.ts';
import { buildDeletedCall, isOfDeletedCall } from './deleted-calls.ts';
import { callName, type Recording, recordActions, recordCalls } from './record-calls.ts';
import { keepTranscript } from './transcripts.ts';

/** A transaction takes 100 actions and 4 MB; a call five and 150 KB. */
const callsPerTransaction = 19;
const batchConcurrency = 4;
const countConcurrency = 16;
const entriesPerPage = 200;
/** The time for which the write of one outcome is retried. */
const setOutcomeMilliseconds = 5000;

/** A call that is named by its id. */
type NamedCall = CallTarget & { reference: { callId: string } };

/** The calls of agents. A record and its entries are one transaction. */
export class Calls extends TableStore {
  readonly #records: CallRecords;
  /** All records, including calls that are older than retention. */
  readonly #stored = new CallRecords(this.table);

  /** Calls older than `retentionDays` are only deleted, never found. */
  constructor(table: Table, retentionDays?: number) {
    super(table);
    this.#records = new CallRecords(table, retentionDays);
  }

  async find(agentId: string, reference: CallReference): Promise<Call | undefined> {
    return (await this.#records.find({ agentId, reference }))?.call;
  }

  /** Returns the number of the agents' calls with a phone number. */
  async count(agentIds: string[], phone: string): Promise<number> {
    const countCalls = async (agentId: string) => {
      let count = 0;
      for await (const entries of this.table.pages(phoneCallCollection(agentId, phone), { keysOnly: true }))
        count += entries.length;
      return count;
    };
    const counts = await pMap(agentIds, countCalls, { concurrency: countConcurrency });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Yields the calls of an agent with a phone number, even those older than retention. */
  async *withNumber(agentId: string, phone: string): AsyncGenerator<StoredCall['call']> {
    const collection = phoneCallCollection(agentId, phone);
    for await (const entries of this.table.pages(collection, { keysOnly: true, limit: entriesPerPage })) {
      const found = await this.#stored.read(entries.map(({ sk }) => callKey(agentId, parseCallId(sk))));
      for (const { call } of found.values()) if (call.phone === phone) yield call;
    }
  }

  /** Records a call, or corrects its facts. The same again writes nothing. A deleted call is recorded again. */
  async record(
    agentId: string,
    callId: string,
    facts: CallFacts,
    {
      lookedUp,
      discloses,
      ...more
    }: Pick<CallTarget, 'lookedUp'> & Pick<Recording, 'discloses' | 'hasHistory' | 'transcript'> = {},
  ): Promise<Call> {
    const initial = { disclosed: discloses ? ('unknown' as const) : undefined };
    const write = (found: StoredCall | undefined) => withFacts(found?.call, agentId, callId, facts, initial);
    return this.#write({ agentId, reference: { callId }, lookedUp }, write, more);
  }

  /** Records what a platform reports of a call, with its outcome. A call that was deleted stays deleted. */
  async recordReported(
    agentId: string,
    callId: string,
    facts: (found: Call | undefined) => CallFacts,
    {
      outcome,
      lookedUp,
      ...more
    }: Pick<Recording, 'outcome' | 'hasHistory' | 'transcript'> & Pick<CallTarget, 'lookedUp'> = {},
  ): Promise<void> {
    // What concerns the call's number is a second write.
    const isSecond = outcome !== undefined && concernsNumber(outcome);
    const change = (!isSecond && outcome?.change) || ((call: Call) => call);
    const write = (found: StoredCall | undefined) =>
      change(withFacts(found?.call, agentId, callId, facts(found?.call)));
    const recorded = await this.#write({ agentId, reference: { callId }, lookedUp }, write, {
      isReport: true,
      ...more,
    });
    // An outcome that does not change does nothing to a number again.
    if (isSecond && recorded && outcome.change(recorded) !== recorded)
      await this.setOutcome({ agentId, reference: { callId }, ...outcome });
  }

  async #write(
    target: NamedCall,
    write: (found: StoredCall | undefined) => Call,
    options: Pick<Recording, 'hasHistory' | 'transcript'>,
  ): Promise<Call>;
  /** Undefined: the call was deleted, and no report brings it back. */
  async #write(
    target: NamedCall,
    write: (found: StoredCall | undefined) => Call,
    options: { isReport: true } & Pick<Recording, 'hasHistory' | 'transcript'>,
  ): Promise<Call | undefined>;
  async #write(
    { lookedUp, ...target }: NamedCall,
    write: (found: StoredCall | undefined) => Call,
    { isReport = false, hasHistory, transcript }: { isReport?: boolean } & Pick<Recording, 'hasHistory' | 'transcript'>,
  ): Promise<Call | undefined> {
    const version = randomUUID();
    return untilWritten(async (attempt) => {
      const found = await this.#stored.findReported(attempt === 0 ? { ...target, lookedUp } : target);
      if (found === 'deleted' && isReport) return undefined;
      const stored = found === 'deleted' ? undefined : found;
      // The write of an earlier attempt succeeded, and its response was lost.
      if (stored?.version === version) return stored.call;
      const recorded = write(stored);
      const { call, actions } = keepTranscript(this.table, recorded, transcript) ?? { call: recorded, actions: [] };
      const condition = isReport ? isAbsent : isNoCall;
      if (call !== stored?.call)
        await this.table.transact([
          ...recordActions(this.table, withHistory(call, hasHistory), stored, version, condition),
          ...actions,
        ]);
      return call;
    });
  }

  /** Records many calls, undefined for deleted ones. Nothing begins after `until` (Unix milliseconds). */
  async recordMany(items: Recording[], until: number): Promise<(Call | undefined | Error)[]> {
    // An outcome that concerns the call's number is set in a separate transaction.
    const concerning = new Set(items.filter(({ outcome }) => outcome && concernsNumber(outcome)).map(callName));
    const facts = items.map((item) => (concerning.has(callName(item)) ? { ...item, outcome: undefined } : item));
    const results: (Call | undefined | Error)[] = await recordCalls(this.table, this.#stored, facts, until);
    const changes = items.flatMap((item, index) => {
      const { agentId, callId, outcome } = item;
      if (!outcome || !concerning.has(callName(item)) || results[index] instanceof Error) return [];
      return [{ index, agentId, reference: { callId }, ...outcome }];
    });
    const changed = await this.setOutcomes(changes, until);
    for (const [place, { index }] of changes.entries()) results[index] = changed[place];
    return results;
  }

  /** Deletes a call with its entries. False: there is no such call. */
  async remove(agentId: string, callId: string): Promise<boolean> {
    return untilWritten(async () => {
      const found = await this.#records.find({ agentId, reference: { callId } });
      if (found) await this.table.transact(this.#removal(found, { isLogged: true }));
      return found !== undefined;
    });
  }

  /** Deletes the transcript of a call, which stays. False: there is none. */
  async removeTranscript(agentId: string, callId: string, { isLogged = false } = {}): Promise<boolean> {
    return untilWritten(async () => {
      const found = await this.#stored.find({ agentId, reference: { callId } });
      const note = found?.call.transcript;
      if (!note) return false;
      const transcriptDeletedBy = isLogged ? { via: 'job' as const, ...currentMaker(), deletedAt: now() } : undefined;
      await this.table.transact([
        this.table.updateAction(
          callKey(agentId, callId),
          { set: { transcript: null, version: randomUUID(), transcriptDeletedBy } },
          isUnchanged(found),
        ),
        this.table.deleteAction(callTranscriptKey(agentId, callId, note.endedAt)),
      ]);
      return true;
    });
  }

  /** Deletes the transcripts of calls that ended before a time, or all. Returns true at their end. */
  async expireTranscripts(agentId: string, { before, until }: { before?: string; until: number }): Promise<boolean> {
    const options = { to: before, keysOnly: true, limit: entriesPerPage };
    for await (const keys of this.table.pages(callTranscriptCollection(agentId), options)) {
      if (Date.now() >= until) return false;
      await pMap(keys, ({ sk }) => this.removeTranscript(agentId, parseCallId(sk)), { concurrency: batchConcurrency });
      // Those whose call is gone, or has another transcript.
      await this.table.deleteMany(keys);
    }
    return true;
  }

  /** Deletes an agent's calls, or those `before` a time. Returns true at their end. */
  removeAll(agentId: string, { until, before }: { until: number; before?: string }): Promise<boolean> {
    const removed = {
      isConcerned: ({ call }: StoredCall) => before === undefined || call.startedAt < before,
      toActions: (found: StoredCall[]) => found.flatMap((one) => this.#removal(one)),
    };
    return this.#removeEach(agentId, removed, { collection: callCollection(agentId), until, before });
  }

  /** Deletes the calls with a number, each batch with the actions of `alongside`. Returns true at their end. */
  erase(
    agentId: string,
    phone: string,
    { until, alongside }: { until: number; alongside: (erased: number) => TransactionAction[] },
  ): Promise<boolean> {
    const erased = {
      isConcerned: ({ call }: StoredCall) => call.phone === phone,
      toActions: (found: StoredCall[]) => [
        ...found.flatMap((one) => this.#removal(one, { isLogged: false })),
        ...alongside(found.length),
      ],
    };
    // The actions alongside all change the same item: concurrent batches would conflict.
    const range = { collection: phoneCallCollection(agentId, phone), until, concurrency: 1 };
    return this.#removeEach(agentId, erased, range);
  }

  async #removeEach(
    agentId: string,
    removed: Removed,
    { collection, until, before, concurrency = batchConcurrency }: RemovedRange,
  ): Promise<boolean> {
    for await (const entries of this.table.pages(collection, { keysOnly: true, limit: entriesPerPage, to: before })) {
      if (Date.now() >= until) return false;
      await pMap(
        chunks(entries, callsPerTransaction),
        (batch) => untilWritten(() => this.#removeBatch(agentId, batch, removed)),
        { concurrency },
      );
    }
    return true;
  }

  async #removeBatch(agentId: string, entries: ItemKey[], { isConcerned, toActions }: Removed): Promise<void> {
    const callIds = [...new Set(entries.map(({ sk }) => parseCallId(sk)))];
    const stored = await this.#stored.read(callIds.map((callId) => callKey(agentId, callId)));
    const found = [...stored.values()].filter(isConcerned);
    const gone = entries.filter(({ sk }) => !stored.has(callKey(agentId, parseCallId(sk)).pk));
    for (const { pk, sk } of gone) {
      if (pk === callCollection(agentId).pk) await this.table.delete(callKey(agentId, parseCallId(sk)), isDeleted);
      await this.table.delete({ pk, sk }, isOfDeletedCall);
    }
    if (found.length > 0) await this.table.transact(toActions(found));
  }

  /** Changes the outcome of a call, and returns the call if it exists. */
  async setOutcome(change: OutcomeChange): Promise<Call | undefined> {
    const [result] = await this.setOutcomes([change], Date.now() + setOutcomeMilliseconds);
    if (result instanceof Error) throw result;
    return result;
  }

  /** Changes the outcomes of many calls: see `OutcomeWriter`. */
  setOutcomes(changes: OutcomeChange[], until: number): Promise<(Call | undefined | Error)[]> {
    return new OutcomeWriter(this.table, this.#records, changes, until).write();
  }

  /** Returns the actions that delete a call. If `kept`, its record and its entry say that it was deleted. */
  #removal(found: StoredCall, kept?: { isLogged: boolean }): TransactionAction[] {
    const { agentId, callId, transcript } = found.call;
    const [byTime, ...others] = listCallEntries(found.call).map(({ pk, sk }) => ({ pk, sk })) as [
      ItemKey,
      ...ItemKey[],
    ];
    const deleted = kept && buildDeletedCall(found, kept);
    return [
      ...(deleted
        ? [this.table.putAction(deleted.record, isUnchanged(found)), this.table.putAction(deleted.entry)]
        : [this.table.deleteAction(callKey(agentId, callId), isUnchanged(found)), this.table.deleteAction(byTime)]),
      ...others.map((key) => this.table.deleteAction(key)),
      ...(transcript ? [this.table.deleteAction(callTranscriptKey(agentId, callId, transcript.endedAt))] : []),
    ];
  }
}

/** The calls that are deleted together, and the actions for a batch. */
type RemovedRange = { collection: Collection; until: number; before?: string; concurrency?: number };
type Removed = { isConcerned(found: StoredCall): boolean; toActions(found: StoredCall[]): TransactionAction[] };

const outcomePermissions = [
  'dynamodb:BatchGetItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:GetItem',
  'dynamodb:PartiQLUpdate',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
] as const;

export const calls = /* @__PURE__ */ service(() => new Calls(table.get(), environment.callRetentionDays), {
  count: ['dynamodb:Query'],
  withNumber: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  record: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  recordReported: ['dynamodb:DeleteItem', ...outcomePermissions],
  recordMany: ['dynamodb:DeleteItem', ...outcomePermissions],
  remove: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  removeTranscript: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  expireTranscripts: [
    'dynamodb:BatchWriteItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  removeAll: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
  erase: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  setOutcome: outcomePermissions,
  setOutcomes: outcomePermissions,
});
