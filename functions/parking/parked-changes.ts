import { hash, randomUUID } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import pMap from 'p-map';
import { type Files, files } from '../clients/files.ts';
import { chunks } from '../domain/chunks.ts';
import { now } from '../domain/date-time.ts';
import { parkedFolder } from '../domain/parked-changes.ts';
import { redact } from '../log.ts';
import { service } from '../service.ts';
import { Condition, exists, when } from '../store/expressions.ts';
import {
  type ChangedItem,
  changedItem,
  type ItemKey,
  parkedChangeCollection,
  parkedChangeKey,
  parkedEntitiesKey,
  parkedRetryKey,
} from '../store/keys.ts';
import { type Item, type Table, TableStore, table } from '../store/table.ts';
import { toReference } from '../store/table-changes.ts';
import { keepFollowable, mayHavePerson } from './keep-followable.ts';

/** An item of the table with parked changes. Its later changes wait behind them. `token` differs after each parking. */
export type ParkedEntity = {
  /** When its first change was parked, in Unix milliseconds. */
  since: number;
  token: string;
  item?: ChangedItem;
  /** The user of an API key, whose item does not name one in its key. */
  uid?: string;
};

export type ParkedEntities = ReadonlyMap<string, ParkedEntity>;

/** A change that waits until it can be followed. Its record is a file, because it may be larger than an item. */
export type ParkedChange = {
  entity: string;
  sequenceNumber: string;
  requestId?: string;
  parkedAt: string;
  /** When its file was written last, in Unix milliseconds. */
  keptAt: number;
  attempts: number;
  /** It was followed or dropped, and is being removed. */
  isDone?: true;
  lastAttemptAt?: string;
  /** Absent while it waits behind another change. */
  error?: { name?: string; message?: string };
};

type StoredChange = Item & Omit<ParkedChange, 'entity'>;

/** A record to park, and the error with which it failed alone. One that waits behind another has none. */
export type RecordToPark = { record: DynamoDBRecord; error?: Error };

/** An update of 25 entities stays below the maximum length of an expression. */
const changesPerTransaction = 25;
const concurrency = 16;
/** The images of a record have at most 400 KB each, which JSON can lengthen. */
const maxRecordBytes = 16 * 1024 * 1024;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Returns the name of a changed item: a hash of its key, which may have a phone number. */
export const entityOfKey = ({ pk, sk }: ItemKey): string => hash('sha256', JSON.stringify([pk, sk])).slice(0, 32);

/** Changes that fail by themselves. Neither a log nor the key of a file names the item of one. */
export class ParkedChanges extends TableStore {
  readonly #files: Pick<Files, 'put' | 'read' | 'delete'>;

  constructor(table: Table, files: Pick<Files, 'put' | 'read' | 'delete'>) {
    super(table);
    this.#files = files;
  }

  /** Returns the items that have parked changes. The reader of the stream asks for each batch, in a single read. */
  async entities(): Promise<ParkedEntities> {
    const item = await this.table.get<Item & Record<string, unknown>>(parkedEntitiesKey);
    const { pk: _pk, sk: _sk, ...entities } = item ?? parkedEntitiesKey;
    return new Map(Object.entries(entities as Record<string, ParkedEntity>));
  }

