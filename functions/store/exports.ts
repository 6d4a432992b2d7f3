import { now } from '../domain/date-time.ts';
import { ApiError } from '../domain/errors.ts';
import type { ExportState } from '../domain/exports.ts';
import { newUlid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import type { Service } from '../service.ts';
import { type Fields, isAbsent, when } from './expressions.ts';
import { type ExportKind, exportCollection, exportKey, runningExportKey, withoutKey } from './keys.ts';
import { type Item, type Table, TableStore, untilWritten } from './table.ts';

/** A file in the bucket. */
export type StoredFile = { key: string; bytes: number };

/** What all exports have. `step` changes with each write. `fileKeys` are noted before a run writes a file: a killed one has no other trace. */
export type StoredExport = ExportState & {
  uid: string;
  exportId: string;
  step: string;
  fileKeys: string[];
  files: StoredFile[];
};

/** What a kind of export has of its own. */
type Own<Stored extends StoredExport> = Omit<Stored, keyof StoredExport>;
/** The fields that a write sets. It removes a field by null. */
type Changed<Stored extends StoredExport> = Partial<{
  [Name in keyof Own<Stored> | 'fileKeys' | 'files']: Stored[Name & keyof Stored] | null;
}>;
type ExportItem<Stored extends StoredExport> = Item & Stored & { ttlSeconds: number };
type RunningItem = Item & { exportId: string };
type ExportFiles = { delete(key: string): Promise<void> };

/** An export is kept for a week, so that its job can say why it failed, and delete its files. */
const keptSeconds = 7 * 24 * 60 * 60;

export const isFinished = ({ finishedAt }: Pick<StoredExport, 'finishedAt'>) => finishedAt !== undefined;

/** Returns true when the files of an export have been kept for long enough. */
export const isExpired = ({ expiresAt }: Pick<StoredExport, 'expiresAt'>): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();

/** The exports of a kind that users request: at most one runs for a user. */
export class Exports<Stored extends StoredExport> extends TableStore {
  readonly #kind: ExportKind;

  constructor(table: Table, kind: ExportKind) {
    super(table);
    this.#kind = kind;
  }

  /** Adds an export, unless an earlier attempt of the request did. Throws while another one runs. */
  async add(request: Own<Stored> & Pick<StoredExport, 'uid' | 'exportId'>): Promise<void> {
    const { uid, exportId } = request;
    const ttlSeconds = Math.ceil(Date.now() / 1000) + keptSeconds;
    const state = {
      status: 'pending',
      createdAt: now(),
      step: newUlid(),
      fileKeys: [],
      files: [],
      ttlSeconds,
    } as const;
    const added = { ...exportKey(this.#kind, uid, exportId), ...request, ...state };
    const running: RunningItem = { ...runningExportKey(this.#kind, uid), exportId };
    await untilWritten(async () => {
      const failed = await this.table.tryTransact<RunningItem>([
        this.table.putAction(added, isAbsent),
        this.table.putAction(running, when`attribute_not_exists(pk) or exportId = ${exportId}`),
      ]);
      if (!failed || (await this.find(uid, exportId))) return;
      const other = failed.get(1)?.exportId ?? '';
      const otherExport = await this.find(uid, other);
      if (otherExport && !isFinished(otherExport)) throw exportInProgress();
      // What ran has ended, and did not say so.
      await this.#endRun(uid, other);
      await this.add(request);
    });
  }

  async find(uid: string, exportId: string): Promise<Stored | undefined> {
    const item = await this.table.get<ExportItem<Stored>>(exportKey(this.#kind, uid, exportId));
    return item && toStored(item);
  }

  /** Yields the exports of a user. */
  async *list(uid: string): AsyncGenerator<Stored> {
    for await (const item of this.table.query<ExportItem<Stored>>(exportCollection(this.#kind, uid)))
      yield toStored(item);
  }

  /** Stores how far a run has come. Undefined: another run has written, or the export is over. */
  save(found: Stored, changed: Changed<Stored>): Promise<Stored | undefined> {
    return this.#write(found, { ...changed, status: 'running' });
  }

  /** Ends an export. Returns it if this run has ended it. */
  async finish(found: Stored, changed: Changed<Stored> & { error?: string }): Promise<Stored | undefined> {
    const finishedAt = now();
    const expiresAt = new Date(Date.parse(finishedAt) + limits.exportSeconds * 1000).toISOString();
    const status = changed.error === undefined ? 'done' : 'failed';
    const finished = await this.#write(found, { ...changed, status, finishedAt, expiresAt });
    if (finished) await this.#endRun(found.uid, found.exportId);
    return finished;
  }

  /** Changes an export that was not written since it was read. */
  async #write(found: Stored, set: Fields): Promise<Stored | undefined> {
    const key = exportKey(this.#kind, found.uid, found.exportId);
    const step = newUlid();
    const isUnchanged = when`step = ${found.step}`;
    const changed = await this.table.change<ExportItem<Stored>>(key, { set: { ...set, step } }, isUnchanged);
    // An attempt whose response was lost has written, too.
    const item = changed ?? (await this.table.get<ExportItem<Stored>>(key));
    return item?.step === step ? toStored(item) : undefined;
  }

  /** Deletes an export with its files. */
  async remove({ uid, exportId, fileKeys }: Stored, exportFiles: ExportFiles): Promise<void> {
    for (const key of fileKeys) await exportFiles.delete(key);
    await this.table.delete(exportKey(this.#kind, uid, exportId));
    await this.#endRun(uid, exportId);
  }

  /** Deletes an export that has expired. Returns when to look again; undefined when it is deleted. */
  async expire(found: Stored, exportFiles: ExportFiles): Promise<{ dueAt: number } | undefined> {
    if (!isExpired(found)) return { dueAt: Date.parse(found.expiresAt as string) };
    await this.remove(found, exportFiles);
    return undefined;
  }

  async #endRun(uid: string, exportId: string): Promise<void> {
    await this.table.delete(runningExportKey(this.#kind, uid), when`exportId = ${exportId}`);
  }
}

const toStored = <Stored extends StoredExport>(item: ExportItem<Stored>): Stored => {
  const { ttlSeconds: _, ...stored } = withoutKey(item);
  return stored as unknown as Stored;
};

const exportInProgress = () =>
  new ApiError('export_in_progress', 'Another export of this user is running. Wait until it has ended.');

/** The permissions that the methods of a store of exports need. */
export const exportPermissions = {
  add: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  find: ['dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  save: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  finish: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
  remove: ['dynamodb:DeleteItem'],
  expire: ['dynamodb:DeleteItem'],
} as const satisfies Record<string, Service<unknown>['permissions']>;
