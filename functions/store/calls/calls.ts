import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { currentMaker, currentRequestId } from '../../cause.ts';
import { type Call, type CallFacts, type CallReference, withFacts } from '../../domain/calls.ts';
import { chunks } from '../../domain/chunks.ts';
import { environment } from '../../environment.ts';
import { service } from '../../service.ts';
import { when } from '../expressions.ts';
import { callCollection, callIdAt, callKey, type ItemKey, phoneCallCollection } from '../keys.ts';
import { type Table, type TransactionAction, table, untilWritten } from '../table.ts';
import { type OutcomeChange, OutcomeWriter } from './call-outcomes.ts';
import { CallRecords, type CallTarget, callEntryKeys, isUnchanged, type StoredCall } from './call-records.ts';
import { callName, type Recording, recordActions, recordCalls } from './record-calls.ts';

/** A transaction takes 100 actions and 4 MB. A call is at most three items and 150 KB. */
const callsPerTransaction = 25;
const batchConcurrency = 4;
const countConcurrency = 16;
const entriesPerPage = 200;
/** The time for which the entry by time of a call says who deleted it. */
const deletedSeconds = 60 * 60;
/** The time for which the write of one outcome is retried. */
const setOutcomeMilliseconds = 5000;

/** The calls of agents. One transaction writes a call's record, and its entries by time and by number. */
export class Calls {
  readonly #table: Table;
  readonly #records: CallRecords;
  /** All records, including calls that are older than retention. */
  readonly #stored: CallRecords;

  /** With `retentionDays`, calls that started earlier are not found; `removeAll` deletes them. */
  constructor(table: Table, retentionDays?: number) {
    this.#table = table;
    this.#records = new CallRecords(table, retentionDays);
    this.#stored = new CallRecords(table);
  }

  async find(agentId: string, reference: CallReference): Promise<Call | undefined> {
    return (await this.#records.find({ agentId, reference }))?.call;
  }

  /** Returns the number of the agents' calls with a phone number. */
  async count(agentIds: string[], phone: string): Promise<number> {
    const countCalls = async (agentId: string) => {
      let count = 0;
      for await (const entries of this.#table.pages(phoneCallCollection(agentId, phone), { keysOnly: true }))
        count += entries.length;
      return count;
    };
    const counts = await pMap(agentIds, countCalls, { concurrency: countConcurrency });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Records a call, or corrects its facts. The outcome stays, unless `change` changes it. The same facts again write
   * nothing.
   */
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
      if (call !== found?.call) await this.#table.transact(recordActions(this.#table, call, found, version));
      return call;
    });
  }

  /** Records a call with its outcome. An outcome that blocks a number is a second write. */
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

