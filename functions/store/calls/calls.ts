import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { type Call, type CallFacts, type CallReference, withFacts } from '../../domain/calls.ts';
import { environment } from '../../environment.ts';
import { service } from '../../service.ts';
import { callIdAt, callKey, callsOf, callsWith, type ItemKey, isSameKey } from '../keys.ts';
import { backOff, chunks, type Table, type TransactionAction, table } from '../table.ts';
import { writeFailure } from '../write-failures.ts';
import { changeOutcomes, type OutcomeChange } from './call-outcomes.ts';
import { attributesOf, CallRecords, entriesOf, type StoredCall } from './call-records.ts';

const maxAttempts = 12;
/** A transaction has at most 100 actions, and 4 MB: a call is at most three items, and 150 KB. */
const callsPerTransaction = 25;
const batchConcurrency = 4;
const countConcurrency = 16;
const entriesPerPage = 200;
/** How long one outcome is tried again when another write or a throttled table prevents it. */
const setOutcomeMilliseconds = 5000;

/** Which of an agent's calls are listed. `from` ≤ start < `to`. */
export type CallRange = { phone?: string | undefined; from?: string | undefined; to?: string | undefined };

/**
 * The calls of agents. A call is one record. Entries by time and by phone number point to it: they are written in one
 * transaction with it, so that a call is found in every way as soon as it is recorded, and an outcome is one write.
 */
export class Calls {
  readonly #table: Table;
  readonly #records: CallRecords;
  /** All records, also of calls that are no longer found. */
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

  /** The calls of an agent, newest first, after a position. `limit` is how many the caller expects to take. */
  list(
    agentId: string,
    { phone, ...range }: CallRange & { after?: string | undefined; limit?: number | undefined } = {},
  ): AsyncGenerator<Call> {
    return this.#records.list(agentId, phone, range);
  }

  /** How many calls of some agents have a phone number. */
  async count(agentIds: string[], phone: string): Promise<number> {
    const countOf = async (agentId: string) => {
      let count = 0;
      for await (const entries of this.#table.pages(callsWith(agentId, phone), { keysOnly: true }))
        count += entries.length;
      return count;
    };
    const counts = await pMap(agentIds, countOf, { concurrency: countConcurrency });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Records a call or corrects its facts; its outcome stays, and with `keepStart` its start. The same facts again write
   * nothing.
   */
  async record(agentId: string, callId: string, facts: CallFacts, { keepStart = false } = {}): Promise<Call> {
    const version = randomUUID();
    for (let attempt = 0; ; attempt++) {
      const found = await this.#stored.find({ agentId, reference: { callId } });
      // The write of an earlier attempt succeeded and its response was lost.
      if (found?.version === version) return found.call;
      const { startedAt } = (keepStart && found?.call) || facts;
      const call = withFacts(found?.call, agentId, callId, { ...facts, startedAt });
      if (call === found?.call) return call;
      try {
        await this.#table.transact(this.#write(call, found, version));
        return call;
      } catch (error) {
        if (!writeFailure(error) || attempt === maxAttempts) throw error;
        await backOff(attempt);
      }
    }
  }

  /** Deletes a call with its entries, in one transaction. False when there is no such call. */
  async remove(agentId: string, callId: string): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      const found = await this.#records.find({ agentId, reference: { callId } });
      if (!found) return false;
      try {
        await this.#table.transact(this.#removal(found));
        return true;
      } catch (error) {
        if (!writeFailure(error) || attempt === maxAttempts) throw error;
        await backOff(attempt);
      }
    }
  }

  /**
   * Deletes the calls of an agent, those with one phone number or from before a time when it is named, until a time (Unix
   * milliseconds). True when none is left. A batch is one transaction, with the actions that `alongside` returns for the calls in it.
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
    const collection = phone === undefined ? callsOf(agentId) : callsWith(agentId, phone);
    for await (const entries of this.#table.pages(collection, { keysOnly: true, limit: entriesPerPage, to: before })) {
      if (Date.now() >= until) return false;
      // What is written alongside is one item, for which batches side by side would compete.
      const concurrency = options.alongside ? 1 : batchConcurrency;
      await pMap(
        chunks(entries, callsPerTransaction),
        (batch) => this.#removeBatch(agentId, batch, { phone, before }, alongside),
        {
          concurrency,
        },
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
    for (let attempt = 0; ; attempt++) {
      const all = await this.#stored.findAll(agentId, callIds);
      const found = [...all.values()].filter(
        ({ call }) =>
          (phone === undefined || call.phone === phone) && (before === undefined || call.startedAt < before),
      );
      if (found.length === 0) return;
      try {
        await this.#table.transact([...found.flatMap((one) => this.#removal(one)), ...alongside(found.length)]);
        return;
      } catch (error) {
        if (!writeFailure(error) || attempt === maxAttempts) throw error;
        await backOff(attempt);
      }
    }
  }

  /** Changes the outcome of one call, and returns it; undefined when there is no such call. */
  async setOutcome(change: OutcomeChange): Promise<Call | undefined> {
    const [result] = await this.setOutcomes([change], setOutcomeMilliseconds);
    if (result instanceof Error) throw result;
    return result;
  }

  /** Changes the outcomes of many calls: see `changeOutcomes`. */
  setOutcomes(changes: OutcomeChange[], timeoutMilliseconds: number): Promise<(Call | undefined | Error)[]> {
    return changeOutcomes(this.#table, this.#records, changes, timeoutMilliseconds);
  }

  /** The actions that delete a call if it is still as it was found, and its entries with it. */
  #removal(found: StoredCall): TransactionAction[] {
    const TableName = this.#table.name;
    const { agentId, callId } = found.call;
    return [
      { Delete: { TableName, Key: callKey(agentId, callId), ...isAsFound(found) } },
      ...entriesOf(found.call).map((Key) => ({ Delete: { TableName, Key } })),
    ];
  }

  /** The actions that write a call if it is still as it was found, and move its entries. */
  #write(call: Call, found: StoredCall | undefined, version: string): TransactionAction[] {
    const TableName = this.#table.name;
    const attributes = Object.entries(attributesOf(call, version)).filter(([, value]) => value !== null);
    const Item = { ...callKey(call.agentId, call.callId), ...Object.fromEntries(attributes) };
    const condition = found ? isAsFound(found) : { ConditionExpression: 'attribute_not_exists(pk)' };
    const former = found ? entriesOf(found.call) : [];
    const entries = entriesOf(call);
    return [
      { Put: { TableName, Item, ...condition } },
      ...without(entries, former).map((entry) => ({ Put: { TableName, Item: entry } })),
      ...without(former, entries).map((Key) => ({ Delete: { TableName, Key } })),
    ];
  }
}

/** The record has not been written since it was read. */
const isAsFound = ({ version }: StoredCall) => ({
  ConditionExpression: 'version = :found',
  ExpressionAttributeValues: { ':found': version },
});

const without = (keys: ItemKey[], others: ItemKey[]) =>
  keys.filter((key) => !others.some((other) => isSameKey(key, other)));

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
  remove: ['dynamodb:DeleteItem', 'dynamodb:GetItem'],
  removeAll: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
  setOutcome: outcomePermissions,
  setOutcomes: outcomePermissions,
});
