import { hash } from 'node:crypto';
import { decodeTime, encodeTime } from 'ulid';
import type { StoredMaker } from '../domain/change-maker.ts';
import { type Change, type ChangeKind, changeKind, type LoggedChange } from '../domain/changes.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { fillPage, fromCursor } from '../domain/paging.ts';
import { toRequestId } from '../domain/trace.ts';
import { environment } from '../environment.ts';
import { service } from '../service.ts';
import { type InsertOutcome, insertAll } from '../store/insert-all.ts';
import { changeCollection, changeKey } from '../store/keys.ts';
import { type Item, type QueryOptions, type Table, TableStore, table } from '../store/table.ts';
import type { TableChange } from '../store/table-changes.ts';

/** An entry of the log of the changes of what `owner` owns. */
export type ChangeEntry = LoggedChange & {
  owner: string;
  changeId: string;
  /** The positions in the stream of the numbers that an entry of a block list counts. */
  positions?: Uint8Array;
};

type StoredChange = Item & Omit<Change, 'changeId' | 'at' | 'kind'> & { positions?: Uint8Array; ttlSeconds: number };

/** The filters of a list of changes: `from` ≤ time < `to`. */
type ChangeFilter = {
  agentId?: string;
  kind?: ChangeKind;
  /** Without a kind, only these. */
  kinds?: ReadonlySet<ChangeKind>;
  keyId?: string;
  from?: string;
  to?: string;
};

const batchesInFlight = 8;
/** The maximum number of entries that are read for a page. */
const maxExamined = 5000;

/** The log of who changed what. An entry's id follows from the stream: a change read twice has one entry. */
export class ChangeLog extends TableStore {
  readonly #days: number;

  constructor(table: Table, days: number) {
    super(table);
    this.#days = days;
  }

  /** Writes entries that are the same whenever their changes are read, until a time (Unix milliseconds). Returns those that were not written. */
  async writeAll(entries: ChangeEntry[], until: number): Promise<Set<ChangeEntry>> {
    const items = entries.map((entry) => this.#toStoredChange(entry));
    return new Set(entries.slice(await this.table.putMany(items, batchesInFlight, until)));
  }

  /** Adds entries, unless they are there, until a time (Unix milliseconds). */
  addAll(entries: ChangeEntry[], until: number): Promise<InsertOutcome[]> {
    return insertAll(
      this.table,
      entries.map((entry) => this.#toStoredChange(entry)),
      until,
    );
  }

  /** Returns the entries whose ids begin with a prefix. */
  async withPrefix(owner: string, prefix: string): Promise<Pick<ChangeEntry, 'changeId' | 'counts' | 'positions'>[]> {
    const items = await Array.fromAsync(this.table.query<StoredChange>(changeCollection(owner, prefix)));
    return items.map(({ sk, counts, positions }) => ({ changeId: sk, counts, positions }));
  }

  /** Returns a page of a user's log, newest first. It may be short, and still have a next one. */
  page(
    uid: string,
    { limit, cursor, ...filter }: ChangeFilter & { limit?: number; cursor?: string },
  ): Promise<{ items: Change[]; nextCursor?: string }> {
    const collection = `changes:${uid}`;
    const after = fromCursor(collection, cursor);
    const query = { after, from: formPosition(filter.from), to: formPosition(filter.to), descending: true };
    return fillPage(this.#list(uid, { ...query, limit: limit && limit + 1 }), {
      collection,
      limit,
      getPosition: ({ changeId }) => changeId,
      includes: (change) => matches(change, filter),
      isOver: (examined) => examined === maxExamined,
    });
  }

  async *#list(uid: string, { after, ...options }: QueryOptions): AsyncGenerator<Change> {
    const { from, to } = options;
    // DynamoDB rejects an empty range, and a position outside of it.
    if (from !== undefined && [to, after].some((end) => end !== undefined && end <= from)) return;
    const range = after === undefined || (to !== undefined && to <= after) ? options : { ...options, after };
    for await (const item of this.table.query<StoredChange>(changeCollection(uid), range)) {
      // DynamoDB deletes an item some time after it has expired.
      if (item.ttlSeconds > Date.now() / 1000) yield toChange(item);
    }
  }

  #toStoredChange({ owner, changeId, maker, positions, ...change }: ChangeEntry): StoredChange {
    const { uid = owner, keyId, keyName, via = 'job' } = maker ?? {};
    const at = decodeChangeTime(changeId);
    return {
      ...changeKey(owner, changeId),
      ...change,
      uid,
      keyId,
      keyName,
      via,
      positions,
      ttlSeconds: Math.ceil(at / 1000) + this.#days * 24 * 60 * 60,
    };
  }
}

const toChange = ({ pk: _, sk, ttlSeconds: __, positions: ___, action, ...rest }: StoredChange): Change => ({
  changeId: sk,
  at: new Date(decodeChangeTime(sk)).toISOString(),
  action,
  kind: changeKind(action),
  ...rest,
  requestId: toRequestId(rest.requestId),
});

const matches = (change: Change, { agentId, kind, kinds, keyId }: ChangeFilter) =>
  (agentId === undefined || change.agentId === agentId || (change.kind === 'agent' && change.id === agentId)) &&
  (kind === undefined ? (kinds?.has(change.kind) ?? true) : change.kind === kind) &&
  (keyId === undefined || change.keyId === keyId);

const prefix = 'change_';
export const decodeChangeTime = (changeId: string) => decodeTime(changeId.slice(prefix.length));
/** Returns the first possible id of a change at a time. */
const formPosition = (time: string | undefined) => time && prefix + encodeTime(Date.parse(time));

/** Returns the time of a change in Unix milliseconds. Without a maker, the stream knows it to the second. */
const getChangeTime = ({ at }: TableChange, maker: StoredMaker | undefined) => maker?.at ?? at;

/** Returns the id of the entry of a change. `discriminator` distinguishes several entries of one change. */
export const deriveChangeId = (change: TableChange, maker: StoredMaker | undefined, discriminator = ''): string => {
  const { key, sequenceNumber } = change;
  return derivedIdentifier('change', [key.pk, key.sk, sequenceNumber, discriminator], getChangeTime(change, maker));
};

/** Returns the prefix of the ids of all entries of one request on a block list. */
export const prefixOfRequest = (change: TableChange, maker: StoredMaker | undefined, texts: string[]): string =>
  prefix + encodeTime(getChangeTime(change, maker)) + shortHash(texts.join('\n'));

/** Returns six characters, of which a hash decides. */
const shortHash = (text: string) => encodeTime(Number.parseInt(hash('sha256', text).slice(0, 7), 16), 6);

/** The bits of a position in the stream that distinguish the changes of a request. */
const positionBits = 48;
export const positionBytes = positionBits / 8;

export const changePosition = ({ sequenceNumber }: TableChange): number =>
  Number(BigInt.asUintN(positionBits, BigInt(sequenceNumber)));

/** Returns the id of an entry of a block list, which begins with a change. */
export const formChangeId = (requestPrefix: string, position: number) => requestPrefix + encodeTime(position);

export const changeLog = /* @__PURE__ */ service(() => new ChangeLog(table.get(), environment.changeLogDays), {
  addAll: ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLInsert:changes'],
  writeAll: ['dynamodb:BatchWriteItem', 'dynamodb:BatchWriteItem:changes'],
  withPrefix: ['dynamodb:Query'],
  page: ['dynamodb:Query'],
});
