import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { currentRequestId } from '../../cause.ts';
import type { Call } from '../../domain/calls.ts';
import { chunks } from '../../domain/chunks.ts';
import { ApiError } from '../../domain/errors.ts';
import { type Block, blockAction, blockCheck } from '../block-list/blocked-number.ts';
import { callKey } from '../keys.ts';
import { type Statement, statementsPerBatch, updateStatement } from '../statements.ts';
import { backOff, type Table, type TransactionAction } from '../table.ts';
import { cancellationResults, isRetryable, retryableCodes, type StatementResult } from '../write-failures.ts';
import {
  type CallRecords,
  type CallTarget,
  isUnchanged,
  type StoredCall,
  storedCall,
  toCallAttributes,
} from './call-records.ts';

/** A change of one call's outcome. An error that it throws concerns this change only. */
export type OutcomeChange = CallTarget & {
  change: (call: Call) => Call;
  /** Also blocks the call's number, if it has one, on this list, in the same transaction. */
  block?: Omit<Block, 'phone'>;
};

/** A change in progress. `result` is the call after it, undefined when there is no such call, or the error that prevented it. */
type Update = OutcomeChange & { result: Call | undefined | Error };

/** The write of one call, and the changes that it makes, in the order given. */
type Write = { from: StoredCall; to: Call; updates: Update[]; block?: Block & { isThere?: boolean } };
/** A write that also blocks the call's number, unless its entry exists. */
type BlockingWrite = Write & Required<Pick<Write, 'block'>>;

type IsRepeated = (error: Error) => boolean;

const concurrency = 8;

/**
 * Changes the outcomes of calls, each by one conditional write, or by one transaction if it blocks a number. Returns for
 * each change the call after it, undefined when there is no such call, or the error that prevented it. Changes of the same
 * call are made in the order given; of two concurrent callers, each sees the other's change. Writes that fail are retried.
 * Nothing begins after `until` (Unix milliseconds).
 */
