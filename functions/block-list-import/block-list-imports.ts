import { randomUUID } from 'node:crypto';
import { currentMaker } from '../cause.ts';
import {
  type BlockListImport,
  type BlockListImportSummary,
  type ImportColumns,
  type ImportMode,
  type ImportReference,
  type ImportStatus,
  type StoredImportFailure,
  toImportFailure,
} from '../domain/block-list-imports.ts';
import type { StoredMaker } from '../domain/change-maker.ts';
import { now } from '../domain/date-time.ts';
import { invalidApiKey } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { readPage } from '../domain/paging.ts';
import { service } from '../service.ts';
import { type Change, exists, isAbsent, when } from '../store/expressions.ts';
import {
  type BlockListOwner,
  importCollection,
  importKey,
  listOwner,
  runningImportKey,
  userKey,
} from '../store/keys.ts';
import {
  type Item,
  type QueryOptions,
  TableStore,
  type TransactionAction,
  table,
  untilWritten,
} from '../store/table.ts';

/** The time for which an import waits for its file. */
const uploadMilliseconds = 60 * 60 * 1000;
/** The time for a run with all deliveries of its message. A run that has not ended by then is reported as failed. */
const runMilliseconds = 60 * 60 * 1000;
/** The time for all runs: an import ends even if the table never takes all its numbers. */
const maxMilliseconds = 24 * 60 * 60 * 1000;
/** The time for which the record of an import is kept. */
const keptSeconds = limits.importDays * 24 * 60 * 60;

/** The progress of a removal: everything before this position is complete. */
type RemovalProgress = { shard: number; after?: string };

/** An import: its request and its progress. Each step is recorded once, by the run that completes it first. */
export type ImportRecord = ImportReference & {
  /** The key that created the form. */
  keyId: string;
  keyName?: string;
  /** The id of the request that created the form. */
  requestId?: string;
  /** Who asked for it. */
  madeBy?: StoredMaker;
  agentId?: string;
  mode: ImportMode;
  reason?: string;
  /** For the rows that have no time of their own. */
  expiresAt?: string;
  /** The names of the columns in the header of the file. */
  columns?: ImportColumns;
  /** The country of its national numbers. */
  country?: string;
  status: ImportStatus;
  createdAt: string;
  /** The size of the file, as the form was made for it. */
  announcedBytes?: number;
  /** Unix milliseconds. Set while the import waits for its file. */
  fileDeadlineAt?: number;
  /** The ETag of the file. */
  etag?: string;
  startedAt?: string;
  /** Unix milliseconds. */
  deadlineAt?: number;
  /** The run that recorded the last step. */
  run?: string;
  step: number;
  /** The number of completed lines, without the header and empty lines. */
  lines: number;
  added: number;
  alreadyBlocked: number;
  failed: number;
  failures: StoredImportFailure[];
  removed: number;
  /** The first numbers that were added and removed, for the event of the import. */
  addedNumbers?: string[];
  removedNumbers?: string[];
  removal?: RemovalProgress;
  error?: string;
  finishedAt?: string;
};

/** The fields that a step of an import changes. */
export type ImportProgress = Partial<
  Pick<
    ImportRecord,
    | 'lines'
    | 'added'
    | 'addedNumbers'
    | 'alreadyBlocked'
    | 'failed'
    | 'failures'
    | 'removed'
    | 'removedNumbers'
    | 'removal'
  >
>;

/** An import that has not ended, and whether its file is known to have arrived. */
export type UnfinishedImport = ImportReference & Pick<ImportRecord, 'keyId' | 'status'> & { hasFile: boolean };

type ImportItem = Item & Omit<ImportRecord, 'failures'> & { failures: string };
type RunningItem = Item & { importId: string; until: number; ttlSeconds: number };

/** The imports of files into block lists. One import of a list runs at a time. */
export class BlockListImports extends TableStore {
  /** Adds an import of an existing user that waits for its file, unless an earlier attempt of the request added it. */
  async add({
    uid,
    importId,
    ...asked
  }: ImportReference &
    Pick<
      ImportRecord,
      'keyId' | 'keyName' | 'agentId' | 'mode' | 'reason' | 'expiresAt' | 'columns' | 'country' | 'announcedBytes'
    >) {
    const counts = { step: 0, lines: 0, added: 0, alreadyBlocked: 0, failed: 0, removed: 0 };
    const item: ImportItem & { ttlSeconds: number } = {
      ...importKey(uid, importId),
      uid,
      importId,
      ...asked,
      ...counts,
      madeBy: currentMaker(),
      status: 'awaiting_upload',
      failures: '[]',
      createdAt: now(),
      fileDeadlineAt: Date.now() + uploadMilliseconds,
      ttlSeconds: Math.floor(Date.now() / 1000) + keptSeconds,
    };
    const failed = await this.table.tryTransact([
      this.table.putAction(item, isAbsent),
      this.table.checkAction(userKey(uid), exists),
    ]);
    if (failed?.has(1)) throw invalidApiKey();
  }