  /**
   * Records many calls with their outcomes. A call that was deleted in between is undefined. Nothing begins after
   * `until` (Unix milliseconds).
   */
  async recordMany(items: Recording[], until: number): Promise<(Call | undefined | Error)[]> {
    // An outcome that blocks the call's number is set in a separate transaction.
    const blocking = new Set(items.filter(({ outcome }) => outcome?.block).map(callName));
    const facts = items.map((item) => (blocking.has(callName(item)) ? { ...item, outcome: undefined } : item));
    const results: (Call | undefined | Error)[] = await recordCalls(this.#table, this.#stored, facts, until);
    const changes = items.flatMap((item, index) => {
      const { agentId, callId, outcome } = item;
      if (!outcome || !blocking.has(callName(item)) || results[index] instanceof Error) return [];
      return [{ index, agentId, reference: { callId }, ...outcome }];
    });
    const changed = await this.setOutcomes(changes, until);
    for (const [place, { index }] of changes.entries()) results[index] = changed[place];
    return results;
  }

  /** Deletes a call with its entries, in one transaction. Returns false when there is no such call. */
  async remove(agentId: string, callId: string): Promise<boolean> {
    return untilWritten(async () => {
      const found = await this.#records.find({ agentId, reference: { callId } });
      if (found) await this.#table.transact(this.#removal(found, true));
      return found !== undefined;
    });
  }

  /**
   * Deletes the calls of an agent, with `phone` and started `before`. Each batch is one transaction with the actions of
   * `alongside`. Returns true when none is left.
   */
  async removeAll(
    agentId: string,
    options: {
      phone?: string;
      before?: string;
      until: number;
      alongside?: (removed: number) => TransactionAction[];
    },
  ): Promise<boolean> {
    const { phone, before, until, alongside = () => [] } = options;
    const collection = phone === undefined ? callCollection(agentId) : phoneCallCollection(agentId, phone);
    for await (const entries of this.#table.pages(collection, { keysOnly: true, limit: entriesPerPage, to: before })) {
      if (Date.now() >= until) return false;
      // The actions alongside all change the same item: concurrent batches would conflict.
      const concurrency = options.alongside ? 1 : batchConcurrency;
      await pMap(
        chunks(entries, callsPerTransaction),
        (batch) => this.#removeBatch(agentId, batch, { phone, before }, alongside),
        { concurrency },
      );
    }
    return true;
  }

  async #removeBatch(
    agentId: string,
    entries: ItemKey[],
    { phone, before }: { phone: string | undefined; before: string | undefined },
    alongside: (removed: number) => TransactionAction[],
  ): Promise<void> {
    const callIds = [...new Set(entries.map(({ sk }) => callIdAt(sk)))];
    const isConcerned = ({ call }: StoredCall) =>
      (phone === undefined || call.phone === phone) && (before === undefined || call.startedAt < before);
    await untilWritten(async () => {
      const stored = await this.#stored.read(callIds.map((callId) => callKey(agentId, callId)));
      const found = [...stored.values()].filter(isConcerned);
      const gone = entries.filter(({ sk }) => !stored.has(callKey(agentId, callIdAt(sk)).pk));
      for (const { pk, sk } of gone) await this.#table.delete({ pk, sk }, when`attribute_exists(deletedBy)`);
      if (found.length === 0) return;
      await this.#table.transact([...found.flatMap((one) => this.#removal(one)), ...alongside(found.length)]);
    });
  }

  /** Changes the outcome of one call, and returns the call; undefined when there is no such call. */
  async setOutcome(change: OutcomeChange): Promise<Call | undefined> {
    const [result] = await this.setOutcomes([change], Date.now() + setOutcomeMilliseconds);
    if (result instanceof Error) throw result;
    return result;
  }

  /** Changes the outcomes of many calls: see `OutcomeWriter`. */
  setOutcomes(changes: OutcomeChange[], until: number): Promise<(Call | undefined | Error)[]> {
    return new OutcomeWriter(this.#table, this.#records, changes, until).write();
  }

  /** Returns the actions that delete a call. Its entry by time stays for an hour, and says who deleted it. */
  #removal(found: StoredCall, isLogged = false): TransactionAction[] {
    const { agentId, callId } = found.call;
    const [byTime, ...others] = callEntryKeys(found.call) as [ItemKey, ...ItemKey[]];
    const deletedBy = isLogged ? currentMaker() : undefined;
    const ttlSeconds = Math.ceil(Date.now() / 1000) + deletedSeconds;
    const deletion = { ...byTime, deletedBy, requestId: currentRequestId(), ttlSeconds };
    return [
      this.#table.deleteAction(callKey(agentId, callId), isUnchanged(found)),
      deletedBy ? this.#table.putAction(deletion) : this.#table.deleteAction(byTime),
      ...others.map((key) => this.#table.deleteAction(key)),
    ];
  }
}

const outcomePermissions = [
  'dynamodb:BatchGetItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:GetItem',
  'dynamodb:PartiQLUpdate',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
] as const;

export const calls = /* @__PURE__ */ service(() => new Calls(table.get(), environment.callRetentionDays), {
  list: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  count: ['dynamodb:Query'],
  record: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  recordWithOutcome: ['dynamodb:DeleteItem', 'dynamodb:PutItem', ...outcomePermissions],
  recordMany: ['dynamodb:DeleteItem', 'dynamodb:PutItem', ...outcomePermissions],
  remove: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  removeAll: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
  setOutcome: outcomePermissions,
  setOutcomes: outcomePermissions,
});
