import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { continueCopy, copyServices } from '../duplication/copy.ts';
import { duplications } from '../duplication/duplications.ts';
import { queueJob, queueWorker } from './job.ts';

/** The interval at which a copy checks whether a new day's quota allows it to go on: the maximum of SQS. */
const quotaDelaySeconds = 900;

/** Finishes a copy of an agent that was too large for one request, or whose function died. */
export const finishDuplication = queueJob({
  name: 'finishDuplication',
  message: jobMessages.finishDuplication,
  services: { ...copyServices, duplications: duplications.for('find', 'add', 'update', 'finish', 'abandon') },
  timeoutSeconds: jobTimeoutSeconds,

  async handle({ agentId }, services, { until }) {
    const { duplications, jobQueue } = services;
    const begun = await duplications.find(agentId);
    if (!begun) return;
    const reached = await continueCopy(begun, until, services);
    const { uid } = begun.agent;
    const delaySeconds = reached?.waitsForQuota ? quotaDelaySeconds : 0;
    if (reached?.state === 'copying') await jobQueue.send({ job: 'finishDuplication', uid, agentId }, delaySeconds);
  },
});

export const handler = queueWorker(finishDuplication);
