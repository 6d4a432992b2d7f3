import { queueSender } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { environment } from '../environment.ts';
import { callFigures } from '../figures/call-figures.ts';
import { freeze } from '../figures/recount.ts';
import { findQuarterStart } from '../figures/rows.ts';
import { agentSegments, agents } from '../store/agents/agents.ts';
import { startOfRetention } from '../store/calls/call-records.ts';
import { calls } from '../store/calls/calls.ts';
import { queueJob, queueWorker } from './job.ts';

/** Deletes transcripts that their agent no longer keeps, and counted calls past retention. A TTL would be rewritten with each change of a setting. */
export const expireCalls = queueJob({
  name: 'expireCalls',
  message: jobMessages.expireCalls,
  services: {
    agents: agents.for('inSegment'),
    calls: calls.for('removeAll', 'expireTranscripts'),
    callFigures: callFigures.for('count', 'daysWithCalls', 'find', 'save'),
    jobQueue: queueSender('expireCalls'),
  },
  timeoutSeconds: jobTimeoutSeconds,
  daily: true,

  async handle({ segment: first = 0 }, { agents, calls, callFigures, jobQueue }, { until }) {
    const days = environment.callRetentionDays;
    const before = days === undefined ? undefined : findQuarterStart(startOfRetention(days));
    for (let segment = first; segment < agentSegments; segment++) {
      for await (const { agentId, transcripts } of agents.inSegment(segment)) {
        const keptFrom = transcripts && startOfRetention(transcripts.keepDays);
        const isDone =
          (await calls.expireTranscripts(agentId, { before: keptFrom, until })) &&
          (before === undefined ||
            ((await freeze(agentId, before, until, callFigures)) &&
              (await calls.removeAll(agentId, { before, until }))));
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
