import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { type Call, type CallFacts, type CallReference, withFacts } from '../../domain/calls.ts';
import { chunks } from '../../domain/chunks.ts';
import { environment } from '../../environment.ts';
import { service } from '../../service.ts';
import { type Collection, callCollection, callIdAt, callKey, type ItemKey, phoneCallCollection } from '../keys.ts';
import { type Table, TableStore, type TransactionAction, table, untilWritten } from '../table.ts';
import { type OutcomeChange, OutcomeWriter } from './call-outcomes.ts';
import { CallRecords, type CallTarget, callEntryKeys, isUnchanged, type StoredCall } from './call-records.ts';
import { buildDeletedCall, isOfDeletedCall } from './deleted-calls.ts';
import { callName, type Recording, recordActions, recordCalls } from './record-calls.ts';

/** A transaction takes 100 actions and 4 MB; a call three and 150 KB. */
const callsPerTransaction = 25;
const batchConcurrency = 4;
const countConcurrency = 16;
const entriesPerPage = 200;
/** The time for which the write of one outcome is retried. */
const setOutcomeMilliseconds = 5000;

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

  /** Records a call, or corrects its facts; `change` changes its outcome. The same again writes nothing. */
  async record(
    agentId: string,
    callId: string,
    facts: CallFacts | ((found: Call | undefined) => CallFacts),
    { change = (call) => call, lookedUp }: { change?: (call: Call) => Call } & Pick<CallTarget, 'lookedUp'> = {},
  ): Promise<Call> {
    const version = randomUUID();
    return untilWritten(async (attempt) => {
      const target = { agentId, reference: { callId }, lookedUp: attempt === 0 ? lookedUp : undefined };
      const found = await this.#stored.find(target);
      // The write of an earlier attempt succeeded, and its response was lost.
      if (found?.version === version) return found.call;
      const given = typeof facts === 'function' ? facts(found?.call) : facts;
      const call = change(withFacts(found?.call, agentId, callId, given));
      if (call !== found?.call) await this.table.transact(recordActions(this.table, call, found, version));
      return call;
    });
  }

  /** Records a call with its outcome. Blocking its number is a second write. */
  async recordWithOutcome(
    agentId: string,
    callId: string,
    facts: (found: Call | undefined) => CallFacts,
    { change, block }: NonNullable<Recording['outcome']>,
  ): Promise<void> {
    if (!block) return void (await this.record(agentId, callId, facts, { change }));
    const recorded = await this.record(agentId, callId, facts);
    // An outcome that does not change blocks no number again.
    if (change(recorded) !== recorded) await this.setOutcome({ agentId, reference: { callId }, change, block });
  }

  /** Records many calls, undefined for deleted ones. Nothing begins after `until` (Unix milliseconds). */
  async recordMany(items: Recording[], until: number): Promise<(Call | undefined | Error)[]> {
    // An outcome that blocks the call's number is set in a separate transaction.
    const blocking = new Set(items.filter(({ outcome }) => outcome?.block).map(callName));
    const facts = items.map((item) => (blocking.has(callName(item)) ? { ...item, outcome: undefined } : item));
    const results: (Call | undefined | Error)[] = await recordCalls(this.table, this.#stored, facts, until);
    const changes = items.flatMap((item, index) => {
      const { agentId, callId, outcome } = item;
      if (!outcome || !blocking.has(callName(item)) || results[index] instanceof Error) return [];
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
    const callIds = [...new Set(entries.map(({ sk }) => callIdAt(sk)))];
    const stored = await this.#stored.read(callIds.map((callId) => callKey(agentId, callId)));
    const found = [...stored.values()].filter(isConcerned);
    const gone = entries.filter(({ sk }) => !stored.has(callKey(agentId, callIdAt(sk)).pk));
    for (const { pk, sk } of gone) await this.table.delete({ pk, sk }, isOfDeletedCall);
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

  /** Returns the actions that delete a call. If `kept`, its entry names the request for an hour. */
  #removal(found: StoredCall, kept?: { isLogged: boolean }): TransactionAction[] {
    const { agentId, callId } = found.call;
    const [byTime, ...others] = callEntryKeys(found.call) as [ItemKey, ...ItemKey[]];
    return [
      this.table.deleteAction(callKey(agentId, callId), isUnchanged(found)),
      kept ? this.table.putAction(buildDeletedCall(found, kept)) : this.table.deleteAction(byTime),
      ...others.map((key) => this.table.deleteAction(key)),
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
  'dynamodb:Query',
  'dynamodb:UpdateItem',
] as const;

export const calls = /* @__PURE__ */ service(() => new Calls(table.get(), environment.callRetentionDays), {
  count: ['dynamodb:Query'],
  record: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  recordWithOutcome: ['dynamodb:DeleteItem', 'dynamodb:PutItem', ...outcomePermissions],
  recordMany: ['dynamodb:DeleteItem', 'dynamodb:PutItem', ...outcomePermissions],
  remove: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  removeAll: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
  erase: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  setOutcome: outcomePermissions,
  setOutcomes: outcomePermissions,
});
