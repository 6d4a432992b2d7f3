import { queueSender } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { callFigures } from '../figures/call-figures.ts';
import { countDay, moreSeconds } from '../figures/recount.ts';
import { queueJob, queueWorker } from './job.ts';

/** Counts the calls of a day again if they have changed. */
export const countCalls = queueJob({
  name: 'countCalls',
  message: jobMessages.countCalls,
  services: {
    callFigures: callFigures.for('begin', 'count', 'end', 'find', 'getMarks', 'removeAll', 'save'),
    jobQueue: queueSender('countCalls'),
  },
  timeoutSeconds: jobTimeoutSeconds,

  async handle({ uid, agentId, day, hasWaited }, { callFigures, jobQueue }) {
    const seconds = hasWaited ? 0 : await moreSeconds({ agentId, day }, callFigures);
    if (seconds > 0) return jobQueue.send({ job: 'countCalls', uid, agentId, day, hasWaited: true }, seconds);
    const result = await countDay({ agentId, day }, callFigures);
    if (result === 'gone') await callFigures.removeAll(agentId);
  },
});

export const handler = queueWorker(countCalls);