  /** Parks records in the order of the stream. Parking one again changes nothing. A death leaves no item without its file. */
  async park(records: RecordToPark[], known: ParkedEntities): Promise<void> {
    for (const some of chunks(records, changesPerTransaction)) {
      const files = await pMap(some, (one) => this.#writeFile(one), { concurrency });
      const written = files.filter((file) => file !== undefined);
      if (written.length === 0) continue;
      const entities = written.map(({ change: { entity }, key, uid }) => {
        const { since = Date.now() } = known.get(entity) ?? {};
        return [entity, { since, token: randomUUID(), item: changedItem(key), uid } satisfies ParkedEntity];
      });
      await this.table.tryTransact([
        this.table.updateAction(parkedEntitiesKey, { set: Object.fromEntries(entities) }),
        ...written.map(({ change: { entity, ...change } }) =>
          this.table.putAction({ ...parkedChangeKey(entity, change.sequenceNumber), ...change } as Item),
        ),
      ]);
      // What was erased since the file was written is erased here. A later erasure finds the item.
      const personal = written.filter(({ key }) => mayHavePerson(changedItem(key)));
      await pMap(personal, ({ change }) => this.keep(change), { concurrency });
    }
  }

  /** Writes the file of a record, unless nothing of it may be kept. */
  async #writeFile({ record, error }: RecordToPark) {
    const { key, sequenceNumber, requestId } = toReference(record);
    const kept = await this.#reduce(record);
    if (!kept) return undefined;
    const { NewImage, OldImage } = record.dynamodb ?? {};
    const change: ParkedChange = {
      entity: entityOfKey(key),
      sequenceNumber,
      requestId,
      parkedAt: now(),
      keptAt: Date.now(),
      attempts: error ? 1 : 0,
      ...(error && toFailure(error)),
    };
    await this.#writeRecord(change, kept);
    return { change, key, uid: NewImage?.uid?.S ?? OldImage?.uid?.S };
  }

  /** Returns the changes of an item, the first one first. */
  async list(entity: string): Promise<ParkedChange[]> {
    const items = await Array.fromAsync(this.table.query<StoredChange>(parkedChangeCollection(entity)));
    return items.map(({ pk: _pk, sk: _sk, ...change }) => ({ ...change, entity }));
  }

  /** Returns the record of a change, with what of a person the table still has. Undefined if there is nothing to follow. */
  async read(change: ParkedChange): Promise<DynamoDBRecord | undefined> {
    const record = await this.#readRecord(change);
    if (!record) throw new Error('The file of the change is missing.');
    return this.#reduce(record);
  }

  async #readRecord(change: ParkedChange): Promise<DynamoDBRecord | undefined> {
    const file = await this.#files.read(fileKey(change), maxRecordBytes);
    return file && 'bytes' in file ? JSON.parse(new TextDecoder().decode(file.bytes)) : undefined;
  }

  #writeRecord(change: ParkedChange, record: DynamoDBRecord) {
    return this.#files.put(fileKey(change), new TextEncoder().encode(JSON.stringify(record)));
  }

  async #reduce(record: DynamoDBRecord): Promise<DynamoDBRecord | undefined> {
    const { key } = toReference(record);
    return keepFollowable(record, changedItem(key), () => this.table.get(key));
  }

  /** Removes from the record of a change what the table has lost since. Renews its file, which the bucket keeps for two weeks. */
  async keep(change: ParkedChange): Promise<void> {
    const record = await this.#readRecord(change);
    if (!record) return;
    const kept = await this.#reduce(record);
    if (!kept) return this.remove(change);
    const isOld = Date.now() - change.keptAt > dayMilliseconds;
    if (kept === record && !isOld) return;
    await this.#writeRecord(change, kept);
    await this.table.change(toKey(change), { set: { keptAt: Date.now() } }, exists);
  }

  /** Does the same for all changes: after an erasure, no file has what it erased. */
  async keepAll(): Promise<void> {
    for (const entity of (await this.entities()).keys())
      for (const change of await this.list(entity)) await this.keep(change);
  }

  /** Removes a change that is done: its file first, which nothing would find without the item. */
  async remove(change: ParkedChange): Promise<void> {
    await this.table.change(toKey(change), { set: { isDone: true } }, exists);
    await this.#files.delete(fileKey(change));
    await this.table.delete(toKey(change));
  }

  async noteFailure(change: ParkedChange, error: Error): Promise<void> {
    const set = { ...toFailure(error), attempts: change.attempts + 1 };
    await this.table.change(toKey(change), { set }, exists);
  }

  /**
   * Takes the changes of an item in their order until one is not done, and removes those that are. After the last one, later
   * changes of the item are followed again. Returns true then.
   */
  async drain(entity: string, take: (change: ParkedChange) => Promise<boolean>): Promise<boolean> {
    for (;;) {
      const token = (await this.entities()).get(entity)?.token;
      if (token === undefined) return true;
      const changes = await this.list(entity);
      for (const change of changes) {
        if (!change.isDone && !(await take(change))) return false;
        await this.remove(change);
      }
      // A change that was parked since has another token.
      if (changes.length === 0)
        await this.table.change(parkedEntitiesKey, { set: { [entity]: null } }, hasToken(entity, token));
    }
  }

  /** Drops the changes of a deleted agent, from which nothing follows. That it was deleted is a change of the access to it. */
  dropOfAgent(agentId: string): Promise<void> {
    return this.#dropAll(({ item }) => item?.kind !== 'access' && listOwners(item).includes(agentId));
  }

  /** Drops the changes of a deleted user, whose log ends. That the user was deleted is in the log of another user. */
  dropOfUser(uid: string): Promise<void> {
    return this.#dropAll(({ item, uid: ofKey }) => item?.kind !== 'user' && [ofKey, ...listOwners(item)].includes(uid));
  }

  async #dropAll(isDropped: (entity: ParkedEntity) => boolean): Promise<void> {
    for (const [id, entity] of await this.entities()) if (isDropped(entity)) await this.drain(id, async () => true);
  }

  /** Begins a retry, unless another one has begun and may not have ended. */
  async beginRetry(endsAt: number): Promise<boolean> {
    const isOver = when`attribute_not_exists(endsAt) or endsAt < ${Date.now()}`;
    return (await this.table.change(parkedRetryKey, { set: { endsAt } }, isOver)) !== undefined;
  }

  async endRetry(): Promise<void> {
    await this.table.delete(parkedRetryKey);
  }
}

