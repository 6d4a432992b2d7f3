import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { currentRequestId } from '../../cause.ts';
import type { Call } from '../../domain/calls.ts';
import { chunks } from '../../domain/chunks.ts';
import { ApiError } from '../../domain/errors.ts';
import { type Block, blockAction, blockCheck } from '../block-list/blocked-number.ts';
import { callKey } from '../keys.ts';
import { repeatRounds } from '../repeat-rounds.ts';
import { type Statement, statementsPerBatch, updateStatement } from '../statements.ts';
import type { Table, TransactionAction } from '../table.ts';
import { cancellationResults, isRetryable, retryableCodes, type StatementResult } from '../write-failures.ts';
import {
  type CallRecords,
  type CallTarget,
  isUnchanged,
  type StoredCall,
  storedCall,
  toCallAttributes,
} from './call-records.ts';

/** A change of an outcome. An error that it throws is its own. */
export type OutcomeChange = CallTarget & {
  change: (call: Call) => Call;
  /** Also blocks the call's number on this list, in the same transaction. */
  block?: Omit<Block, 'phone'>;
};

/** The call after a change, if it exists, or the error that prevented it. */
type Result = Call | undefined | Error;

/** The write of a call with its changes, in the order given. */
type Write = { from: StoredCall; to: Call; changes: OutcomeChange[]; block?: Block & { isThere?: boolean } };
/** A write that also blocks the call's number, unless its entry exists. */
type BlockingWrite = Write & Required<Pick<Write, 'block'>>;

const concurrency = 8;

/** Changes outcomes, in order for each call, until `until` (Unix milliseconds). A blocking outcome is a transaction. */
export class OutcomeWriter {
  readonly #table: Table;
  readonly #records: CallRecords;
  readonly #changes: OutcomeChange[];
  readonly #until: number;
  readonly #version = randomUUID();
  readonly #results = new Map<OutcomeChange, Result>();

  constructor(table: Table, records: CallRecords, changes: OutcomeChange[], until: number) {
    this.#table = table;
    this.#records = records;
    this.#changes = changes;
    this.#until = until;
  }

