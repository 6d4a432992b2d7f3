import { exportFiles } from '../clients/files.ts';
import type { JobMessage } from '../domain/job-messages.ts';
import type { ServicesOf } from '../service.ts';
import { isFinished } from '../store/exports.ts';
import { callExports } from './call-exports.ts';

export const discardServices = {
  callExports: callExports.for('find', 'list', 'remove', 'save'),
  exportFiles: exportFiles.for('delete'),
};
type Discarding = ServicesOf<typeof discardServices>;

/** Deletes all exports of a user. */
export const deleteExports = async (uid: string, { callExports, exportFiles }: Discarding): Promise<void> => {
  for await (const found of callExports.list(uid)) await callExports.remove(found, exportFiles);
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
  { callExports, exportFiles, jobQueue }: Parameters<typeof discardExports>[1],
): Promise<void> => {
  for (;;) {
    const found = await callExports.find(uid, exportId);
    if (!found) return;
    if (isFinished(found)) return callExports.remove(found, exportFiles);
    if (!(await callExports.save(found, { files: [], position: null }))) continue;
    // The run that was overtaken ends without a message of its own. The erasure is repeated until this one is sent.
    await jobQueue.send({ job: 'exportCalls', uid, exportId });
    for (const key of found.fileKeys) await exportFiles.delete(key);
    return;
  }
};
