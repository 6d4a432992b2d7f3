import { now } from '../domain/date-time.ts';
import { invalidField } from '../domain/errors.ts';
import { jsonBytes } from '../domain/json.ts';
import { fillPage, fromCursor, toCursor } from '../domain/paging.ts';
import type { SourceChange } from '../domain/sources.ts';
import type { Collection, ItemKey } from './keys.ts';
import { type ListedTexts, type SourceIndex, SourceTexts, type TextReference, type Texts } from './source-texts.ts';
import { conflictingItem, type Item, refusalOf, type Table } from './table.ts';

/** What the records of websites and documents have in common. The fields after `attempt` are the service's own. */
export type SourceRecord = {
  id: string;
  agentId: string;
  name: string;
  active: boolean;
  /** `pending`, the kind's word for work under way, `ready` or `failed`. */
  status: string;
  /** Why it failed, in a sentence. */
  error?: string;
  lastUpdatedBy: string;
  lastUpdatedAt: string;
  /** The job that is to bring its text, or has. A job of another attempt changes nothing. */
  attempt?: string;
  /** Unix milliseconds. Work not ended by then counts as failed, whatever became of its message. */
  dueBy?: number;
  /** The text that readers see. */
  text?: TextReference;
  /** Unix seconds. From then on the record counts as gone. */
  ttlSeconds?: number;
};

export type SourceKind = {
  keyOf(agentId: string, id: string): ItemKey;
  of(agentId: string): Collection;
  /** The status while its job is at work. */
  working: string;
  /** What is told of work that never ended. */
  overdue: string;
  /** The texts of a source that has none yet; empty ones, unless the kind has others. */
  blank?: { content: string; contentMD: string };
  /** Bytes that an answer adds to each record of a list. */
  addedBytes?: number;
};

/** Which source: the agent it belongs to, and its id. */
export type SourceReference = { agentId: string; id: string };

/** `revisions` are those under which pieces may be stored. */
type SourceItem<R> = Item & R & { revisions?: Set<string> };
type Values = Record<string, unknown>;

const pending = 'pending';
/** After this, work that has not ended counts as failed: no message comes again so late. */
const patienceMinutes = 60;
export const newDueBy = () => Date.now() + patienceMinutes * 60_000;

/** A deletion under way: nobody sees the record any more, and whoever deletes again goes on with it. */
const deleting = 'deleting';

/**
 * The records of one kind of knowledge source. Every change is one conditional write, and a job names the attempt it
 * was started for: one that comes late finds the record gone or moved on, and leaves no trace.
 */
export class Sources<R extends SourceRecord> {
  readonly #table: Table;
  readonly #kind: SourceKind;
  readonly #texts: SourceTexts;

  constructor(table: Table, kind: SourceKind) {
    this.#table = table;
    this.#kind = kind;
    this.#texts = new SourceTexts(table);
  }