  async find({ uid, importId }: ImportReference): Promise<ImportRecord | undefined> {
    const item = await this.table.get<ImportItem>(importKey(uid, importId));
    return item && toImportRecord(item);
  }

  /** Returns a page of a user's imports, newest first. The size of an import includes its failed lines, which are also read. */
  page(
    uid: string,
    { limit, cursor }: { limit?: number; cursor?: string },
  ): Promise<{ items: ImportRecord[]; nextCursor?: string }> {
    const collection = `block-list-imports:${uid}`;
    const page = { collection, limit, cursor, getPosition: ({ importId }: ImportRecord) => importId };
    return readPage((options) => this.#list(uid, { ...options, descending: true }), page);
  }

  async *#list(uid: string, options: QueryOptions): AsyncGenerator<ImportRecord> {
    for await (const item of this.table.query<ImportItem & { ttlSeconds: number }>(importCollection(uid), options)) {
      // DynamoDB deletes an item some time after it has expired.
      if (item.ttlSeconds > Date.now() / 1000) yield toImportRecord(item);
    }
  }

  /** Returns true if an import of a list is running. */
  async isRunning(owner: BlockListOwner): Promise<boolean> {
    const item = await this.table.get<RunningItem>(runningImportKey(owner));
    return item !== undefined && item.until > Date.now();
  }

  /** Returns the imports of a user that have not ended. */
  async unfinished(uid: string): Promise<UnfinishedImport[]> {
    const found: UnfinishedImport[] = [];
    for await (const item of this.table.query<ImportItem>(importCollection(uid))) {
      if (item.finishedAt !== undefined || overdueError(toImportRecord(item)) !== undefined) continue;
      const { importId, keyId, status, fileDeadlineAt } = item;
      found.push({ uid, importId, keyId, status, hasFile: status === 'running' || fileDeadlineAt === undefined });
    }
    return found;
  }

  /** Removes a person's number, and the lines that mention it, from the reports of a user's imports. The counts stay. */
  async forget(uid: string, mentions: (number: string) => boolean): Promise<void> {
    for await (const item of this.table.query<ImportItem>(importCollection(uid))) {
      const record = toImportRecord(item);
      const { addedNumbers = [], removedNumbers = [] } = record;
      const isOther = (number: string) => !mentions(number);
      const [added, removed] = [addedNumbers.filter(isOther), removedNumbers.filter(isOther)];
      const failures = record.failures.filter(({ number }) => isOther(number));
      const countAll = (...lists: unknown[][]) => lists.flat().length;
      if (countAll(added, removed, failures) === countAll(addedNumbers, removedNumbers, record.failures)) continue;
      const set = { failures: JSON.stringify(failures), addedNumbers: added, removedNumbers: removed };
      await this.table.change(importKey(uid, record.importId), { set }, isAt(record));
    }
  }

  /** Deletes a user's imports into the list of an agent that is deleted. A run of one notices it and ends. Returns true at their end. */
  async removeOfAgent(uid: string, agentId: string, until: number): Promise<boolean> {
    for await (const items of this.table.pages<ImportItem>(importCollection(uid))) {
      if (Date.now() >= until) return false;
      await this.table.deleteMany(items.filter((item) => item.agentId === agentId));
    }
    return true;
  }