/** Returns the ids of the agent and the user that an item belongs to. */
const listOwners = (item: ChangedItem | undefined): string[] => {
  const { agentId, uid, list } = (item ?? {}) as { agentId?: string; uid?: string; list?: object };
  return [agentId, uid, ...Object.values(list ?? {})].filter((id) => id !== undefined);
};

const toKey = ({ entity, sequenceNumber }: ParkedChange) => parkedChangeKey(entity, sequenceNumber);
/** Shards count their changes each for itself. Four digits of a hash tell nothing of a phone number. */
const fileKey = ({ entity, sequenceNumber }: ParkedChange) =>
  `${parkedFolder}${sequenceNumber}-${entity.slice(0, 4)}.json`;

/** The condition that no change of an item has been parked since its token was read. */
const hasToken = (entity: string, token: string) => new Condition([`#${entity}.#token = `, { value: token }]);

/** A parser repeats in its message a part of what it cannot read. */
const toFailure = ({ name, message }: Error): Pick<ParkedChange, 'error' | 'lastAttemptAt'> => ({
  error: { name, message: redact(message).slice(0, 500) },
  lastAttemptAt: now(),
});

const reads = ['dynamodb:GetItem', 'dynamodb:Query', 's3:GetObject:parked', 's3:ListBucket'] as const;
const removes = ['dynamodb:DeleteItem:parked', 'dynamodb:UpdateItem:parked', 's3:DeleteObject:parked'] as const;
const keeps = [...reads, ...removes, 's3:PutObject:parked'] as const;

export const parkedChanges = /* @__PURE__ */ service(() => new ParkedChanges(table.get(), files.get()), {
  entities: ['dynamodb:GetItem'],
  park: [...keeps, 'dynamodb:PutItem:parked'],
  list: ['dynamodb:Query'],
  read: reads,
  keep: keeps,
  keepAll: keeps,
  noteFailure: ['dynamodb:UpdateItem:parked'],
  drain: ['dynamodb:GetItem', 'dynamodb:Query', ...removes],
  dropOfAgent: ['dynamodb:GetItem', 'dynamodb:Query', ...removes],
  dropOfUser: ['dynamodb:GetItem', 'dynamodb:Query', ...removes],
  beginRetry: ['dynamodb:UpdateItem:parked'],
  endRetry: ['dynamodb:DeleteItem:parked'],
});
