import { jobQueueFor } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { environment } from '../environment.ts';
import { callFigures } from '../figures/call-figures.ts';
import { freeze } from '../figures/recount.ts';
import { startOfQuarterAt } from '../figures/rows.ts';
import { agentSegments, agents } from '../store/agents/agents.ts';
import { startOfRetention } from '../store/calls/call-records.ts';
import { calls } from '../store/calls/calls.ts';
import { queueJob, queueWorker } from './job.ts';

/**
 * Deletes calls that are older than the deployment keeps them. They are hidden as soon as they are. An attribute by which
 * DynamoDB would delete them itself would have to be written again to every call when the setting changes.
 * Figures count them a last time before, and stay as they are.
 * The table is read in segments, each by one run, so that it is read to its end however large it is.
 */
export const expireCalls = queueJob({
  name: 'expireCalls',
  message: jobMessages.expireCalls,
  services: {
    agents: agents.for('inSegment'),
    calls: calls.for('removeAll'),
    callFigures: callFigures.for('count', 'daysWithCalls', 'find', 'save'),
    jobQueue: jobQueueFor('expireCalls'),
  },
  timeoutSeconds: jobTimeoutSeconds,
  daily: true,

  async handle({ segment: first = 0 }, { agents, calls, callFigures, jobQueue }, { until }) {
    const days = environment.callRetentionDays;
    if (days === undefined) return;
    const before = startOfQuarterAt(startOfRetention(days));
    for (let segment = first; segment < agentSegments; segment++) {
      for await (const agentId of agents.inSegment(segment)) {
        const isDone =
          (await freeze(agentId, before, until, callFigures)) && (await calls.removeAll(agentId, { before, until }));
        if (!isDone) return jobQueue.send({ job: 'expireCalls', uid: allUsers, segment });
      }
      if (Date.now() >= until && segment + 1 < agentSegments) {
        return jobQueue.send({ job: 'expireCalls', uid: allUsers, segment: segment + 1 });
      }
    }
  },
});

/** The group of the job's messages in the queue, since the work belongs to no user. */
const allUsers = 'all-users';

export const handler = queueWorker(expireCalls);
