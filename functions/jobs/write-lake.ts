import { queueSender, secondsUntil } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { lakeServices, writeLakePeriod } from '../lake/write-period.ts';
import { queueJob, queueWorker } from './job.ts';

/** Writes the calls of an agent's day or month to the lake. */
export const writeLake = queueJob({
  name: 'writeLake',
  message: jobMessages.writeLake,
  services: { ...lakeServices, jobQueue: queueSender('writeLake') },
  timeoutSeconds: jobTimeoutSeconds,
  // Lambda gives one whole vCPU at this size.
  memoryMegabytes: 1769,

  async handle(message, services) {
    const { uid, agentId, day, dueAt } = message;
    const delaySeconds = secondsUntil(dueAt);
    if (delaySeconds > 0) return services.jobQueue.send(message, delaySeconds);
    const next = await writeLakePeriod({ uid, agentId, day }, services);
    if (next) await services.jobQueue.send({ job: 'writeLake', uid, ...next }, secondsUntil(next.dueAt));
  },
});

export const handler = queueWorker(writeLake);
