import type { CallExport, ExportFormat } from '../domain/call-exports.ts';
import { now } from '../domain/date-time.ts';
import { ApiError } from '../domain/errors.ts';
import { newUlid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { service } from '../service.ts';
import { type Fields, isAbsent, when } from '../store/expressions.ts';
import { callExportCollection, callExportKey, runningCallExportKey, withoutKey } from '../store/keys.ts';
import { type Item, TableStore, table, untilWritten } from '../store/table.ts';

/** The calls that a user asks for. */
export type CallExportRequest = {
  exportId: string;
  uid: string;
  /** Absent: all agents that the user owns. */
  agentIds?: string[];
  /** As they were requested. */
  from: string;
  to: string;
  format: ExportFormat;
};

/** A file in the bucket. */
export type StoredFile = { key: string; bytes: number; calls: number };

/** An export with its progress. `step` changes with each write. */
export type StoredExport = CallExportRequest &
  Pick<CallExport, 'status' | 'createdAt' | 'finishedAt' | 'expiresAt' | 'error'> & {
    step: string;
    files: StoredFile[];
    /** The place of the last call of the files. */
    position?: string;
  };

type Progress = Pick<StoredExport, 'files' | 'position'>;
type ExportItem = Item & StoredExport & { ttlSeconds: number };
type RunningItem = Item & { exportId: string };

/** An export that has not ended is kept for a week, so that its job can say why. */
const keptSeconds = 7 * 24 * 60 * 60;

export const isFinished = ({ status }: Pick<StoredExport, 'status'>) => status === 'done' || status === 'failed';

/** The exports of calls that users request: at most one runs for a user. */
export class CallExports extends TableStore {
  /** Adds an export, unless an earlier attempt of the request did. Throws while another one runs. */
  async add(request: CallExportRequest): Promise<void> {
    const { uid, exportId } = request;
    const added: StoredExport = { ...request, status: 'pending', createdAt: now(), step: newUlid(), files: [] };
    const running: RunningItem = { ...runningCallExportKey(uid), exportId };
    await untilWritten(async () => {
      const failed = await this.table.tryTransact<RunningItem>([
        this.table.putAction(toItem(added), isAbsent),
        this.table.putAction(running, when`attribute_not_exists(pk) or exportId = ${exportId}`),
      ]);
      if (!failed || (await this.find(uid, exportId))) return;
      const other = failed.get(1)?.exportId;
      const otherExport = other === undefined ? undefined : await this.find(uid, other);
      if (otherExport && !isFinished(otherExport)) throw exportInProgress();
      // What ran has ended, and did not say so.
      await this.table.delete(runningCallExportKey(uid), when`exportId = ${other ?? ''}`);
      await this.add(request);
    });
  }

  async find(uid: string, exportId: string): Promise<StoredExport | undefined> {
    const item = await this.table.get<ExportItem>(callExportKey(uid, exportId));
    return item && toStored(item);
  }

  /** Yields the exports of a user. */
  async *list(uid: string): AsyncGenerator<StoredExport> {
    for await (const item of this.table.query<ExportItem>(callExportCollection(uid))) yield toStored(item);
  }

  /** Stores the files of an export and how far they go. Undefined: another run has written, or the export is over. */
  save(found: StoredExport, { files, position }: Progress): Promise<StoredExport | undefined> {
    return this.#write(found, { status: 'running', files, position: position ?? null });
  }

  /** Ends an export. Returns it if this run has ended it. */
  async finish(
    found: StoredExport,
    { files, error }: Pick<StoredExport, 'files' | 'error'>,
  ): Promise<StoredExport | undefined> {
    const finishedAt = now();
    const expiresAt = new Date(Date.parse(finishedAt) + limits.exportSeconds * 1000).toISOString();
    const status = error === undefined ? 'done' : 'failed';
    const finished = await this.#write(found, { status, files, finishedAt, expiresAt, error, position: null });
    if (finished) await this.#endRun(found);
    return finished;
  }

  /** Begins an export again, whose files are no longer valid. False: it was written meanwhile. */
  async restart(found: StoredExport): Promise<boolean> {
    return (await this.#write(found, { files: [], position: null })) !== undefined;
  }

  /** Changes an export that was not written since it was read. */
  async #write(found: StoredExport, set: Fields): Promise<StoredExport | undefined> {
    const key = callExportKey(found.uid, found.exportId);
    const step = newUlid();
    const changed = await this.table.change<ExportItem>(key, { set: { ...set, step } }, when`step = ${found.step}`);
    // An attempt whose response was lost has written, too.
    const item = changed ?? (await this.table.get<ExportItem>(key));
    return item?.step === step ? toStored(item) : undefined;
  }

  /** Deletes an export. Its files are deleted before. */
  async remove(found: StoredExport): Promise<void> {
    await this.table.delete(callExportKey(found.uid, found.exportId));
    await this.#endRun(found);
  }

  async #endRun({ uid, exportId }: StoredExport): Promise<void> {
    await this.table.delete(runningCallExportKey(uid), when`exportId = ${exportId}`);
  }
}

const toItem = (added: StoredExport): ExportItem => ({
  ...callExportKey(added.uid, added.exportId),
  ...added,
  ttlSeconds: Math.ceil(Date.parse(added.createdAt) / 1000) + keptSeconds,
});

const toStored = (item: ExportItem): StoredExport => {
  const { ttlSeconds: _, ...stored } = withoutKey(item);
  return stored;
};

/** Returns true when the files of an export have been kept for long enough. */
export const isExpired = ({ expiresAt }: Pick<StoredExport, 'expiresAt'>): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();

const exportInProgress = () =>
  new ApiError('export_in_progress', 'Another export of this user is running. Wait until it has ended.');

export const callExports = /* @__PURE__ */ service(() => new CallExports(table.get()), {
  add: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  find: ['dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  save: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  finish: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
  restart: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  remove: ['dynamodb:DeleteItem'],
});
