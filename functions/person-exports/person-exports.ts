import { now } from '../domain/date-time.ts';
import { ApiError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { PersonCounts, PersonExport } from '../domain/person-exports.ts';
import { service } from '../service.ts';
import { isAbsent, when } from '../store/expressions.ts';
import { personExportCollection, personExportKey, runningPersonExportKey, withoutKey } from '../store/keys.ts';
import { type Item, TableStore, table, untilWritten } from '../store/table.ts';

/** An export of a person. Once it has ended, the keyed hash is all that it keeps of the number. */
export type StoredPersonExport = { uid: string; exportId: string; numberHash: string; number?: string } & Pick<
  PersonExport,
  'status' | 'counts' | 'createdAt' | 'finishedAt' | 'expiresAt' | 'error'
> & { file?: { key: string; bytes: number } };

type ExportItem = Item & StoredPersonExport & { ttlSeconds: number };
type RunningItem = Item & { exportId: string };

/** An export is kept for a week, so that its job can delete the file. */
const keptSeconds = 7 * 24 * 60 * 60;
const nothing: PersonCounts = { calls: 0, blockedNumbers: 0, consents: 0, attempts: 0 };

export const isFinished = ({ finishedAt }: Pick<StoredPersonExport, 'finishedAt'>) => finishedAt !== undefined;

/** Returns true when the file of an export has been kept for long enough. */
export const isExpired = ({ expiresAt }: Pick<StoredPersonExport, 'expiresAt'>): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();

/** The exports of people that users request: at most one runs for a user. */
export class PersonExports extends TableStore {
  /** Adds an export, unless an earlier attempt of the request did. Throws while another one runs. */
  async add(request: Pick<StoredPersonExport, 'uid' | 'exportId' | 'numberHash' | 'number'>): Promise<void> {
    const { uid, exportId } = request;
    const ttlSeconds = Math.ceil(Date.now() / 1000) + keptSeconds;
    const state = { status: 'pending' as const, counts: nothing, createdAt: now(), ttlSeconds };
    const added: ExportItem = { ...personExportKey(uid, exportId), ...request, ...state };
    const running: RunningItem = { ...runningPersonExportKey(uid), exportId };
    await untilWritten(async () => {
      const failed = await this.table.tryTransact<RunningItem>([
        this.table.putAction(added, isAbsent),
        this.table.putAction(running, when`attribute_not_exists(pk) or exportId = ${exportId}`),
      ]);
      if (!failed || (await this.find(uid, exportId))) return;
      const other = failed.get(1)?.exportId ?? '';
      const otherExport = await this.find(uid, other);
      if (otherExport && !isFinished(otherExport))
        throw new ApiError('export_in_progress', 'Another export of a person is running. Wait until it has ended.');
      // What ran has ended, and did not say so.
      await this.#endRun(uid, other);
      await this.add(request);
    });
  }

  async find(uid: string, exportId: string): Promise<StoredPersonExport | undefined> {
    const item = await this.table.get<ExportItem>(personExportKey(uid, exportId));
    return item && toStored(item);
  }

  /** Yields the exports of a user. */
  async *list(uid: string): AsyncGenerator<StoredPersonExport> {
    for await (const item of this.table.query<ExportItem>(personExportCollection(uid))) yield toStored(item);
  }

  /** Notes that an export runs. Undefined: there is none, or it has ended. */
  async start(uid: string, exportId: string): Promise<StoredPersonExport | undefined> {
    const key = personExportKey(uid, exportId);
    const item = await this.table.change<ExportItem>(key, { set: { status: 'running' } }, isUnfinished);
    return item && toStored(item);
  }

  /** Ends an export, which then has no number. Returns it if this run has ended it. */
  async finish(
    { uid, exportId }: Pick<StoredPersonExport, 'uid' | 'exportId'>,
    result: Pick<StoredPersonExport, 'file' | 'error'> & { counts?: PersonCounts },
  ): Promise<StoredPersonExport | undefined> {
    const finishedAt = now();
    const expiresAt = new Date(Date.parse(finishedAt) + limits.exportSeconds * 1000).toISOString();
    const status = result.error === undefined ? 'done' : 'failed';
    const set = { ...result, status, finishedAt, expiresAt, number: null };
    const item = await this.table.change<ExportItem>(personExportKey(uid, exportId), { set }, isUnfinished);
    await this.#endRun(uid, exportId);
    return item && toStored(item);
  }

  /** Deletes an export. Its file is deleted before. */
  async remove({ uid, exportId }: Pick<StoredPersonExport, 'uid' | 'exportId'>): Promise<void> {
    await this.table.delete(personExportKey(uid, exportId));
    await this.#endRun(uid, exportId);
  }

  async #endRun(uid: string, exportId: string): Promise<void> {
    await this.table.delete(runningPersonExportKey(uid), when`exportId = ${exportId}`);
  }
}

const isUnfinished = when`#status in (${'pending'}, ${'running'})`;

const toStored = (item: ExportItem): StoredPersonExport => {
  const { ttlSeconds: _, ...stored } = withoutKey(item);
  return stored;
};

export const personExports = /* @__PURE__ */ service(() => new PersonExports(table.get()), {
  add: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  find: ['dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  start: ['dynamodb:UpdateItem'],
  finish: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  remove: ['dynamodb:DeleteItem'],
});
