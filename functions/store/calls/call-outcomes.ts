import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { currentRequestId } from '../../cause.ts';
import { concernsNumber } from '../../domain/call-outcomes.ts';
import type { Call } from '../../domain/calls.ts';
import { chunks } from '../../domain/chunks.ts';
import { allPurposes, hasRevokedAll } from '../../domain/consent-decisions.ts';
import { now } from '../../domain/date-time.ts';
import { ApiError, overloaded } from '../../domain/errors.ts';
import { chooseForm } from '../../domain/number-forms.ts';
import { type Block, blockAction, blockCheck } from '../block-list/blocked-number.ts';
import { consentActions, readConsents, toConsentEntry } from '../consents/consent-items.ts';
import { callKey, consentsKey } from '../keys.ts';
import { repeatRounds } from '../repeat-rounds.ts';
import { type Statement, statementsPerBatch, updateStatement } from '../statements.ts';
import type { Table, TransactionAction } from '../table.ts';
import { cancellationResults, isRetryable, retryableCodes, type StatementResult } from '../write-failures.ts';
import {
  type CallRecords,
  type CallTarget,
  entryActions,
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
  /** Also revokes the consents of the call's number, in the same transaction. */
  revocation?: { uid: string; outcome: string };
};

/** The call after a change, if it exists, or the error that prevented it. */
type Result = Call | undefined | Error;

/** The write of a call with its changes, in the order given. */
type Write = {
  from: StoredCall;
  to: Call;
  changes: OutcomeChange[];
  /** Also blocks the call's number, unless its entry exists. */
  block?: Block & { isThere?: boolean };
  /** Also revokes the consents of a user for the call's number. */
  revocation?: { uid: string; phone: string };
};

const concurrency = 8;

/** Changes outcomes, in order for each call, until `until` (Unix milliseconds). One that concerns the number is a transaction. */
export class OutcomeWriter {
  readonly #table: Table;
  readonly #records: CallRecords;
  readonly #changes: OutcomeChange[];
  readonly #until: number;
  readonly #version = randomUUID();
  readonly #results = new Map<OutcomeChange, Result>();
  /** The last fault of the table after which writes were repeated. */
  #fault?: Error;

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
    for (const one of unwritten) this.#end(one, this.#explainDelay());
    return this.#changes.map((change) => this.#results.get(change));
  }

  /** Writes calls in batches, and returns the writes that must be repeated. */
  async #writeAll(writes: Write[]): Promise<Write[]> {
    // Writes about the same number would conflict.
    const byNumber = Map.groupBy(writes, (one) => {
      const { phone } = one.revocation ?? one.block ?? (this.#entryActions(one).length > 0 ? one.to : {});
      return phone && chooseForm(phone);
    });
    const others = byNumber.get(undefined) ?? [];
    byNumber.delete(undefined);
    const batches = [
      ...chunks(others, statementsPerBatch).map((batch) => () => this.#writeBatch(batch)),
      ...[...byNumber.values()].map((batch) => () => this.#writeInTurn(batch)),
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

  /** Applies a call's changes, and returns their write. None prevents another; an outcome that is not set does nothing. */
  #apply(from: StoredCall, changes: OutcomeChange[]): Write[] {
    let to = from.call;
    let block: OutcomeChange['block'];
    let revocation: OutcomeChange['revocation'];
    for (const one of changes) {
      try {
        to = one.change(to);
        this.#results.set(one, to);
        if (to.custom_call_outcome === one.block?.reason) block ??= one.block;
        if (to.custom_call_outcome === one.revocation?.outcome) revocation ??= one.revocation;
      } catch (error) {
        this.#results.set(one, error as Error);
      }
    }
    const { phone } = to;
    const about = phone !== undefined && {
      block: block && { ...block, phone },
      revocation: revocation && { uid: revocation.uid, phone },
    };
    // The number may not be blocked, or its consents revoked, although the outcome is set.
    return from.call === to && !(about && concernsNumber(about)) ? [] : [{ from, to, changes, ...about }];
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
  async #writeInTurn(batch: Write[]): Promise<Write[]> {
    const left: Write[] = [];
    for (const one of batch) left.push(...(this.#isOver() ? [one] : await this.#writeWithNumber(one)));
    return left;
  }

  /** Writes a call, its number's entry and a revocation together. An existing entry is only checked. */
  async #writeWithNumber(one: Write): Promise<Write[]> {
    const { block } = one;
    const table = this.#table;
    try {
      const revocation = await this.#revocationActions(one);
      if (one.from.call === one.to && !block && revocation.length === 0) return [];
      await table.transact([
        one.from.call === one.to ? this.#checkAction(one) : this.#updateAction(one),
        ...(block ? [block.isThere ? blockCheck(table, block) : blockAction(table, block, this.#version)] : []),
        ...revocation,
        ...this.#entryActions(one),
      ]);
      return [];
    } catch (error) {
      const [ofCall, next] = cancellationResults(error) ?? [];
      if (!ofCall) return this.#isRepeated(error as Error) ? [one] : this.#end(one, error as Error);
      if (ofCall.error !== undefined) return this.#settle(one, ofCall);
      if (!block || next?.error !== 'ConditionalCheckFailed') return [one];
      const other = { ...one, block: { ...block, isThere: !block.isThere } };
      return block.isThere ? [other] : this.#writeWithNumber(other);
    }
  }

  /** Returns the actions that revoke the consents of a number; none where the same outcome has done so before. */
  async #revocationActions({ from, to, revocation }: Write): Promise<TransactionAction[]> {
    if (!revocation) return [];
    const { uid, phone: number } = revocation;
    const found = readConsents(await this.#table.get(consentsKey(uid, number)));
    const isSet = from.call.custom_call_outcome === to.custom_call_outcome && from.call.phone === number;
    if (isSet && hasRevokedAll(found.entries)) return [];
    const proof = { channel: 'call' as const, callId: to.callId };
    const consent = { number, purpose: allPurposes, state: 'revoked' as const, at: now(), proof };
    const added = [{ consent, entry: toConsentEntry(uid, found.salt, consent) }];
    return consentActions(this.#table, uid, found, added, `consents/${this.#version}`);
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

  /** Notes a fault, and returns true if its writes are repeated. Throttling ends a single change at once: its caller sends it again. */
  #isRepeated(error: Error) {
    this.#fault = error;
    return isRetryable(error) || (this.#isBatch && error instanceof ApiError);
  }

  /** Returns why a call was not written in time. Without a fault, others were writing it. */
  #explainDelay(): Error {
    const isContended = !this.#fault && !this.#isBatch;
    return isContended ? overloaded() : new Error('The call was not written in time.', { cause: this.#fault });
  }

  get #isBatch() {
    return this.#changes.length > 1;
  }

  /** Returns the attributes of a changed outcome, with null for absent values. */
  #attributes(to: Call) {
    const { outcome, heldOutcome, outcomeUpdatedAt, outcomeHistory, version } = toCallAttributes(to, this.#version);
    return { outcome, heldOutcome, outcomeUpdatedAt, outcomeHistory, version, requestId: currentRequestId() ?? null };
  }

  /** Returns the actions that keep the call's entry in a history true. */
  #entryActions({ from, to }: Write): TransactionAction[] {
    return entryActions(this.#table, to, from.call);
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