  /** Returns the result of each change. */
  async write(): Promise<Result[]> {
    const writes = this.#groupByCall(await this.#records.findMany(this.#changes, this.#until));
    const unwritten = await repeatRounds(writes, this.#until, (pending) => this.#writeAll(pending));
    for (const one of unwritten) this.#end(one, new Error('The call was not written in time.'));
    return this.#changes.map((change) => this.#results.get(change));
  }

  /** Writes calls in batches, and returns the writes that must be repeated. */
  async #writeAll(writes: Write[]): Promise<Write[]> {
    const blocking = writes.filter((one): one is BlockingWrite => one.block !== undefined);
    const others = writes.filter(({ block }) => block === undefined);
    // Writes that block the same number would conflict.
    const byNumber = Object.values(Object.groupBy(blocking, ({ block }) => block.phone)) as BlockingWrite[][];
    const batches = [
      ...chunks(others, statementsPerBatch).map((batch) => () => this.#writeBatch(batch)),
      ...byNumber.map((batch) => () => this.#writeInTurn(batch)),
    ];
    return (await pMap(batches, (writeBatch) => writeBatch(), { concurrency })).flat();
  }

  #groupByCall(found: (StoredCall | undefined | Error)[]): Write[] {
    const groups = new Map<string, { from: StoredCall; changes: OutcomeChange[] }>();
    for (const [index, change] of this.#changes.entries()) {
      const from = found[index];
      if (!from || from instanceof Error) {
        this.#results.set(change, from);
        continue;
      }
      const { pk } = callKey(from.call.agentId, from.call.callId);
      const group = groups.get(pk) ?? { from, changes: [] };
      group.changes.push(change);
      groups.set(pk, group);
    }
    return [...groups.values()].flatMap(({ from, changes }) => this.#apply(from, changes));
  }

  /** Applies a call's changes, and returns their write. None prevents another; an unchanged outcome blocks nothing. */
  #apply(from: StoredCall, changes: OutcomeChange[]): Write[] {
    let to = from.call;
    let block: OutcomeChange['block'];
    for (const one of changes) {
      try {
        to = one.change(to);
        this.#results.set(one, to);
        if (to.custom_call_outcome === one.block?.reason) block ??= one.block;
      } catch (error) {
        this.#results.set(one, error as Error);
      }
    }
    const { phone } = to;
    // The number may not be blocked although the outcome is set.
    if (block && phone !== undefined) return [{ from, to, changes, block: { ...block, phone } }];
    return from.call === to ? [] : [{ from, to, changes }];
  }

  /** Writes a batch, and returns the writes that must be repeated. */
  async #writeBatch(batch: Write[]): Promise<Write[]> {
    if (this.#isOver()) return batch;
    let results: StatementResult[];
    try {
      results = await this.#table.execute(batch.map((one) => this.#statement(one)));
    } catch (error) {
      if (this.#isRepeated(error as Error)) return batch;
      for (const one of batch) this.#end(one, error as Error);
      return [];
    }
    return batch.flatMap((one, index) => this.#settle(one, results[index] as StatementResult));
  }

  /** Writes calls with the same number in turn, and returns those to repeat. */
  async #writeInTurn(batch: BlockingWrite[]): Promise<Write[]> {
    const left: Write[] = [];
    for (const one of batch) left.push(...(this.#isOver() ? [one] : await this.#writeAndBlock(one)));
    return left;
  }

  /** Writes a call and its number's entry together. An existing entry is only checked. */
  async #writeAndBlock(one: BlockingWrite): Promise<Write[]> {
    const { block } = one;
    const table = this.#table;
    try {
      await table.transact([
        one.from.call === one.to ? this.#checkAction(one) : this.#updateAction(one),
        block.isThere ? blockCheck(table, block) : blockAction(table, block, this.#version),
      ]);
      return [];
    } catch (error) {
      const [ofCall, ofEntry] = cancellationResults(error) ?? [];
      if (!ofCall || !ofEntry) return this.#isRepeated(error as Error) ? [one] : this.#end(one, error as Error);
      if (ofCall.error !== undefined) return this.#settle(one, ofCall);
      if (ofEntry.error !== 'ConditionalCheckFailed') return [one];
      const other = { ...one, block: { ...block, isThere: !block.isThere } };
      return block.isThere ? [other] : this.#writeAndBlock(other);
    }
  }

  /** Returns the writes that must be repeated after a write with this result. */
  #settle(one: Write, { error, item }: StatementResult): Write[] {
    if (error === undefined) return [];
    if (retryableCodes.has(error)) return [one];
    if (error !== 'ConditionalCheckFailed') return this.#end(one, new Error(`A call was not written: ${error}.`));
    const current = item && storedCall(item);
    // The call was deleted in between.
    if (!current) return this.#end(one, undefined);
    // This write succeeded earlier, and its response was lost.
    return current.version === this.#version ? [] : this.#apply(current, one.changes);
  }

  #end({ changes }: Write, result: Error | undefined): [] {
    for (const change of changes) this.#results.set(change, result);
    return [];
  }

  #isOver() {
    return Date.now() >= this.#until;
  }

  /** A throttled table ends a single change at once: its caller sends it again. */
  #isRepeated(error: Error) {
    return isRetryable(error) || (this.#changes.length > 1 && error instanceof ApiError);
  }

  /** Returns the attributes of a changed outcome, with null for absent values. */
  #attributes(to: Call) {
    const { outcome, heldOutcome, outcomeUpdatedAt, outcomeHistory, version } = toCallAttributes(to, this.#version);
    return { outcome, heldOutcome, outcomeUpdatedAt, outcomeHistory, version, requestId: currentRequestId() ?? null };
  }

  #checkAction({ from }: Write): TransactionAction {
    return this.#table.checkAction(callKey(from.call.agentId, from.call.callId), isUnchanged(from));
  }

  #updateAction({ from, to }: Write): TransactionAction {
    return this.#table.updateAction(callKey(to.agentId, to.callId), { set: this.#attributes(to) }, isUnchanged(from));
  }

  #statement({ from, to }: Write): Statement {
    const key = callKey(to.agentId, to.callId);
    return updateStatement(this.#table.name, key, this.#attributes(to), isUnchanged(from));
  }
}
