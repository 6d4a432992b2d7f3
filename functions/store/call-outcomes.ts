import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import type { Call } from '../domain/calls.ts';
import { attributesOf, type CallRecords, type CallTarget, type StoredCall, storedCall } from './call-records.ts';
import { callKey } from './keys.ts';
import {
  backOff,
  chunks,
  isRetryable,
  retryableCodes,
  type Statement,
  type StatementResult,
  type Table,
} from './table.ts';

/** A change of one call's outcome. What it throws is the result of this change alone. */
export type OutcomeChange = CallTarget & { change: (call: Call) => Call };

/** A change on its way: `result` is the call as it is then, nothing where there is no such call, or why it was not changed. */
type Update = OutcomeChange & { result: Call | undefined | Error };

/** The one write of a call, and the changes that it makes, in the order given. */
type Write = { from: StoredCall; to: Call; updates: Update[] };

const statementsPerBatch = 25;
const concurrency = 8;

/**
 * Changes the outcomes of calls, each by one conditional write, and returns for each change the call as it is then,
 * undefined where there is no such call, or the error that prevented it. Changes of the same call are made in the order
 * given, and of two callers at once each sees the other's change. Writes that fail are repeated until `timeoutMilliseconds` is over.
 */
export const changeOutcomes = async (
  table: Table,
  records: CallRecords,
  changes: OutcomeChange[],
  timeoutMilliseconds: number,
): Promise<(Call | undefined | Error)[]> => {
  const deadline = Date.now() + timeoutMilliseconds;
  const found = await records.findMany(changes);
  const updates = changes.map((change, index): Update => {
    const one = found[index];
    return { ...change, result: one instanceof Error ? one : one?.call };
  });
  let pending = groupByCall(updates, found).filter(needsWrite);
  const version = randomUUID();
  for (let round = 0; pending.length > 0; round++) {
    if (round > 0) await backOff(round);
    if (Date.now() >= deadline) {
      for (const one of pending) fail(one, new Error('The call was not written in time.'));
      break;
    }
    const left = await pMap(chunks(pending, statementsPerBatch), (batch) => write(table, batch, version), {
      concurrency,
    });
    pending = left.flat();
  }
  return updates.map(({ result }) => result);
};

const groupByCall = (updates: Update[], found: (StoredCall | undefined | Error)[]): Write[] => {
  const writes = new Map<string, Write>();
  for (const [index, update] of updates.entries()) {
    const from = found[index];
    if (!from || from instanceof Error) continue;
    const { pk } = callKey(from.call.agentId, from.call.callId);
    const group = writes.get(pk) ?? { from, to: from.call, updates: [] };
    group.updates.push(update);
    writes.set(pk, group);
  }
  return [...writes.values()].map(({ from, updates }) => apply(from, updates));
};

/** Makes the changes of one call, one after the other. One that throws leaves the call to the others. */
const apply = (from: StoredCall, updates: Update[]): Write => {
  let to = from.call;
  for (const update of updates) {
    try {
      to = update.change(to);
      update.result = to;
    } catch (error) {
      update.result = error as Error;
    }
  }
  return { from, to, updates };
};

const needsWrite = ({ from, to }: Write) => from.call !== to;

/** Writes a batch, and returns what is to be written again. */
const write = async (table: Table, batch: Write[], version: string): Promise<Write[]> => {
  let results: StatementResult[];
  try {
    results = await table.execute(batch.map((one) => statementOf(table.name, one, version)));
  } catch (error) {
    if (isRetryable(error as Error)) return batch;
    for (const one of batch) fail(one, error as Error);
    return [];
  }
  return batch.flatMap((one, index) => {
    const { error, item } = results[index] as StatementResult;
    if (error === undefined) return [];
    if (retryableCodes.has(error)) return [one];
    if (error !== 'ConditionalCheckFailed') return fail(one, new Error(`A call was not written: ${error}.`));
    // The call was deleted meanwhile.
    if (!item) return fail(one, undefined);
    const current = storedCall(item);
    // This very write succeeded and its response was lost.
    if (current.version === version) return [];
    return [apply(current, one.updates)].filter(needsWrite);
  });
};

const fail = ({ updates }: Write, result: Error | undefined): [] => {
  for (const update of updates) update.result = result;
  return [];
};

const statementOf = (tableName: string, { from, to }: Write, version: string): Statement => {
  const { outcome, outcomeUpdatedAt, outcomeHistory } = attributesOf(to, version);
  const fields = Object.entries({ outcome, outcomeUpdatedAt, outcomeHistory, version });
  const set = fields.filter(([, value]) => value !== null && value !== undefined);
  const cleared = fields.filter(([, value]) => value === null);
  const { pk, sk } = callKey(to.agentId, to.callId);
  const clauses = [...set.map(([name]) => `SET "${name}"=?`), ...cleared.map(([name]) => `REMOVE "${name}"`)];
  return {
    text: `UPDATE "${tableName}" ${clauses.join(' ')} WHERE pk=? AND sk=? AND "version"=?`,
    values: [...set.map(([, value]) => value), pk, sk, from.version],
  };
};