  get #blank() {
    return this.#kind.blank ?? { content: '', contentMD: '' };
  }

  async find(agentId: string, id: string): Promise<R | undefined> {
    const item = await this.#table.get<SourceItem<R>>(this.#kind.keyOf(agentId, id));
    return item && this.#recordOf(item);
  }

  /** An agent's sources by id, which is by the time they were added. */
  async *list(
    agentId: string,
    options: { after?: string | undefined; limit?: number | undefined } = {},
  ): AsyncGenerator<R> {
    for await (const item of this.#table.query<SourceItem<R>>(this.#kind.of(agentId), options)) {
      const record = this.#recordOf(item);
      if (record) yield record;
    }
  }

  /** Adds a source; the one already there under this id, which a repeated request made, is given back instead. */
  async add(record: R): Promise<R> {
    const item = { ...this.#kind.keyOf(record.agentId, record.id), ...record };
    try {
      await this.#table.put(item, {
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return record;
    } catch (error) {
      const found = conflictingItem<SourceItem<R>>(error);
      if (!found) throw error;
      return this.#recordOf(found) ?? record;
    }
  }

  /** Sends the job of a source just added. When it cannot be sent, the source is removed again: no job would ever read it. */
  async sendOrRemove(record: R, send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      await this.#discard(record, record.attempt ?? '');
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

  async #discard({ agentId, id }: SourceReference, attempt: string): Promise<void> {
    const { expression, values } = isMine(attempt, this.#kind);
    const condition = {
      ConditionExpression: expression,
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: values,
    };
    await this.#table.delete(this.#kind.keyOf(agentId, id), condition).catch((error) => {
      if (refusalOf(error) !== 'condition') throw error;
    });
  }

  /** Switches or renames a source. */
  async edit(source: SourceReference, { active, name }: SourceChange, uid: string): Promise<R | undefined> {
    return this.#change(source, { active, name, lastUpdatedBy: uid, lastUpdatedAt: now() }, isThere());
  }

  /**
   * Begins a new attempt at a source's text; the former text stays until there is a new one. A record that was to go
   * by itself stays from then on. Refused, with the record as it is, when `mayRestart` of its status is false.
   */
  async restart(
    source: SourceReference,
    next: { attempt: string; dueBy: number; uid: string },
    mayRestart: (status: string) => boolean,
  ): Promise<{ record: R; restarted: boolean } | undefined> {
    for (;;) {
      const found = await this.find(source.agentId, source.id);
      if (!found) return undefined;
      if (found.attempt === next.attempt) return { record: found, restarted: true };
      if (!mayRestart(found.status)) return { record: found, restarted: false };
      const changed = await this.#change(
        source,
        {
          status: pending,
          attempt: next.attempt,
          dueBy: next.dueBy,
          error: null,
          lastUpdatedBy: next.uid,
          lastUpdatedAt: now(),
          ttlSeconds: null,
        },
        isStill({ attempt: found.attempt, lastUpdatedAt: found.lastUpdatedAt }),
      );
      if (changed) return { record: changed, restarted: true };
    }
  }

  /**
   * Begins a job's run. Undefined when the attempt is not, or no longer, this source's to make: then whatever an
   * earlier run may have left of a source that is gone is deleted. A run that is the attempt's last one says by when
   * it has ended, one way or another.
   */
  async start(
    source: SourceReference,
    attempt: string,
    dueBy?: number,
  ): Promise<{ record: R; revision: string } | undefined> {
    const revision = this.#texts.newRevision();
    const record = await this.#change(
      source,
      { status: this.#kind.working, dueBy },
      isMine(attempt, this.#kind),
      revision,
    );
    if (record) return { record, revision };
    await this.sweep(source);
  }

  /** Deletes what an earlier run may have left of a source that is gone; of one that is there, nothing. */
  async sweep(source: SourceReference): Promise<void> {
    const item = await this.#table.get(this.#kind.keyOf(source.agentId, source.id));
    if (!item) await this.#texts.erase(source.id);
  }

  /**
   * Ends a run with new texts: they are written whole under the run's revision, and then one conditional write makes
   * them what readers see. False when the source is gone or has moved on: then nothing of the run stays.
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
      // Our own success, when the response to it was lost, is no refusal.
      const found = await this.find(source.agentId, source.id);
      if (found?.text?.revision === run.revision) return true;
      await this.#texts.erase(source.id, run.revision);
      return false;
    }
    // Nobody can end a run that was begun before this: what such runs wrote goes. Left undone, the next run's end does it.
    const left = [...(former.revisions ?? [])].filter((revision) => revision !== run.revision);
    for (const revision of left) await this.#texts.erase(source.id, revision);
    if (left.length > 0) await this.#forget(source, left);
    return true;
  }

  /** Gives the text of a source another index. False when it is no longer the source's text: then nothing of the index stays. */
  async reindex(source: SourceReference, text: TextReference, index: SourceIndex): Promise<boolean> {
    const written = await this.#texts.writeIndex(source.id, text.revision, index);
    const changed = await this.#change(source, { text: { ...text, index: written } }, hasStill(text));
    // Our own success, when the response to it was lost, is none of another's.
    const isIts = changed ?? (await this.find(source.agentId, source.id))?.text?.index?.id === written.id;
    const unused = isIts ? text.index : written;
    if (unused) await this.#texts.deleteIndex(source.id, text.revision, unused);
    return Boolean(isIts);
  }

  /** The whole texts of a source; undefined when they were replaced or deleted meanwhile. */
  async wholeTexts(id: string, text: TextReference): Promise<{ content: string; contentMD: string } | undefined> {
    const whole = { content: '', contentMD: '' };
    for (let piece: number | undefined = 0; piece !== undefined; ) {
      const read: Awaited<ReturnType<SourceTexts['read']>> = await this.#texts.read(id, text, piece);
      if (!read) return undefined;
      whole.content += read.content;
      whole.contentMD += read.contentMD;
      piece = read.next;
    }
    return whole;
  }

  /** Ends an attempt without a new text, and says why; the former text stays. False when the source is gone or has moved on. */
  async fail(source: SourceReference, attempt: string, error: string, fields: Partial<R> = {}): Promise<boolean> {
    return (await this.#end(source, attempt, { ...fields, status: 'failed', error })) !== undefined;
  }

  /**
   * Deletes a source in any state. It is unseen at once; then its texts go, and what `eraseMore` deletes, and the
   * record last: killed at any point, deleting it again completes it. False when there is no such source.
   */
  async remove(source: SourceReference, eraseMore?: (record: R) => Promise<void>): Promise<boolean> {
    const key = this.#kind.keyOf(source.agentId, source.id);
    let item: SourceItem<R>;
    try {
      item = (await this.#table.update(key, {
        UpdateExpression: 'set #status = :deleting remove attempt, dueBy',
        ConditionExpression: 'attribute_exists(pk) and (attribute_not_exists(ttlSeconds) or ttlSeconds > :now)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':deleting': deleting, ':now': Math.floor(Date.now() / 1000) },
        ReturnValues: 'ALL_NEW',
      })) as SourceItem<R>;
    } catch (error) {
      if (refusalOf(error) === 'condition') return false;
      throw error;
    }
    await this.#texts.erase(source.id);
    await eraseMore?.(stripped(item));
    await this.#table.delete(key);
    return true;
  }

  /** A page of an agent's sources, as much as one answer can carry; with texts, of each what a list shows of it. */
  async page(
    agentId: string,
    { limit, cursor, withTexts }: { limit?: number | undefined; cursor?: string | undefined; withTexts: boolean },
  ): Promise<{ items: (R & Partial<ListedTexts>)[]; nextCursor?: string }> {
    const page = {
      collection: `${this.#kind.working}:${agentId}`,
      limit,
      positionOf: ({ id }: R) => id,
      weigh: (record: R) => {
        const { content, contentMD } = record.text ?? {};
        const texts = withTexts ? (content?.listedBytes ?? 0) + (contentMD?.listedBytes ?? 0) : 0;
        return jsonBytes(record) + texts + (this.#kind.addedBytes ?? 0);
      },
    };
    const after = fromCursor(page.collection, cursor);
    const records = await fillPage(this.list(agentId, { after, limit: limit && limit + 1 }), page);
    if (!withTexts) return records;
    // A text that was replaced while it was read may be a longer one.
    const found = await this.withTexts(records.items);
    return { ...records, ...(await fillPage(inTurn(found), page)) };
  }

  /**
   * Copies a source with its text, under an id of its own; the same again changes nothing. One whose text is still to
   * come waits for it anew, under the attempt `attempt`. Undefined when there is nothing to copy: it is gone meanwhile.
   */
  async copy(
    source: SourceReference,
    to: SourceReference,
    { uid, at, attempt }: { uid: string; at: string; attempt: string | undefined },
  ): Promise<R | undefined> {
    for (let round = 0; round < 5; round++) {
      const record = await this.find(source.agentId, source.id);
      if (!record) {
        await this.#texts.erase(to.id);
        return undefined;
      }
      const { text } = record;
      // Replaced while it was copied: the new one is to travel.
      if (text && !(await this.#texts.copy(source.id, text, to.id))) continue;
      const isUnfinished = record.status === pending || record.status === this.#kind.working;
      const state = !isUnfinished
        ? {}
        : text
          ? { status: 'ready', attempt: undefined, dueBy: undefined }
          : { status: pending, attempt, dueBy: newDueBy() };
      return this.add({ ...record, ...to, ...state, lastUpdatedBy: uid, lastUpdatedAt: at });
    }
    throw new Error('The text of a source kept changing while it was copied.');
  }

  /** The records with what a list shows of their texts. One whose text was replaced meanwhile is read again; one that is gone is left out. */
  async withTexts(records: R[]): Promise<(R & ListedTexts)[]> {
    let current = records;
    for (let attempt = 0; ; attempt++) {
      const texts = await this.#texts.listed(current.flatMap(({ id, text }) => (text ? [{ id, text }] : [])));
      const late = current.filter(({ id, text }) => text && !texts.has(id));
      if (late.length === 0) return current.map((record) => ({ ...record, ...(texts.get(record.id) ?? this.#blank) }));
      if (attempt === 5) throw new Error('The texts of a source kept changing while they were read.');
      const items = await this.#table.getMany<SourceItem<R>>(
        late.map(({ agentId, id }) => this.#kind.keyOf(agentId, id)),
      );
      const fresh = new Map(items.map((item) => [item.id, this.#recordOf(item)]));
      current = current.flatMap((record) => (late.includes(record) ? (fresh.get(record.id) ?? []) : record));
    }
  }

  /** A part of the whole texts, from a piece on; without a text, blank ones. `gone` when the revision asked for is no longer read. */
  async readText(
    record: R,
    position: { revision: string; piece: number } | undefined,
  ): Promise<{ content: string; contentMD: string; next?: { revision: string; piece: number } } | 'gone'> {
    const { text } = record;
    if (position && position.revision !== text?.revision) return 'gone';
    if (!text) return this.#blank;
    const read = await this.#texts.read(record.id, text, position?.piece);
    if (!read) return 'gone';
    const { next, ...answer } = read;
    return { ...answer, ...(next !== undefined && { next: { revision: text.revision, piece: next } }) };
  }

  /** As much of a source's whole texts as one answer can carry; nothing when there is no such source. A cursor holds for one text alone. */
  async readTexts(
    { agentId, id }: SourceReference,
    cursor: string | undefined,
  ): Promise<{ content: string; contentMD: string; nextCursor?: string } | undefined> {
    const collection = `${this.#kind.working}:${agentId}:${id}`;
    const [revision, piece] = fromCursor(collection, cursor)?.split('#') ?? [];
    for (let attempt = 0; attempt < 5; attempt++) {
      const record = await this.find(agentId, id);
      if (!record) return undefined;
      if (revision !== undefined && revision !== record.text?.revision) {
        throw invalidField('cursor', 'is of a text that has been replaced since; begin again without it');
      }
      if (!record.text) return this.#blank;
      const read = await this.#texts.read(id, record.text, Number(piece ?? 0));
      if (!read) continue;
      const { next, ...texts } = read;
      if (next === undefined) return texts;
      return { ...texts, nextCursor: toCursor(collection, `${record.text.revision}#${next}`) };
    }
    throw new Error('The text of a source kept changing while it was read.');
  }

  /** The record as it is seen; nothing of one that is being deleted or whose time is over. */
  #recordOf(item: SourceItem<R>): R | undefined {
    if (item.status === deleting) return undefined;
    if (item.ttlSeconds !== undefined && item.ttlSeconds * 1000 <= Date.now()) return undefined;
    const record = stripped(item);
    const unfinished = record.status === pending || record.status === this.#kind.working;
    if (!unfinished || record.dueBy === undefined || record.dueBy > Date.now()) return record;
    return { ...record, status: 'failed', error: this.#kind.overdue };
  }

  /** The last write of an attempt. Gives back the item as it was before; nothing when it was refused. */
  async #end(source: SourceReference, attempt: string, fields: Values): Promise<SourceItem<R> | undefined> {
    const set = { ...fields, lastUpdatedAt: now(), ttlSeconds: null };
    return this.#update(source, set, isMine(attempt, this.#kind), undefined, 'ALL_OLD');
  }

  async #forget({ agentId, id }: SourceReference, revisions: string[]): Promise<void> {
    const change = {
      UpdateExpression: 'delete revisions :erased',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':erased': new Set(revisions) },
    };
    await this.#table.update(this.#kind.keyOf(agentId, id), change).catch((error) => {
      if (refusalOf(error) !== 'condition') throw error;
    });
  }

  async #change(source: SourceReference, fields: Values, condition: Condition, revision?: string) {
    const item = await this.#update(source, fields, condition, revision, 'ALL_NEW');
    return item && this.#recordOf(item);
  }

  /** Sets fields, and clears those that are null; undefined ones stay. Nothing is given back where the condition does not hold. */
  async #update(
    { agentId, id }: SourceReference,
    fields: Values,
    condition: Condition,
    revision: string | undefined,
    returned: 'ALL_NEW' | 'ALL_OLD',
  ): Promise<SourceItem<R> | undefined> {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const set = given.filter(([, value]) => value !== null);
    const cleared = given.filter(([, value]) => value === null).map(([name]) => `#${name}`);
    try {
      return (await this.#table.update(this.#kind.keyOf(agentId, id), {
        UpdateExpression: [
          set.length > 0 && `set ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`,
          cleared.length > 0 && `remove ${cleared.join(', ')}`,
          revision && 'add revisions :revision',
        ]
          .filter(Boolean)
          .join(' '),
        ConditionExpression: condition.expression,
        ExpressionAttributeNames: {
          ...Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
          '#status': 'status',
          ...condition.names,
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
          ...(revision && { ':revision': new Set([revision]) }),
          ...condition.values,
        },
        ReturnValues: returned,
      })) as SourceItem<R>;
    } catch (error) {
      if (refusalOf(error) === 'condition') return undefined;
      throw error;
    }
  }
}

