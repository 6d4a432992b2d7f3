import { exportFiles } from '../clients/files.ts';
import type { JobMessage } from '../domain/job-messages.ts';
import type { ServicesOf } from '../service.ts';
import { type CallExports, callExports, isFinished, type StoredExport, type StoredFile } from './call-exports.ts';

export const discardServices = {
  callExports: callExports.for('find', 'list', 'remove', 'restart'),
  exportFiles: exportFiles.for('delete'),
};
type Discarding = ServicesOf<typeof discardServices>;

/** Deletes an export with its files. */
export const deleteExport = async (
  found: StoredExport,
  { callExports, exportFiles }: { callExports: Pick<CallExports, 'remove'>; exportFiles: Discarding['exportFiles'] },
): Promise<void> => {
  await deleteFiles(found.files, exportFiles);
  await callExports.remove(found);
};

/** Deletes all exports of a user. */
export const deleteExports = async (uid: string, services: Discarding): Promise<void> => {
  for await (const found of services.callExports.list(uid)) await deleteExport(found, services);
};

/** Deletes the exports of a user that have ended, and begins the one that runs again: no file has what was erased before. */
export const discardExports = async (
  uid: string,
  services: Discarding & { jobQueue: { send(message: JobMessage<'exportCalls'>): Promise<void> } },
): Promise<void> => {
  for await (const { exportId } of services.callExports.list(uid)) await discardExport({ uid, exportId }, services);
};

const discardExport = async (
  { uid, exportId }: { uid: string; exportId: string },
  services: Parameters<typeof discardExports>[1],
): Promise<void> => {
  const { callExports, exportFiles, jobQueue } = services;
  for (;;) {
    const found = await callExports.find(uid, exportId);
    if (!found) return;
    if (isFinished(found)) return deleteExport(found, services);
    if (!(await callExports.restart(found))) continue;
    // The run that was overtaken ends without a message of its own. The erasure is repeated until this one is sent.
    await jobQueue.send({ job: 'exportCalls', uid, exportId });
    return deleteFiles(found.files, exportFiles);
  }
};

const deleteFiles = async (stored: StoredFile[], exportFiles: Discarding['exportFiles']): Promise<void> => {
  for (const { key } of stored) await exportFiles.delete(key);
};
