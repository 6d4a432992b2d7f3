import { randomUUID } from 'node:crypto';
import type {
  BlockListImport,
  ImportFailure,
  ImportMode,
  ImportReference,
  ImportStatus,
} from '../domain/block-list-imports.ts';
import { now } from '../domain/date-time.ts';
import { service } from '../service.ts';
import { type Change, type Condition, updateOf } from '../store/expressions.ts';
import { type BlockListOwner, importKey, importsOf, runningImportKey } from '../store/keys.ts';
import { type Item, type Table, table } from '../store/table.ts';
import { writeFailure } from '../store/write-failures.ts';

/** How long a form waits for its file. */
const uploadMilliseconds = 60 * 60 * 1000;
/** From the start of a run, all its deliveries included: a run that has not ended by then reads as failed. */
const runMilliseconds = 60 * 60 * 1000;
/** From the first run: an import of which a table never takes all numbers ends. */
const maxMilliseconds = 24 * 60 * 60 * 1000;
/** How long the record of an import is kept. */
const keptSeconds = 30 * 24 * 60 * 60;

/** How far a removal is: what precedes is done. */
type RemovalProgress = { shard: number; after?: string | undefined };

/** An import: what was asked for, and how far it is. Each step of it is written once, by the run that does it first. */
export type ImportRecord = ImportReference & {
  agentId?: string;
  mode: ImportMode;
  reason?: string;
  status: ImportStatus;
  createdAt: string;
  /** Unix milliseconds. While it waits for its file. */
  fileDeadlineAt?: number;
  /** Of the file that is imported. */
  etag?: string;
  startedAt?: string;
  /** Unix milliseconds. */
  deadlineAt?: number;
  /** The run that did the last step. */
  run?: string;
  step: number;
  /** Lines that are done, without the header and empty ones. */
  lines: number;
  added: number;
  alreadyBlocked: number;
  failed: number;
  failures: ImportFailure[];
  removed: number;
  removal?: RemovalProgress;
  error?: string;
  finishedAt?: string;
};

/** What a step of an import changes. */
export type ImportProgress = Partial<
  Pick<ImportRecord, 'lines' | 'added' | 'alreadyBlocked' | 'failed' | 'failures' | 'removed' | 'removal'>
>;

type ImportItem = Item & Omit<ImportRecord, 'failures'> & { failures: string };
type RunningItem = Item & { importId: string; until: number };

/** Whose list an import writes to. */
export const ownerOf = ({ uid, agentId }: Pick<ImportRecord, 'uid' | 'agentId'>): BlockListOwner =>
  agentId === undefined ? { uid } : { agentId };

/** The imports of files into block lists. One import of a list runs at a time. */
export class BlockListImports {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Adds an import that waits for its file. If its id exists, its own creation wrote it before. */
  async add({ uid, importId, ...asked }: ImportReference & Pick<ImportRecord, 'agentId' | 'mode' | 'reason'>) {
    const counts = { step: 0, lines: 0, added: 0, alreadyBlocked: 0, failed: 0, removed: 0 };
    const item: ImportItem & { ttlSeconds: number } = {
      ...importKey(uid, importId),
      ...{ uid, importId, ...asked, ...counts },
      status: 'awaiting_upload',
      failures: '[]',
      createdAt: now(),
      fileDeadlineAt: Date.now() + uploadMilliseconds,
      ttlSeconds: Math.floor(Date.now() / 1000) + keptSeconds,
    };
    try {
      await this.#table.put(item, { ConditionExpression: 'attribute_not_exists(pk)' });
    } catch (error) {
      if (writeFailure(error) !== 'condition') throw error;
    }
  }

  async find({ uid, importId }: ImportReference): Promise<ImportRecord | undefined> {
    const item = await this.#table.get<ImportItem>(importKey(uid, importId));
    return item && recordOf(item);
  }

  /** Whether an import of a list is running. */
  async isRunning(owner: BlockListOwner): Promise<boolean> {
    const item = await this.#table.get<RunningItem>(runningImportKey(owner));
    return item !== undefined && item.until > Date.now();
  }

  /** The imports of a user that have not ended, and whether their file is known to have come. */
  async unfinished(uid: string): Promise<(ImportReference & { hasFile: boolean })[]> {
    const found: (ImportReference & { hasFile: boolean })[] = [];
    for await (const item of this.#table.query<ImportItem>(importsOf(uid))) {
      if (item.finishedAt !== undefined || overdueError(recordOf(item)) !== undefined) continue;
      const { importId, status, fileDeadlineAt } = item;
      found.push({ uid, importId, hasFile: status === 'running' || fileDeadlineAt === undefined });
    }
    return found;
  }

  /** Takes the lines that mention a person out of what the ended imports of a user report. Their counts stay. */
  async forget(uid: string, mentions: (number: string) => boolean): Promise<void> {
    for await (const item of this.#table.query<ImportItem>(importsOf(uid))) {
      const record = recordOf(item);
      const failures = record.failures.filter(({ number }) => !mentions(number));
      if (failures.length === record.failures.length) continue;
      const set = { failures: JSON.stringify(failures) };
      await this.#table.change(importKey(uid, record.importId), { set }, isAt(record));
    }
  }

  /** Notes that the file of an import has come, though it waits for another import of the list. */
  async noteUpload(record: ImportRecord): Promise<void> {
    await this.#table.change(importKey(record.uid, record.importId), { set: { fileDeadlineAt: null } }, isAt(record));
  }

