import { now } from '../../domain/date-time.ts';
import { newUlid } from '../../domain/identifiers.ts';
import { clearedByAttempt, deleting, isUnfinished, newAttempt, running, visible } from '../../domain/source-state.ts';
import { type SourceChange, storedWarnings } from '../../domain/sources.ts';
import { type Change, type Condition, exists, isAbsent, when } from '../expressions.ts';
import { countKey } from '../keys.ts';
import { countAction, type Quota, recountSources } from '../quotas.ts';
import { type Table, TableStore, type TransactionAction } from '../table.ts';
import { searchChanged } from './source-changes.ts';
import {
  hasText,
  isBeingDeleted,
  isMine,
  isNotAt,
  isNotBeingDeleted,
  isNotExpired,
  isUnchanged,
  isVisible,
  isWaiting,
  mayStart,
} from './source-conditions.ts';
import {
  type SourceItem,
  type SourceKind,
  type SourceRecord,
  type SourceReference,
  toSourceRecord,
} from './source-reads.ts';
import { type SourceIndex, SourceTextWrites, splitIndex, type Texts } from './source-text-writes.ts';
import type { TextReference } from './source-texts.ts';

/** Deletes everything else that belongs to a source. */
type DeleteMore = (source: SourceReference) => Promise<void>;

/** Writes the records of a kind of source. A stale job, at another attempt, writes nothing. */
export class Sources<R extends SourceRecord> extends TableStore {
  readonly #kind: SourceKind;
  readonly #quota: Quota | undefined;
  readonly #texts = new SourceTextWrites(this.table);

  /** Without a quota, an agent may have any number of sources. */
  constructor(table: Table, kind: SourceKind, quota?: Quota) {
    super(table);
    this.#kind = kind;
    this.#quota = quota;
  }

  /** Adds a source. An earlier request may have added it. */
  async add(record: R, quota = this.#quota): Promise<R> {
    const [added] = await this.addAll([record], quota);
    return added ?? record;
  }

