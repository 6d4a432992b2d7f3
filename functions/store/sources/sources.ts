import { now } from '../../domain/date-time.ts';
import { clearedByAttempt, deleting, isUnfinished, newAttempt, running, visible } from '../../domain/source-state.ts';
import type { SourceChange } from '../../domain/sources.ts';
import { type Change, type Condition, conditionOf, updateOf } from '../expressions.ts';
import { countKey } from '../keys.ts';
import { countAction, type Quota, recountSources } from '../quotas.ts';
import type { Item, Table } from '../table.ts';
import { conflictingItem } from '../write-failures.ts';
import {
  hasText,
  isBeingDeleted,
  isMine,
  isNotAt,
  isNotExpired,
  isUnchanged,
  isVisible,
  mayStart,
} from './source-conditions.ts';
import { recordOf, type SourceItem, type SourceKind, type SourceRecord, type SourceReference } from './source-reads.ts';
import { indexPiecesOf, type SourceIndex, SourceTexts, type TextReference, type Texts } from './source-texts.ts';

/**
 * Writes the records of one kind of knowledge source. Every change is one conditional write, and a job names the attempt
 * it was started for: one that comes late finds the record deleted or moved on, and leaves no trace.
 */
export class Sources<R extends SourceRecord> {
  readonly #table: Table;
  readonly #kind: SourceKind;
  readonly #quota: Quota | undefined;
  readonly #texts: SourceTexts;

  /** Without a quota, an agent may have any number of sources. */
  constructor(table: Table, kind: SourceKind, quota?: Quota) {
    this.#table = table;
    this.#kind = kind;
    this.#quota = quota;
    this.#texts = new SourceTexts(table);
  }

  /** Adds a source, or returns the one that a repeated request already added under this id. */
  async add(record: R): Promise<R> {
    const [added] = await this.addAll([record]);
    return added ?? record;
  }

