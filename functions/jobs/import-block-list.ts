import * as z from 'zod/mini';
import { importServices, runImport } from '../block-list-import/run-import.ts';
import { noteRequestId } from '../cause.ts';
import { importOfFileKey, importsFolder } from '../domain/block-list-imports.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { createdKeys, FileNotification } from './file-notification.ts';
import { queueJob, queueWorker } from './job.ts';

const Message = z.union([jobMessages.importBlockList, FileNotification]);

/** Imports a file of numbers into a block list. The notification of S3 is sent again as a message of its user. */
export const importBlockList = queueJob({
  name: 'importBlockList',
  message: Message,
  services: importServices,
  timeoutSeconds: jobTimeoutSeconds,
  // Lambda gives one whole vCPU at this size.
  memoryMegabytes: 1769,
  startedByFilesUnder: importsFolder,
  isAwaited: true,

  async handle(message, services, { until }) {
    if ('job' in message) {
      const { uid, importId, continues } = message;
      return runImport({ uid, importId }, services, until, { continues });
    }
    for (const reference of createdKeys(message).flatMap((key) => importOfFileKey(key) ?? [])) {
      // S3 does not know the request that made the form.
      noteRequestId((await services.imports.find(reference))?.requestId);
      await services.jobQueue.send({ job: 'importBlockList', ...reference });
    }
  },
});

export const handler = queueWorker(importBlockList);