  /** Adds all new sources of one agent, or none. */
  async addAll(records: R[], quota = this.#quota): Promise<R[]> {
    const existing = new Map<R, R>();
    for (;;) {
      const added = records.filter((record) => !existing.has(record));
      const failed = added.length > 0 ? await this.#putCounted(added, quota) : undefined;
      if (!failed) return records.map((record) => existing.get(record) ?? record);
      for (const [position, item] of failed) {
        const record = added[position];
        if (record) existing.set(record, (item && this.#visible(item)) ?? record);
      }
      const exceedsQuota = failed.size === 1 && failed.has(added.length);
      if (exceedsQuota && !(await recountSources(this.table, added[0]?.agentId ?? ''))) throw quota?.exceeded();
    }
  }

  /** Adds and counts sources. Returns existing sources by index, and the next index above the quota. */
  #putCounted(records: R[], quota: Quota | undefined) {
    const agentId = records[0]?.agentId ?? '';
    return this.table.tryTransact<SourceItem<R>>([
      ...records.map((record) => this.table.putAction(this.#toItem(record), isAbsent)),
      countAction(this.table, countKey({ agentId }), records.length, quota),
    ]);
  }

  /** Sends a new source's job, or removes the source that nothing would read. */
  async sendOrRemove(record: R, send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      await this.table.tryTransact([
        this.table.deleteAction(this.#recordKey(record), isMine(record.attempt ?? '', this.#kind.states)),
        countAction(this.table, countKey(record), -1),
      ]);
      throw error;
    }
  }

  /** Sends the job of an existing source, or fails its attempt. */
  async sendOrFail(record: R, send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      await this.fail(record, record.attempt ?? '', 'The work could not be started. Try again.');
      throw error;
    }
  }

  /** Enables, disables or renames a source. */
  async edit(
    source: SourceReference,
    change: SourceChange,
    uid: string,
    condition = isVisible(),
  ): Promise<R | undefined> {
    const set = { ...change, lastUpdatedBy: uid, lastUpdatedAt: now() };
    const failed = await this.table.tryTransact([
      this.table.updateAction(this.#recordKey(source), { set }, condition),
      searchChanged(this.table, source),
    ]);
    return failed ? undefined : this.find(source);
  }

  /** Begins a new attempt, if `mayRestart` allows; the text stays. Undefined without a source. */
  async restart(
    source: SourceReference,
    next: { attempt: string; uid: string },
    mayRestart: (status: string) => boolean,
    prepare?: (found: R) => Promise<Partial<R>>,
  ): Promise<{ record: R; restarted: boolean } | undefined> {
    for (;;) {
      const found = await this.find(source);
      if (!found) return undefined;
      if (found.attempt === next.attempt) return { record: found, restarted: true };
      if (!mayRestart(found.status)) return { record: found, restarted: false };
      const fields = {
        ...(await prepare?.(found)),
        ...newAttempt(this.#kind.states, next.attempt),
        ...clearedByAttempt,
      };
      const changed = await this.#change(
        source,
        { set: { ...fields, lastUpdatedBy: next.uid, lastUpdatedAt: now() } },
        isUnchanged(found),
      );
      if (changed) return { record: changed, restarted: true };
    }
  }

  /** Returns the record in any state. */
  protected async findInAnyState(source: SourceReference): Promise<R | undefined> {
    const item = await this.#get(source);
    return item && toSourceRecord(item);
  }

  /** Returns the record as readers see it. */
  protected async find(source: SourceReference): Promise<R | undefined> {
    const item = await this.#get(source);
    return item && this.#visible(item);
  }

  /** Ends the wait for a file that arrived, however late; its job follows. */
  async endWait(source: SourceReference): Promise<void> {
    await this.table.change(this.#recordKey(source), { set: { fileDeadlineAt: null, ttlSeconds: null } }, isWaiting);
  }

  /** Begins the attempt at a file, however late. Undefined when begun before, or deleted. */
  async receive(source: SourceReference, attempt: string): Promise<R | undefined> {
    const fields = { ...newAttempt(this.#kind.states, attempt), ...clearedByAttempt };
    return this.#change(source, { set: { ...fields, lastUpdatedAt: now() } }, isNotAt(attempt));
  }

  /** Returns the record for jobs, even after its file's deadline, unless it is deleted. */
  async findForJob(source: SourceReference): Promise<R | undefined> {
    const item = await this.#get(source);
    return item && item.status !== deleting ? toSourceRecord(item) : undefined;
  }

  /** Begins a run until `endsAt` (Unix milliseconds); undefined at another attempt. */
  async start(
    source: SourceReference,
    attempt: string,
    endsAt?: number,
  ): Promise<{ record: R; revision: string } | undefined> {
    return this.begin(source, {}, endsAt, mayStart(attempt, this.#kind.states));
  }

  /** Begins a run with further fields; undefined if the condition fails. */
  protected async begin(
    source: SourceReference,
    fields: Partial<R>,
    endsAt: number | undefined,
    condition: Condition,
  ): Promise<{ record: R; revision: string } | undefined> {
    const revision = newUlid();
    const change = {
      set: { ...fields, ...running(this.#kind.states, endsAt), error: null, givenUp: null },
      add: { revisions: new Set([revision]) },
    };
    const record = await this.#change(source, change, condition);
    return record && { record, revision };
  }

  /** Makes new texts visible in one write. Deletes them, and returns false, at another attempt. */
  async finish(
    source: SourceReference,
    run: { attempt: string; revision: string },
    texts: Texts,
    fields: Partial<R>,
  ): Promise<boolean> {
    const text = await this.#texts.write(source.id, run.revision, texts);
    const earlier = (await this.#get(source))?.revisions ?? [];
    const warnings = storedWarnings(fields.warnings) ?? null;
    const set = { ...fields, status: 'ready', error: null, text, warnings, lastUpdatedAt: now() };
    const failed = await this.table.tryTransact<SourceItem<R>>([
      this.table.updateAction(this.#recordKey(source), { set }, isMine(run.attempt, this.#kind.states)),
      searchChanged(this.table, source),
    ]);
    if (failed) {
      // This write succeeded earlier, and its response was lost.
      if (failed.get(0)?.text?.revision === run.revision) return true;
      await this.#texts.deleteTexts(source.id, run.revision);
      return false;
    }
    // Earlier runs can end no more: their pieces go now, or with the next run.
    const left = [...earlier].filter((revision) => revision !== run.revision);
    for (const revision of left) await this.#texts.deleteTexts(source.id, revision);
    if (left.length > 0)
      await this.table.change(this.#recordKey(source), { remove: { revisions: new Set(left) } }, exists);
    return true;
  }

  /** Ends a run that found the same text, unsearched again. Returns false at another attempt. */
  async finishUnchanged(
    source: SourceReference,
    run: { attempt: string; revision: string },
    text: TextReference,
    fields: Partial<R>,
    visits?: Uint8Array,
  ): Promise<boolean> {
    if (visits) await this.#texts.writeVisits(source.id, text.revision, visits);
    const change = { set: { ...fields, status: 'ready', error: null }, remove: { revisions: new Set([run.revision]) } };
    return (await this.#change(source, change, isMine(run.attempt, this.#kind.states))) !== undefined;
  }

  /** Replaces an index, named from its first batch on so that a later run finds it. False if the text changed. */
  async reindex(source: SourceReference, text: TextReference, index: SourceIndex): Promise<boolean> {
    const { reference, batches } = splitIndex(source.id, text.revision, index);
    const { index: former, unusedIndexes: left = [], ...rest } = text;
    let current = text;
    let pieces = 0;
    for (const items of batches) {
      pieces += items.length;
      const isWhole = pieces === reference.pieces;
      const unused = isWhole ? [...left, ...(former ? [former] : [])] : [...left, { ...reference, pieces }];
      const next = { ...(isWhole ? { ...rest, index: reference } : text), ...(unused[0] && { unusedIndexes: unused }) };
      const actions = items.map((item) => this.table.putAction(item));
      if (isWhole) actions.push(searchChanged(this.table, source));
      if (!(await this.#replaceText(source, current, next, actions))) return false;
      current = next;
    }
    await this.deleteUnusedIndexes(source, current);
    return true;
  }

  /** Deletes the pieces of interrupted and replaced indexes of a text. */
  async deleteUnusedIndexes(source: SourceReference, text: TextReference): Promise<void> {
    if (!text.unusedIndexes) return;
    await this.#texts.deleteUnusedIndexes(source.id, text);
    const { unusedIndexes: _, ...rest } = text;
    await this.#replaceText(source, text, rest);
  }

  /** Writes a new text reference with more actions, if the former holds. */
  async #replaceText(
    source: SourceReference,
    former: TextReference,
    text: TextReference,
    actions: TransactionAction[] = [],
  ) {
    const failed = await this.table.tryTransact([
      this.table.updateAction(this.#recordKey(source), { set: { text } }, hasText(former)),
      ...actions,
    ]);
    return failed === undefined;
  }

  /** Fails an attempt; its text stays. False: the source is at another attempt, or deleted. */
  async fail(
    source: SourceReference,
    attempt: string,
    error: string,
    fields: Partial<R> = {},
    condition?: Condition,
  ): Promise<boolean> {
    const set = { ...fields, status: 'failed', error, lastUpdatedAt: now() };
    return (await this.changeAttempt(source, attempt, set, condition)) !== undefined;
  }

  /** Fails an attempt at its job's last delivery. The message may still come again. */
  async giveUp(source: SourceReference, attempt: string, error: string): Promise<void> {
    const set = { status: 'failed', error, givenUp: true, lastUpdatedAt: now() };
    await this.changeAttempt(source, attempt, set);
  }

  /** Deletes a source, its record last. Repeating completes an interrupted deletion. False: there is no such source. */
  remove(source: SourceReference, deleteMore?: DeleteMore): Promise<boolean> {
    return this.#delete(source, isNotExpired(), deleteMore);
  }

  /** Deletes an agent's sources, until a time (Unix milliseconds). Returns true at their end. */
  async removeAll(agentId: string, until: number, deleteMore?: DeleteMore): Promise<boolean> {
    for await (const item of this.table.query<SourceItem<R>>(this.#kind.of(agentId))) {
      if (Date.now() >= until) return false;
      await this.#delete(toSourceRecord(item), exists, deleteMore);
    }
    return true;
  }

  async #delete(source: SourceReference, condition: Condition, deleteMore?: DeleteMore): Promise<boolean> {
    const change = { set: { status: deleting, attempt: null, deadlineAt: null } };
    const failed = await this.table.tryTransact<SourceItem<R>>([
      this.table.updateAction(this.#recordKey(source), change, when`${condition} and ${isNotBeingDeleted}`),
      countAction(this.table, countKey(source), -1),
    ]);
    if (failed && failed.get(0)?.status !== deleting) return false;
    await this.#deleteRest(source, deleteMore);
    return true;
  }

  /** Deletes a hidden source's texts, then more, then the record. */
  async #deleteRest(source: SourceReference, deleteMore?: DeleteMore): Promise<void> {
    await this.#texts.deleteTexts(source.id);
    await deleteMore?.(source);
    await this.table.delete(this.#recordKey(source), isBeingDeleted);
  }

  /** Deletes what is left of a deleted source, and nothing else. */
  async deleteOrphans(source: SourceReference, deleteMore?: DeleteMore): Promise<void> {
    const item = await this.#get(source);
    if (item && item.status !== deleting) return;
    await this.#deleteRest(source, deleteMore);
  }

  /** Copies a source. Without a text, the copy waits under `attempt`. Undefined if the source is deleted meanwhile. */
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
      // The text was replaced in between, and is copied again.
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

  /** Adds a copy, unless another run did. The agent's copy counts them later. */
  async #addCopy(record: R): Promise<R> {
    const { item } = await this.table.putNew<SourceItem<R>>(this.#toItem(record));
    return this.#visible(item) ?? record;
  }

  #toItem(record: R): SourceItem<R> {
    return { ...this.#recordKey(record), ...record };
  }

  #recordKey({ agentId, id }: SourceReference) {
    return this.#kind.formKey(agentId, id);
  }

  #get(source: SourceReference) {
    return this.table.get<SourceItem<R>>(this.#recordKey(source));
  }

  #visible(item: SourceItem<R>): R | undefined {
    return visible(this.#kind.states, toSourceRecord(item));
  }

  async #change(source: SourceReference, change: Change, condition: Condition): Promise<R | undefined> {
    const item = await this.table.change<SourceItem<R>>(this.#recordKey(source), change, condition);
    return item && this.#visible(item);
  }

  /** Changes fields of an unfinished attempt; undefined at another attempt. */
  protected changeAttempt(
    source: SourceReference,
    attempt: string,
    set: Record<string, unknown>,
    condition = exists,
  ): Promise<R | undefined> {
    return this.#change(source, { set }, when`${isMine(attempt, this.#kind.states)} and ${condition}`);
  }
}

/** The permissions that each method needs, for both kinds of sources. */
export const sourcePermissions = {
  add: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  addAll: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  sendOrRemove: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  sendOrFail: ['dynamodb:UpdateItem'],
  edit: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  restart: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  endWait: ['dynamodb:UpdateItem'],
  receive: ['dynamodb:UpdateItem'],
  reindex: ['dynamodb:BatchWriteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  deleteUnusedIndexes: ['dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'],
  findForJob: ['dynamodb:GetItem'],
  start: ['dynamodb:UpdateItem'],
  finish: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  finishUnchanged: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
  fail: ['dynamodb:UpdateItem'],
  giveUp: ['dynamodb:UpdateItem'],
  remove: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  removeAll: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  deleteOrphans: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:Query'],
  copy: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
} as const;