  /** Adds several sources of one agent: all that are new, or none. */
  async addAll(records: R[]): Promise<R[]> {
    const existing = new Map<R, R>();
    for (;;) {
      const added = records.filter((record) => !existing.has(record));
      const failed = added.length > 0 ? await this.#putCounted(added) : undefined;
      if (!failed) return records.map((record) => existing.get(record) ?? record);
      for (const [position, item] of failed) {
        const record = added[position];
        if (record) existing.set(record, (item && this.#visible(item)) ?? record);
      }
      const isFull = failed.size === 1 && failed.has(added.length);
      if (isFull && !(await recountSources(this.#table, added[0]?.agentId ?? ''))) throw this.#quota?.exceeded();
    }
  }

  /** Puts new sources of one agent and counts them. When that fails: at which of them, or after them the counter. */
  #putCounted(records: R[]) {
    const agentId = records[0]?.agentId ?? '';
    const puts = records.map((record) => ({
      Put: {
        TableName: this.#table.name,
        Item: this.#itemOf(record),
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      },
    }));
    const count = countAction(this.#table, countKey({ agentId }), records.length, this.#quota);
    return this.#table.transactUnless<SourceItem<R>>([...puts, count]);
  }

  /** Sends the job of a source just added. When it cannot be sent, the source is removed again: no job would ever read it. */
  async sendOrRemove(record: R, send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      await this.#rollBack(record, record.attempt ?? '');
      throw error;
    }
  }

  /** The same for a source that was there before: it ends as failed. */
  async sendOrFail(record: R, send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      await this.fail(record, record.attempt ?? '', 'The work could not be started. Try again.');
      throw error;
    }
  }

  /** Switches or renames a source. */
  async edit(source: SourceReference, { active, name }: SourceChange, uid: string): Promise<R | undefined> {
    return this.#change(source, { set: { active, name, lastUpdatedBy: uid, lastUpdatedAt: now() } }, isVisible());
  }

  /**
   * Begins a new attempt at a source's text; the former text stays until there is a new one. Undefined when there is no
   * such source; not restarted, and as it is, when `mayRestart` of its status is false.
   */
  async restart(
    source: SourceReference,
    next: { attempt: string; uid: string },
    mayRestart: (status: string) => boolean,
  ): Promise<{ record: R; restarted: boolean } | undefined> {
    for (;;) {
      const item = await this.#get(source);
      const found = item && this.#visible(item);
      if (!found) return undefined;
      if (found.attempt === next.attempt) return { record: found, restarted: true };
      if (!mayRestart(found.status)) return { record: found, restarted: false };
      const fields = { ...newAttempt(this.#kind.states, next.attempt), ...clearedByAttempt };
      const changed = await this.#change(
        source,
        { set: { ...fields, lastUpdatedBy: next.uid, lastUpdatedAt: now() } },
        isUnchanged(found),
      );
      if (changed) return { record: changed, restarted: true };
    }
  }

  /** Ends the wait for a file, also one that is over: the file has come, and its job is still to begin. */
  async endWait(source: SourceReference): Promise<void> {
    const condition = {
      expression: 'attribute_exists(fileDeadlineAt) and #status <> :deleting',
      values: { deleting },
    };
    await this.#table.change(this.#keyOf(source), { set: { fileDeadlineAt: null, ttlSeconds: null } }, condition);
  }

  /**
   * Begins the attempt at a file that is there, named after the file's content. It ends the wait for the file, also one
   * that is over: a late job loses no document. Undefined when the attempt at this file is begun already, or the source is deleted.
   */
  async receive(source: SourceReference, attempt: string): Promise<R | undefined> {
    const fields = { ...newAttempt(this.#kind.states, attempt), ...clearedByAttempt };
    return this.#change(source, { set: { ...fields, lastUpdatedAt: now() } }, isNotAt(attempt));
  }

  /** The record as jobs see it: also one whose file came late. Undefined when it is deleted, or its deletion is under way. */
  async findForJob(source: SourceReference): Promise<R | undefined> {
    const item = await this.#get(source);
    return item && item.status !== deleting ? recordOf(item) : undefined;
  }

  /**
   * Begins a job's run, also of an attempt that was given up. Undefined when the attempt is not, or no longer, the source's. A run that is the attempt's last
   * one ends by `endsAt` (Unix milliseconds), one way or another.
   */
  async start(
    source: SourceReference,
    attempt: string,
    endsAt?: number,
  ): Promise<{ record: R; revision: string } | undefined> {
    const revision = this.#texts.newRevision();
    const change = {
      set: { ...running(this.#kind.states, endsAt), error: null, givenUp: null },
      add: { revisions: new Set([revision]) },
    };
    const record = await this.#change(source, change, mayStart(attempt, this.#kind.states));
    return record && { record, revision };
  }

  /**
   * Ends a run with new texts: they are written whole under the run's revision, and then one conditional write makes
   * them visible. False when the source is deleted or has moved on: then nothing of the run stays.
   */
  async finish(
    source: SourceReference,
    run: { attempt: string; revision: string },
    texts: Texts,
    fields: Partial<R>,
  ): Promise<boolean> {
    const text = await this.#texts.write(source.id, run.revision, texts);
    const former = await this.#end(source, run.attempt, { ...fields, status: 'ready', error: null, text });
    if (!former) {
      // If this very write succeeded but its response was lost, it is a success.
      const item = await this.#get(source);
      if (item?.text?.revision === run.revision) return true;
      await this.#texts.deleteTexts(source.id, run.revision);
      return false;
    }
    // No run that began before this one can end any more: its pieces go. If this is interrupted, the next run's end does it.
    const left = [...(former.revisions ?? [])].filter((revision) => revision !== run.revision);
    for (const revision of left) await this.#texts.deleteTexts(source.id, revision);
    if (left.length > 0) await this.#removeRevisions(source, left);
    return true;
  }

  /**
   * Gives the text of a source another index. Each batch of its pieces is written together with the record, which names it
   * from the first one on: wherever a run is killed, a later one or the deletion of the text finds its pieces. False when the
   * text was replaced, indexed or deleted meanwhile.
   */
  async reindex(source: SourceReference, text: TextReference, index: SourceIndex): Promise<boolean> {
    const { reference, batches } = indexPiecesOf(source.id, text.revision, index);
    const { index: former, unusedIndexes: left = [], ...rest } = text;
    let current = text;
    let pieces = 0;
    for (const items of batches) {
      pieces += items.length;
      const isWhole = pieces === reference.pieces;
      const unused = isWhole ? [...left, ...(former ? [former] : [])] : [...left, { ...reference, pieces }];
      const next = { ...(isWhole ? { ...rest, index: reference } : text), ...(unused[0] && { unusedIndexes: unused }) };
      if (!(await this.#replaceText(source, current, next, items))) return false;
      current = next;
    }
    await this.deleteUnusedIndexes(source, current);
    return true;
  }

  /** Deletes what interrupted runs and replaced indexes have left beside the index of a text. */
  async deleteUnusedIndexes(source: SourceReference, text: TextReference): Promise<void> {
    if (!text.unusedIndexes) return;
    await this.#texts.deleteUnusedIndexes(source.id, text);
    const { unusedIndexes: _, ...rest } = text;
    await this.#replaceText(source, text, rest);
  }

  /** Puts items and another text reference at once, if the record has a text reference as it was read. */
  async #replaceText(source: SourceReference, former: TextReference, text: TextReference, items: Item[] = []) {
    const TableName = this.#table.name;
    const Update = { TableName, Key: this.#keyOf(source), ...updateOf({ set: { text } }, hasText(former)) };
    const puts = items.map((Item) => ({ Put: { TableName, Item } }));
    return (await this.#table.transactUnless([{ Update }, ...puts])) === undefined;
  }

  /** Ends an attempt without a new text, and says why; the former text stays. False when the source is deleted or has moved on. */
  async fail(source: SourceReference, attempt: string, error: string, fields: Partial<R> = {}): Promise<boolean> {
    return (await this.#end(source, attempt, { ...fields, status: 'failed', error })) !== undefined;
  }

  /** Ends an attempt whose job has failed at its last delivery. Its message may come again. */
  async giveUp(source: SourceReference, attempt: string, error: string): Promise<void> {
    await this.#end(source, attempt, { status: 'failed', error, givenUp: true });
  }

  /**
   * Deletes a source in any state. It is hidden at once; then its texts go, and what `deleteMore` deletes, and the
   * record last: interrupted at any point, deleting it again completes it. False when there is no such source.
   */
  remove(source: SourceReference, deleteMore?: (record: R) => Promise<void>): Promise<boolean> {
    return this.#delete(source, isNotExpired(), deleteMore);
  }

  /** Deletes all sources of an agent, whatever their state, until a time (Unix milliseconds). True when none is left. */
  async removeAll(agentId: string, until: number, deleteMore?: (record: R) => Promise<void>): Promise<boolean> {
    for await (const item of this.#table.query<SourceItem<R>>(this.#kind.of(agentId))) {
      if (Date.now() >= until) return false;
      await this.#delete(recordOf(item), { expression: 'attribute_exists(pk)' }, deleteMore);
    }
    return true;
  }

  async #delete(source: SourceReference, condition: Condition, deleteMore?: (record: R) => Promise<void>) {
    const change = { set: { status: deleting, attempt: null, deadlineAt: null } };
    const item = await this.#table.change<SourceItem<R>>(this.#keyOf(source), change, condition);
    if (!item) return false;
    await this.#texts.deleteTexts(source.id);
    await deleteMore?.(recordOf(item));
    await this.#deleteCounted(source, isBeingDeleted);
    return true;
  }

  /** Deletes what an interrupted run or deletion left of a source that is deleted, the record last; of another one, nothing. */
  async deleteOrphans(source: SourceReference, deleteMore?: () => Promise<void>): Promise<void> {
    const item = await this.#get(source);
    if (item && item.status !== deleting) return;
    await this.#texts.deleteTexts(source.id);
    await deleteMore?.();
    if (item) await this.#deleteCounted(source, isBeingDeleted);
  }

  /**
   * Copies a source with its text, under an id of its own and with `fields` of its own; the same copy again changes nothing.
   * One whose text is still to come waits for it under the attempt `attempt`. Undefined when the source is deleted meanwhile.
   */
  async copy(
    source: SourceReference,
    to: SourceReference,
    attempt: string | undefined,
    fields: Partial<R>,
  ): Promise<R | undefined> {
    for (let round = 0; round < 5; round++) {
      const item = await this.#get(source);
      const record = item && this.#visible(item);
      if (!record) {
        await this.#texts.deleteTexts(to.id);
        return undefined;
      }
      const { text } = record;
      // The text was replaced or indexed again while it was copied: the new one must be copied.
      if (text && !(await this.#texts.copy(source.id, text, to.id))) continue;
      const state = !isUnfinished(this.#kind.states, record)
        ? {}
        : text
          ? { status: 'ready', attempt: undefined, deadlineAt: undefined }
          : newAttempt(this.#kind.states, attempt);
      const { unusedIndexes: _, ...copied } = text ?? {};
      return this.#addCopy({ ...record, ...(text && { text: copied }), ...to, ...state, ...fields });
    }
    throw new Error('The text of a source kept changing while it was copied.');
  }

  /** Adds the record of a copy, or returns the one that another run added. A copy of an agent counts its sources as it ends. */
  async #addCopy(record: R): Promise<R> {
    try {
      await this.#table.put(this.#itemOf(record), {
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return record;
    } catch (error) {
      const found = conflictingItem<SourceItem<R>>(error);
      if (!found) throw error;
      return this.#visible(found) ?? record;
    }
  }

  #itemOf(record: R) {
    return { ...this.#keyOf(record), ...record };
  }

  #keyOf({ agentId, id }: SourceReference) {
    return this.#kind.keyOf(agentId, id);
  }

  #get(source: SourceReference) {
    return this.#table.get<SourceItem<R>>(this.#keyOf(source));
  }

  #visible(item: SourceItem<R>): R | undefined {
    return visible(this.#kind.states, recordOf(item));
  }

  async #change(source: SourceReference, change: Change, condition: Condition): Promise<R | undefined> {
    const item = await this.#table.change<SourceItem<R>>(this.#keyOf(source), change, condition);
    return item && this.#visible(item);
  }

  /** The last write of an attempt. Returns the item as it was before; undefined when the attempt is not the source's. */
  #end(source: SourceReference, attempt: string, fields: Record<string, unknown>) {
    const change = { set: { ...fields, lastUpdatedAt: now() } };
    const condition = isMine(attempt, this.#kind.states);
    return this.#table.change<SourceItem<R>>(this.#keyOf(source), change, condition, 'ALL_OLD');
  }

  async #rollBack(source: SourceReference, attempt: string): Promise<void> {
    await this.#deleteCounted(source, isMine(attempt, this.#kind.states));
  }

  /** Deletes a record if a condition holds, and counts it no more. */
  async #deleteCounted(source: SourceReference, condition: Condition): Promise<void> {
    const Delete = { TableName: this.#table.name, Key: this.#keyOf(source), ...conditionOf(condition) };
    await this.#table.transactUnless([{ Delete }, countAction(this.#table, countKey(source), -1)]);
  }

  async #removeRevisions(source: SourceReference, revisions: string[]): Promise<void> {
    const change = { remove: { revisions: new Set(revisions) } };
    await this.#table.change(this.#keyOf(source), change, { expression: 'attribute_exists(pk)' });
  }
}

/** What the methods need, for both kinds of sources. */
export const sourcePermissions = {
  add: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  addAll: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  sendOrRemove: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  sendOrFail: ['dynamodb:UpdateItem'],
  edit: ['dynamodb:UpdateItem'],
  restart: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  endWait: ['dynamodb:UpdateItem'],
  receive: ['dynamodb:UpdateItem'],
  reindex: ['dynamodb:BatchWriteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  deleteUnusedIndexes: ['dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'],
  findForJob: ['dynamodb:GetItem'],
  start: ['dynamodb:UpdateItem'],
  finish: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  fail: ['dynamodb:UpdateItem'],
  giveUp: ['dynamodb:UpdateItem'],
  remove: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  removeAll: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  deleteOrphans: [
    'dynamodb:BatchWriteItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  copy: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
} as const;
