import { queueSender, secondsUntil } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { personExportServices, runPersonExport } from '../person-exports/run-person-export.ts';
import { queueJob, queueWorker } from './job.ts';

/** Writes the data of a person to a file, and deletes it after a day. */
export const exportPerson = queueJob({
  name: 'exportPerson',
  message: jobMessages.exportPerson,
  services: { ...personExportServices, jobQueue: queueSender('exportPerson') },
  isAwaited: true,
  timeoutSeconds: jobTimeoutSeconds,

  async handle({ isRescue, ...message }, services) {
    const rest = await runPersonExport({ ...message, isRescue }, services);
    if (rest) await services.jobQueue.send(message, secondsUntil(rest.dueAt));
  },
});

export const handler = queueWorker(exportPerson);