  /** Ends the imports of a user who is deleted. One that runs holds its list until its run has noticed and written its last number. */
  async cancel(uid: string): Promise<void> {
    for await (const item of this.table.query<ImportItem>(importCollection(uid))) {
      const { importId } = item;
      await untilWritten(async () => {
        const record = await this.find({ uid, importId });
        if (!record || record.finishedAt !== undefined) return;
        const set = endFields(record, 'The user was deleted.');
        await this.table.transact([this.#update(record, { set })]);
      });
    }
  }

  /** Lets the next import of a list run, if an import that was ended still holds it. */
  async release(record: ImportRecord): Promise<void> {
    await this.table.tryTransact([
      this.table.deleteAction(runningImportKey(listOwner(record)), isFreeOrHolds(record.importId)),
    ]);
  }

  /** Records that the file of an import has arrived while another import of the list runs. */
  async noteUpload(record: ImportRecord): Promise<void> {
    await this.table.change(importKey(record.uid, record.importId), { set: { fileDeadlineAt: null } }, isAt(record));
  }

  /** Begins a run. Returns `busy` while another import of the list runs; undefined when another run has taken over. */
  async begin(record: ImportRecord, etag: string): Promise<ImportRecord | 'busy' | undefined> {
    const { startedAt = now() } = record;
    const deadlineAt = Math.min(Date.now() + runMilliseconds, Date.parse(startedAt) + maxMilliseconds);
    const run = randomUUID();
    const status = 'running' as const;
    const set = { status, fileDeadlineAt: null, etag, startedAt, deadlineAt, run, step: record.step + 1 };
    const { importId } = record;
    const running: RunningItem = {
      ...runningImportKey(listOwner(record)),
      importId,
      until: deadlineAt,
      ttlSeconds: Math.ceil(deadlineAt / 1000),
    };
    const failed = await this.table.tryTransact([
      this.#update(record, { set }),
      this.table.putAction(running, when`${isFreeOrHolds(importId)} or #until <= ${Date.now()}`),
    ]);
    if (failed) return failed.has(0) ? undefined : 'busy';
    const { fileDeadlineAt: _, ...begun } = { ...record, ...set };
    return begun;
  }

  /** Records a step. Returns undefined when another run has taken over. */
  async advance(record: ImportRecord, { failures, ...progress }: ImportProgress): Promise<ImportRecord | undefined> {
    const set = { ...progress, failures: failures && JSON.stringify(failures), step: record.step + 1 };
    const item = await this.table.change<ImportItem>(importKey(record.uid, record.importId), { set }, isAt(record));
    if (item) return toImportRecord(item);
    // This write succeeded earlier, and its response was lost.
    const found = await this.find(record);
    return found?.run === record.run && found?.step === set.step ? found : undefined;
  }

  /** Ends an import, and lets the next import of the list run. With an error, the import has failed. */
  async finish(record: ImportRecord, error?: string): Promise<void> {
    const update = this.#update(record, { set: endFields(record, error) });
    const release = this.table.deleteAction(runningImportKey(listOwner(record)), isFreeOrHolds(record.importId));
    const failed = await this.table.tryTransact([update, release]);
    // Another import of the list runs: this one is overdue or has never begun.
    if (failed && !failed.has(0)) await this.table.tryTransact([update]);
  }

  #update(record: ImportRecord, change: Change): TransactionAction {
    return this.table.updateAction(importKey(record.uid, record.importId), change, isAt(record));
  }
}

/** Returns the fields that end an import. They name no run, so that every run notices the end. */
const endFields = ({ step }: ImportRecord, error: string | undefined) => {
  const status: ImportStatus = error === undefined ? 'done' : 'failed';
  return { status, finishedAt: now(), fileDeadlineAt: null, error, run: null, step: step + 1 };
};

/** Requires that no other import writes to the list. */
const isFreeOrHolds = (importId: string) => when`attribute_not_exists(pk) or importId = ${importId}`;

/** Requires that no other run of the import has recorded a step since the record was read. */
const isAt = ({ step, status }: ImportRecord) => when`#step = ${step} and #status = ${status}`;

const toImportRecord = ({ pk: _pk, sk: _sk, failures, ...rest }: ImportItem): ImportRecord => ({
  ...rest,
  failures: JSON.parse(failures),
});

/** Returns the error of an import whose time is over; undefined while it is not. */
export const overdueError = (
  { status, fileDeadlineAt, deadlineAt }: ImportRecord,
  at = Date.now(),
): string | undefined => {
  if (status === 'awaiting_upload' && fileDeadlineAt !== undefined && fileDeadlineAt <= at) {
    return 'The file was not uploaded within an hour.';
  }
  if (status === 'running' && deadlineAt !== undefined && deadlineAt <= at) {
    return 'The import did not end in time because of a problem in the service. Import the file again.';
  }
  return undefined;
};

/** Returns an import for a list, whose schema leaves out the other fields. Shows an import whose time is over as failed. */
export const toImportSummary = (record: ImportRecord): BlockListImportSummary => {
  const error = overdueError(record);
  if (error === undefined) return record;
  const endsAt = record.status === 'running' ? record.deadlineAt : record.fileDeadlineAt;
  return { ...record, status: 'failed', error, finishedAt: new Date(endsAt as number).toISOString() };
};

export const toImportResponse = (record: ImportRecord): BlockListImport => ({
  ...toImportSummary(record),
  failures: record.failures.map(toImportFailure),
});

export const blockListImports = /* @__PURE__ */ service(() => new BlockListImports(table.get()), {
  add: ['dynamodb:ConditionCheckItem', 'dynamodb:PutItem'],
  find: ['dynamodb:GetItem'],
  page: ['dynamodb:Query'],
  isRunning: ['dynamodb:GetItem'],
  unfinished: ['dynamodb:Query'],
  forget: ['dynamodb:Query', 'dynamodb:UpdateItem'],
  removeOfAgent: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
  cancel: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  release: ['dynamodb:DeleteItem'],
  noteUpload: ['dynamodb:UpdateItem'],
  begin: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
  advance: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  finish: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
});