  /** Begins or continues a run. `busy` while another import of the list runs; undefined when the import is elsewhere by now. */
  async begin(record: ImportRecord, etag: string): Promise<ImportRecord | 'busy' | undefined> {
    const { startedAt = now() } = record;
    const deadlineAt = Math.min(Date.now() + runMilliseconds, Date.parse(startedAt) + maxMilliseconds);
    const run = randomUUID();
    const set = {
      status: 'running' as const,
      fileDeadlineAt: null,
      etag,
      startedAt,
      deadlineAt,
      run,
      step: record.step + 1,
    };
    const key = runningImportKey(ownerOf(record));
    const { importId } = record;
    const failed = await this.#table.transactUnless([
      { Update: this.#update(record, { set }) },
      {
        Put: {
          TableName: this.#table.name,
          Item: { ...key, importId, until: deadlineAt, ttlSeconds: Math.ceil(deadlineAt / 1000) },
          ConditionExpression: 'attribute_not_exists(pk) or importId = :own or #until <= :now',
          ExpressionAttributeNames: { '#until': 'until' },
          ExpressionAttributeValues: { ':own': importId, ':now': Date.now() },
        },
      },
    ]);
    if (failed) return failed.has(0) ? undefined : 'busy';
    const { fileDeadlineAt: _, ...begun } = { ...record, ...set };
    return begun;
  }

  /** Remembers a step. Undefined when another run of the import has done it. */
  async advance(record: ImportRecord, { failures, ...progress }: ImportProgress): Promise<ImportRecord | undefined> {
    const set = { ...progress, ...(failures && { failures: JSON.stringify(failures) }), step: record.step + 1 };
    const item = await this.#table.change<ImportItem>(importKey(record.uid, record.importId), { set }, isAt(record));
    if (item) return recordOf(item);
    // This very write succeeded and its response was lost.
    const found = await this.find(record);
    return found?.run === record.run && found?.step === set.step ? found : undefined;
  }

  /** Ends an import, and with it the list's wait for it. With an error it has failed. */
  async finish(record: ImportRecord, error?: string): Promise<void> {
    const status: ImportStatus = error === undefined ? 'done' : 'failed';
    const set = { status, finishedAt: now(), fileDeadlineAt: null, error, step: record.step + 1 };
    const update = { Update: this.#update(record, { set }) };
    const release = {
      Delete: {
        TableName: this.#table.name,
        Key: runningImportKey(ownerOf(record)),
        ConditionExpression: 'attribute_not_exists(pk) or importId = :own',
        ExpressionAttributeValues: { ':own': record.importId },
      },
    };
    const failed = await this.#table.transactUnless([update, release]);
    // Another import of the list runs, as this one is overdue or has never begun.
    if (failed && !failed.has(0)) await this.#table.transactUnless([update]);
  }

  #update(record: ImportRecord, change: Change) {
    const key = importKey(record.uid, record.importId);
    return { TableName: this.#table.name, Key: key, ...updateOf(change, isAt(record)) };
  }
}

/** The import is as it was read: no other run of it has done a step since. */
const isAt = ({ step, status }: ImportRecord): Condition => ({
  expression: '#step = :found and #status = :was',
  values: { found: step, was: status },
});

const recordOf = ({ pk: _pk, sk: _sk, failures, ...rest }: ImportItem): ImportRecord => ({
  ...rest,
  failures: JSON.parse(failures),
});

/** Why an import ended by the clock; undefined when it did not. */
export const overdueError = (
  { status, fileDeadlineAt, deadlineAt }: ImportRecord,
  at = Date.now(),
): string | undefined => {
  if (status === 'awaiting_upload' && fileDeadlineAt !== undefined && fileDeadlineAt <= at) {
    return 'The file was not uploaded within an hour.';
  }
  if (status === 'running' && deadlineAt !== undefined && deadlineAt <= at) {
    return 'The import did not end in time, for no fault of the file. Import the file again.';
  }
  return undefined;
};

/** An import as a response shows it: failed when its time is over. */
export const shownImport = (record: ImportRecord): BlockListImport => {
  const { importId, mode, lines, added, alreadyBlocked, removed, failed, failures, createdAt } = record;
  const overdue = overdueError(record);
  const endsAt = record.status === 'running' ? record.deadlineAt : record.fileDeadlineAt;
  const finishedAt = overdue === undefined ? record.finishedAt : new Date(endsAt as number).toISOString();
  const error = overdue ?? record.error;
  return {
    importId,
    status: overdue === undefined ? record.status : 'failed',
    mode,
    ...{ lines, added, alreadyBlocked, removed, failed, failures },
    ...(error !== undefined && { error }),
    createdAt,
    ...(finishedAt !== undefined && { finishedAt }),
  };
};

export const blockListImports = /* @__PURE__ */ service(() => new BlockListImports(table.get()), {
  add: ['dynamodb:PutItem'],
  find: ['dynamodb:GetItem'],
  isRunning: ['dynamodb:GetItem'],
  unfinished: ['dynamodb:Query'],
  forget: ['dynamodb:Query', 'dynamodb:UpdateItem'],
  noteUpload: ['dynamodb:UpdateItem'],
  begin: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
  advance: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  finish: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
});