export const changeOutcomes = async (
  table: Table,
  records: CallRecords,
  changes: OutcomeChange[],
  until: number,
): Promise<(Call | undefined | Error)[]> => {
  const found = await records.findMany(changes, until);
  const updates = changes.map((change, index): Update => {
    const one = found[index];
    return { ...change, result: one instanceof Error ? one : one?.call };
  });
  let pending = groupByCall(updates, found).filter(needsWrite);
  const version = randomUUID();
  // A throttled table ends a single change immediately, with an error that asks its caller to send it again.
  const isRepeated: IsRepeated = (error) => isRetryable(error) || (changes.length > 1 && error instanceof ApiError);
  for (let round = 0; pending.length > 0; round++) {
    if (round > 0) await backOff(round);
    if (Date.now() >= until) {
      for (const one of pending) fail(one, new Error('The call was not written in time.'));
      break;
    }
    const blocking = pending.filter((one): one is BlockingWrite => one.block !== undefined);
    const others = pending.filter(({ block }) => block === undefined);
    // Writes that block the same number would conflict.
    const byNumber = Object.values(Object.groupBy(blocking, ({ block }) => block.phone)) as BlockingWrite[][];
    const batches = [
      ...chunks(others, statementsPerBatch).map((batch) => () => write(table, batch, version, until, isRepeated)),
      ...byNumber.map((batch) => () => writeAndBlock(table, batch, version, until, isRepeated)),
    ];
    const left = await pMap(batches, (writeBatch) => writeBatch(), { concurrency });
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

/**
 * Applies the changes of one call in order. A change that throws does not prevent the others, and one that leaves the outcome
 * unchanged blocks no number.
 */
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
  const isSet = ({ block, result }: Update) =>
    block !== undefined && !(result instanceof Error) && result?.custom_call_outcome === block.reason;
  const block = updates.find(isSet)?.block;
  const { phone } = to;
  if (!block || phone === undefined) return { from, to, updates };
  return { from, to, updates, block: { ...block, phone } };
};

/** Returns true for a change that needs a write. A call whose outcome is already set may still have a number to block. */
const needsWrite = ({ from, to, block }: Write) => from.call !== to || block !== undefined;

/** Writes a batch, and returns the writes that must be repeated. */
const write = async (
  table: Table,
  batch: Write[],
  version: string,
  until: number,
  isRepeated: IsRepeated,
): Promise<Write[]> => {
  if (Date.now() >= until) return batch;
  let results: StatementResult[];
  try {
    results = await table.execute(batch.map((one) => outcomeStatement(table, one, version)));
  } catch (error) {
    if (isRepeated(error as Error)) return batch;
    for (const one of batch) fail(one, error as Error);
    return [];
  }
  return batch.flatMap((one, index) => settle(one, results[index] as StatementResult, version));
};

/** Returns the writes that must be repeated after a write with this result. */
const settle = (one: Write, { error, item }: StatementResult, version: string): Write[] => {
  if (error === undefined) return [];
  if (retryableCodes.has(error)) return [one];
  if (error !== 'ConditionalCheckFailed') return fail(one, new Error(`A call was not written: ${error}.`));
  // The call was deleted in between.
  if (!item) return fail(one, undefined);
  const current = storedCall(item);
  // This write succeeded earlier, and its response was lost.
  if (current.version === version) return [];
  return [apply(current, one.updates)].filter(needsWrite);
};

/** Writes calls that block the same number, one after the other, and returns those that must be written again. */
const writeAndBlock = async (
  table: Table,
  batch: BlockingWrite[],
  version: string,
  until: number,
  isRepeated: IsRepeated,
): Promise<Write[]> => {
  const left: Write[] = [];
  for (const one of batch)
    left.push(...(Date.now() < until ? await writeBlocking(table, one, version, isRepeated) : [one]));
  return left;
};

/** Writes a call and the entry of its number in one transaction. An entry that already exists is only checked. */
const writeBlocking = async (
  table: Table,
  one: BlockingWrite,
  version: string,
  isRepeated: IsRepeated,
): Promise<Write[]> => {
  const { block } = one;
  try {
    await table.transact([
      one.from.call === one.to ? versionCheck(table, one) : updateAction(table, one, version),
      block.isThere ? blockCheck(table, block) : blockAction(table, block, version),
    ]);
    return [];
  } catch (error) {
    const [ofCall, ofEntry] = cancellationResults(error) ?? [];
    if (!ofCall || !ofEntry) return isRepeated(error as Error) ? [one] : fail(one, error as Error);
    if (ofCall.error !== undefined) return settle(one, ofCall, version);
    if (ofEntry.error !== 'ConditionalCheckFailed') return [one];
    const other = { ...one, block: { ...block, isThere: !block.isThere } };
    return block.isThere ? [other] : writeBlocking(table, other, version, isRepeated);
  }
};

const fail = ({ updates }: Write, result: Error | undefined): [] => {
  for (const update of updates) update.result = result;
  return [];
};

/** Returns the attributes that a change of an outcome writes. Absent values are null. */
const outcomeAttributes = (to: Call, version: string) => {
  const { outcome, heldOutcome, outcomeUpdatedAt, outcomeHistory } = toCallAttributes(to, version);
  return { outcome, heldOutcome, outcomeUpdatedAt, outcomeHistory, version, requestId: currentRequestId() ?? null };
};

const versionCheck = (table: Table, { from }: Write): TransactionAction =>
  table.checkAction(callKey(from.call.agentId, from.call.callId), isUnchanged(from));

const updateAction = (table: Table, { from, to }: Write, version: string): TransactionAction =>
  table.updateAction(callKey(to.agentId, to.callId), { set: outcomeAttributes(to, version) }, isUnchanged(from));

const outcomeStatement = (table: Table, { from, to }: Write, version: string): Statement =>
  updateStatement(table.name, callKey(to.agentId, to.callId), outcomeAttributes(to, version), isUnchanged(from));
