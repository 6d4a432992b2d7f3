import { jobQueueFor } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobRescueDelaySeconds, jobTimeoutSeconds } from '../domain/timeouts.ts';
import { erasePerson as erase, eraseServices } from '../erasure/person.ts';
import { queueJob, queueWorker } from './job.ts';

const maxMilliseconds = 48 * 60 * 60 * 1000;
const incomplete = 'The erasure could not be completed. Request it again.';

/** Erases a person from the data of a user. */
export const erasePerson = queueJob({
  name: 'erasePerson',
  message: jobMessages.erasePerson,
  services: { ...eraseServices, jobQueue: jobQueueFor('erasePerson') },
  timeoutSeconds: jobTimeoutSeconds,

  async handle(message, services, { until }) {
    const { uid, erasureId, progress } = message;
    const { erasures, jobQueue } = services;
    const begun = await erasures.start(uid, erasureId);
    if (!begun) return;
    // That message continues the erasure even if this run and its retries all fail.
    await jobQueue.send(message, jobRescueDelaySeconds);
    const rest = await erase({ uid, erasureId, ...begun, progress }, until, services);
    if (rest === undefined) return erasures.finish(uid, erasureId);
    // By then everything that the erasure waits for has ended, unless an operator must intervene.
    if (Date.now() > Date.parse(begun.requestedAt) + maxMilliseconds) return erasures.fail(uid, erasureId, incomplete);
    const next = { job: 'erasePerson', uid, erasureId, ...(rest.progress && { progress: rest.progress }) } as const;
    await jobQueue.send(next, rest.delaySeconds);
  },

  async giveUp({ uid, erasureId }, { erasures }) {
    await erasures.fail(uid, erasureId, incomplete);
  },
});

export const handler = queueWorker(erasePerson);
