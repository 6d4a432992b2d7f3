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
    const { uid, erasureId } = message;
    const { erasures, jobQueue } = services;
    const begun = await erasures.start(uid, erasureId);
    if (!begun) return;
    // Whatever ends this run and its repetitions, that message continues the erasure.
    await jobQueue.send(message, jobRescueDelaySeconds);
    const delaySeconds = await erase({ uid, erasureId, ...begun }, until, services);
    if (delaySeconds === undefined) return erasures.finish(uid, erasureId);
    // What an erasure waits for has long ended by then, unless an operator must see to it.
    if (Date.now() > Date.parse(begun.requestedAt) + maxMilliseconds) return erasures.fail(uid, erasureId, incomplete);
    await jobQueue.send(message, delaySeconds);
  },

  async giveUp({ uid, erasureId }, { erasures }) {
    await erasures.fail(uid, erasureId, incomplete);
  },
});

export const handler = queueWorker(erasePerson);
