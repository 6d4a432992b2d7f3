import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import type { Call, CallReference } from '../domain/calls.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { parseJson } from '../domain/json.ts';
import { service } from '../service.ts';
import { callKey, callPosition, callsOf, callsWith, type ItemKey } from './keys.ts';
import { backOff, chunks, type Item, refusalOf, type Table, type TransactionAction, table } from './table.ts';

/**
 * A call's item. The outcome is kept as JSON text: a double or a document must come back exactly as it was sent,
 * and DynamoDB's own numbers end at 1e126. `version` changes with every write.
 */
type CallItem = Item & Omit<Call, OutcomeField> & { outcome?: string; version: string };
type OutcomeField = 'custom_call_outcome' | 'custom_call_outcome_value' | 'custom_call_metadata';

/** A call with the version of it that was read. */
export type VersionedCall = { call: Call; version: string };

/** What a change makes of the call it finds; undefined leaves it as it is. A refusal is thrown. */
export type CallChange = (call: Call | undefined) => Call | undefined;

/** One call to be changed, by whatever a caller named it. */
export type CallTarget = { agentId: string; reference: CallReference };

const attempts = 12;
/** A transaction takes 100 actions; a call is three, five when it moves. */
const callsPerTransaction = 25;
const lanes = 16;
/** After this a request for many calls tries no more of them. */
const patienceMilliseconds = 15_000;

/**
 * The calls of agents. A call is kept three times, once for each way it is asked for (by id, by time, by phone),
 * and always written in one transaction: every read is a single one, and sees what was written before it.
 */
export class Calls {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async find(agentId: string, reference: CallReference): Promise<Call | undefined> {
    return (await this.#read({ agentId, reference }))?.call;
  }

  /** The calls of an agent, newest first; those with one phone number when it is named. */
  list(
    agentId: string,
    options: { phone?: string | undefined; after?: string | undefined; limit?: number | undefined } = {},
  ) {
    const { phone, after, limit } = options;
    const collection = phone === undefined ? callsOf(agentId) : callsWith(agentId, phone);
    return this.#calls(this.#table.query<CallItem>(collection, { after, limit, descending: true }));
  }

  async *#calls(items: AsyncIterable<CallItem>) {
    for await (const item of items) yield callOf(item);
  }

  /** Changes one call. Of two callers at once each sees the other's change; a lost response is no second change. */
  /** Records a call, or changes the one of that id. */
  record(agentId: string, callId: string, change: CallChange): Promise<Call | undefined> {
    return this.change({ agentId, reference: { callId } }, change);
  }

  async change(target: CallTarget, change: CallChange): Promise<Call | undefined> {
    const version = randomUUID();
    for (let attempt = 0; ; attempt++) {
      const found = await this.#read(target);
      if (found?.version === version) return found.call;
      const changed = change(found?.call);
      if (!changed || changed === found?.call) return found?.call;
      try {
        await this.#table.transact(this.#write(changed, found, version));
        return changed;
      } catch (error) {
        if (!refusalOf(error) || attempt === attempts) throw error;
        await backOff(attempt);
      }
    }
  }

  /**
   * Changes many calls, each as `change` would, and tells of each the call as it is now, nothing where there is no
   * such call, or the error that kept it from being changed. Several targets may name the same call: their changes
   * are made one after the other, in the order given.
   */
  async changeMany(targets: (CallTarget & { change: CallChange })[]): Promise<(Call | undefined | Error)[]> {
    const givesUpAt = Date.now() + patienceMilliseconds;
    const results: (Call | undefined | Error)[] = targets.map(() => undefined);
    const found = await this.#readMany(targets);
    const writes = new Map<string, { from: VersionedCall; to: Call; indexes: number[] }>();
    for (const [index, { change }] of targets.entries()) {
      const from = found[index];
      if (from instanceof Error || !from) {
        results[index] = from;
        continue;
      }
      const id = callKey(from.call.agentId, from.call.callId).pk;
      const write = writes.get(id) ?? { from, to: from.call, indexes: [] };
      try {
        write.to = change(write.to) ?? write.to;
        write.indexes.push(index);
        writes.set(id, write);
        results[index] = write.to;
      } catch (error) {
        results[index] = error as Error;
      }
    }
    const changed = [...writes.values()].filter(({ from, to }) => from.call !== to);
    await pMap(
      inTransactions(changed),
      async (group) => {
        const version = randomUUID();
        try {
          await this.#table.transact(group.flatMap(({ from, to }) => this.#write(to, from, version)));
        } catch (fault) {
          // One call in another's way stops the whole transaction: then each goes its own way, while there is time.
          await pMap(group, async ({ from, indexes }) => {
            for (const index of indexes) {
              const change = Date.now() < givesUpAt ? targets[index]?.change : undefined;
              const target = { agentId: from.call.agentId, reference: { callId: from.call.callId } };
              results[index] = change
                ? await this.#changeAfter(version, target, change).catch((error: Error) => error)
                : (fault as Error);
            }
          });
        }
      },
      { concurrency: lanes },
    );
    return results;
  }

