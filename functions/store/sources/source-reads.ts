import { invalidField } from '../../domain/errors.ts';
import { jsonBytes } from '../../domain/json.ts';
import { fillPage, fromCursor, readPage, toCursor } from '../../domain/paging.ts';
import { type SourceState, type SourceStates, visible } from '../../domain/source-state.ts';
import type { SourceWarning } from '../../domain/sources.ts';
import type { Collection, ItemKey } from '../keys.ts';
import { type Item, type Table, TableStore } from '../table.ts';
import { type ListedTexts, SourceTexts, type TextReference } from './source-texts.ts';

/** The fields that records of websites and documents share. */
export type SourceRecord = SourceState & {
  id: string;
  agentId: string;
  name: string;
  active: boolean;
  lastUpdatedBy: string;
  lastUpdatedAt: string;
  /** The text that readers see. */
  text?: TextReference;
  /** What is missing in that text. */
  warnings?: SourceWarning[];
  /** Unix seconds. DynamoDB deletes the record some time after. */
  ttlSeconds?: number;
};

/** A kind of source: its states, keys, and size in a list. */
export type SourceKind = {
  states: SourceStates;
  formKey(agentId: string, id: string): ItemKey;
  of(agentId: string): Collection;
  /** The texts of a source that has none yet. */
  blank: { content: string; contentMD: string };
  /** Bytes that a response adds to each record of a list. */
  addedBytes: number;
};

/** A source by its agent and its id. */
export type SourceReference = { agentId: string; id: string };

/** `revisions` are the names under which pieces of text may be stored. */
export type SourceItem<R> = Item & R & { revisions?: Set<string> };

/** The maximum number of attempts to read a text that keeps being replaced. */
const maxAttempts = 5;

/** Reads the records of one kind of knowledge source, and their texts. */
export class SourceReads<R extends SourceRecord> extends TableStore {
  readonly #kind: SourceKind;
  readonly #texts = new SourceTexts(this.table);

  constructor(table: Table, kind: SourceKind) {
    super(table);
    this.#kind = kind;
  }

  async find(agentId: string, id: string): Promise<R | undefined> {
    const item = await this.table.get<SourceItem<R>>(this.#kind.formKey(agentId, id));
    return item && this.#visible(item);
  }

  /** Yields an agent's sources by id: in the order of addition. */
  async *list(agentId: string, options: { after?: string; limit?: number } = {}): AsyncGenerator<R> {
    for await (const item of this.table.query<SourceItem<R>>(this.#kind.of(agentId), options)) {
      const record = this.#visible(item);
      if (record) yield record;
    }
  }

  /** Returns a page of sources, optionally with the start of each text. */
  async page(
    agentId: string,
    { limit, cursor, withTexts }: { limit?: number; cursor?: string; withTexts: boolean },
  ): Promise<{ items: (R & Partial<ListedTexts>)[]; nextCursor?: string }> {
    const page = {
      collection: `${this.#kind.states.working}:${agentId}`,
      limit,
      getPosition: ({ id }: R) => id,
      weigh: (record: R) => {
        const { content, contentMD } = record.text ?? {};
        const texts = withTexts ? (content?.listedBytes ?? 0) + (contentMD?.listedBytes ?? 0) : 0;
        return jsonBytes(record) + texts + this.#kind.addedBytes;
      },
    };
    const records = await readPage((options) => this.list(agentId, options), { ...page, cursor });
    if (!withTexts) return records;
    // A replaced text may be longer: the page is measured again.
    const found = await this.#withTexts(records.items);
    return { ...records, ...(await fillPage(found, page)) };
  }

  /** Returns what fits into one response. A cursor is for one revision. */
  async readTexts(
    { agentId, id }: SourceReference,
    cursor: string | undefined,
  ): Promise<{ content: string; contentMD: string; nextCursor?: string } | undefined> {
    const collection = `${this.#kind.states.working}:${agentId}:${id}`;
    const [revision, piece] = fromCursor(collection, cursor)?.split('#') ?? [];
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const record = await this.find(agentId, id);
      if (!record) return undefined;
      if (revision !== undefined && revision !== record.text?.revision) {
        throw invalidField('cursor', 'is of a text that has been replaced since; begin again without it');
      }
      if (!record.text) return this.#kind.blank;
      const read = await this.#texts.read(id, record.text, Number(piece ?? 0));
      if (!read) continue;
      const { next, ...texts } = read;
      if (next === undefined) return texts;
      return { ...texts, nextCursor: toCursor(collection, `${record.text.revision}#${next}`) };
    }
    throw new Error('The text of a source kept changing while it was read.');
  }

  /** Returns a source's whole texts, unless they were replaced meanwhile. */
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

  /** Returns the visits of a text's pages, if any were kept. */
  visits(id: string, { revision }: TextReference): Promise<Uint8Array | undefined> {
    return this.#texts.readVisits(id, revision);
  }

  /** Adds the starts of texts. Records whose text was replaced are read again. */
  async #withTexts(records: R[]): Promise<(R & ListedTexts)[]> {
    let current = records;
    for (let attempt = 0; attempt <= maxAttempts; attempt++) {
      const texts = await this.#texts.listed(current.flatMap(({ id, text }) => (text ? [{ id, text }] : [])));
      const late = current.filter(({ id, text }) => text && !texts.has(id));
      if (late.length === 0) {
        return current.map((record) => ({ ...record, ...(texts.get(record.id) ?? this.#kind.blank) }));
      }
      const keys = late.map(({ agentId, id }) => this.#kind.formKey(agentId, id));
      const items = await this.table.getMany<SourceItem<R>>(keys);
      const fresh = new Map(items.map((item) => [item.id, this.#visible(item)]));
      current = current.flatMap((record) => (late.includes(record) ? (fresh.get(record.id) ?? []) : record));
    }
    throw new Error('The texts of a source kept changing while they were read.');
  }

  #visible(item: SourceItem<R>): R | undefined {
    return visible(this.#kind.states, toSourceRecord(item));
  }
}

export const toSourceRecord = <R>({ pk: _pk, sk: _sk, revisions: _revisions, ...record }: SourceItem<R>): R =>
  record as unknown as R;

/** The permissions that each method needs, for both kinds of sources. */
export const sourceReadPermissions = {
  find: ['dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  page: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  readTexts: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  wholeTexts: ['dynamodb:BatchGetItem'],
  visits: ['dynamodb:GetItem'],
} as const;