async function* inTurn<T>(items: T[]) {
  yield* items;
}

type Condition = { expression: string; values: Values; names?: Record<string, string> };

const isThere = (): Condition => ({
  expression:
    'attribute_exists(pk) and #status <> :deleting and (attribute_not_exists(ttlSeconds) or ttlSeconds > :now)',
  values: { ':deleting': deleting, ':now': Math.floor(Date.now() / 1000) },
});

/** The record is as it was read. */
const isStill = ({ attempt, lastUpdatedAt }: { attempt: string | undefined; lastUpdatedAt: string }): Condition => ({
  expression: `${attempt ? 'attempt = :formerAttempt' : 'attribute_not_exists(attempt)'} and lastUpdatedAt = :formerTime and #status <> :deleting`,
  values: { ...(attempt && { ':formerAttempt': attempt }), ':formerTime': lastUpdatedAt, ':deleting': deleting },
});

/** The text is the record's, with the index that it was read with. */
const hasStill = ({ revision, index }: TextReference): Condition => ({
  expression: `#status <> :deleting and #text.revision = :revisionRead and ${index ? '#text.#index.id = :indexRead' : 'attribute_not_exists(#text.#index)'}`,
  values: { ':deleting': deleting, ':revisionRead': revision, ...(index && { ':indexRead': index.id }) },
  names: { '#text': 'text', '#index': 'index' },
});

/** The attempt is the record's, and has not ended. */
const isMine = (attempt: string, kind: SourceKind): Condition => ({
  expression: 'attempt = :mine and #status in (:pending, :working)',
  values: { ':mine': attempt, ':pending': pending, ':working': kind.working },
});

const stripped = <R>({ pk: _pk, sk: _sk, revisions: _revisions, ...record }: SourceItem<R>): R =>
  record as unknown as R;

/** What the methods of both kinds of sources need. */
export const sourcePermissions = {
  find: ['dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  reindex: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
  wholeTexts: ['dynamodb:BatchGetItem'],
  page: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  readTexts: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  add: ['dynamodb:PutItem'],
  sendOrRemove: ['dynamodb:DeleteItem'],
  sendOrFail: ['dynamodb:UpdateItem'],
  edit: ['dynamodb:UpdateItem'],
  restart: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  start: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  sweep: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:Query'],
  finish: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  fail: ['dynamodb:UpdateItem'],
  remove: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
} as const;