  /** Like `change`, for a call that an attempt under `version` may have changed already though its response was lost. */
  async #changeAfter(version: string, target: CallTarget, change: CallChange) {
    const found = await this.#read(target);
    return found?.version === version ? found.call : this.change(target, change);
  }

  async #read({ agentId, reference }: CallTarget): Promise<VersionedCall | undefined> {
    if ('callId' in reference) {
      if (!isIdentifier(reference.callId)) return undefined;
      return versioned(await this.#table.get<CallItem>(callKey(agentId, reference.callId)));
    }
    const descending = reference.preference === 'last';
    const items = this.#table.query<CallItem>(callsWith(agentId, reference.phone), { limit: 1, descending });
    return versioned((await items.next()).value || undefined);
  }

  /** Reads each distinct target once: those named by id together, those by phone side by side. */
  async #readMany(targets: CallTarget[]): Promise<(VersionedCall | undefined | Error)[]> {
    const ids = targets.flatMap(({ agentId, reference }) =>
      'callId' in reference && isIdentifier(reference.callId) ? [callKey(agentId, reference.callId)] : [],
    );
    const distinctKeys = [...new Map(ids.map((key) => [key.pk, key])).values()];
    const byPk = new Map<string, VersionedCall>();
    let fault: Error | undefined;
    await pMap(
      chunks(distinctKeys, 100),
      async (keys: ItemKey[]) => {
        for (const item of await this.#table.getMany<CallItem>(keys))
          byPk.set(item.pk, versioned(item) as VersionedCall);
      },
      { concurrency: lanes },
    ).catch((error: Error) => {
      fault = error;
    });
    const byPhone = new Map<string, Promise<VersionedCall | undefined | Error>>();
    return pMap(
      targets,
      (target) => {
        const { agentId, reference } = target;
        if ('callId' in reference) return byPk.get(callKey(agentId, reference.callId).pk) ?? fault;
        const id = JSON.stringify([agentId, reference]);
        const read = byPhone.get(id) ?? this.#read(target).catch((error: Error) => error);
        byPhone.set(id, read);
        return read;
      },
      { concurrency: lanes },
    );
  }

  /** The actions that write a call in all its places, if it is still as it was found, and take it out of its former ones. */
  #write(call: Call, found: VersionedCall | undefined, version: string): TransactionAction[] {
    const TableName = this.#table.name;
    const { custom_call_outcome, custom_call_outcome_value, custom_call_metadata, ...rest } = call;
    const outcome = JSON.stringify({ custom_call_outcome, custom_call_outcome_value, custom_call_metadata });
    const item = { ...rest, ...(outcome !== '{}' && { outcome }), version };
    const [byId, ...others] = keysOf(call) as [ItemKey, ...ItemKey[]];
    const left = found ? keysOf(found.call).filter((key) => !keysOf(call).some((other) => same(key, other))) : [];
    const condition = found
      ? { ConditionExpression: 'version = :found', ExpressionAttributeValues: { ':found': found.version } }
      : { ConditionExpression: 'attribute_not_exists(pk)' };
    return [
      { Put: { TableName, Item: { ...item, ...byId }, ...condition } },
      ...others.map((key) => ({ Put: { TableName, Item: { ...item, ...key } } })),
      ...left.map((Key) => ({ Delete: { TableName, Key } })),
    ];
  }
}

const keysOf = (call: Call): ItemKey[] => {
  const sk = callPosition(call);
  return [
    callKey(call.agentId, call.callId),
    { pk: callsOf(call.agentId).pk, sk },
    { pk: callsWith(call.agentId, call.phone).pk, sk },
  ];
};

const same = (a: ItemKey, b: ItemKey) => a.pk === b.pk && a.sk === b.sk;

const versioned = (item: CallItem | undefined): VersionedCall | undefined =>
  item && { call: callOf(item), version: item.version };

const callOf = ({ pk: _pk, sk: _sk, version: _version, outcome, ...rest }: CallItem): Call => ({
  ...rest,
  ...(outcome !== undefined && (parseJson(outcome) as Pick<Call, OutcomeField>)),
});

/** Groups of writes that one transaction can carry: 100 actions and 4 MB. */
const inTransactions = <W extends { to: Call }>(writes: W[]): W[][] => {
  const groups: W[][] = [];
  let bytes = 0;
  for (const write of writes) {
    const size = 3 * Buffer.byteLength(JSON.stringify(write.to));
    const group = groups.at(-1);
    if (group && group.length < callsPerTransaction && bytes + size < 3_000_000) {
      group.push(write);
      bytes += size;
    } else {
      groups.push([write]);
      bytes = size;
    }
  }
  return groups;
};

export const calls = service(() => new Calls(table.get()), {
  find: ['dynamodb:GetItem', 'dynamodb:Query'],
  list: ['dynamodb:Query'],
  record: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  change: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  changeMany: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
});
