import { exportServices, runExport } from '../call-exports/run-export.ts';
import { queueSender, secondsUntil } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { queueJob, queueWorker } from './job.ts';

/** Writes the files of an export of calls, and deletes them after a day. */
export const exportCalls = queueJob({
  name: 'exportCalls',
  message: jobMessages.exportCalls,
  services: { ...exportServices, jobQueue: queueSender('exportCalls') },
  isAwaited: true,
  timeoutSeconds: jobTimeoutSeconds,
  // Lambda gives one whole vCPU at this size.
  memoryMegabytes: 1769,

  async handle({ isRescue, ...message }, services, { until }) {
    const rest = await runExport({ ...message, isRescue }, until, services);
    if (rest) await services.jobQueue.send(message, secondsUntil(rest.dueAt));
  },
});

export const handler = queueWorker(exportCalls);
