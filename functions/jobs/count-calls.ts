import { budgetChecks } from '../budgets/budget-checks.ts';
import { queueCheck } from '../budgets/queue-check.ts';
import { queueSender, secondsUntil } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { environment } from '../environment.ts';
import { callFigures } from '../figures/call-figures.ts';
import { countDay, moreSeconds } from '../figures/recount.ts';
import { lakeDays } from '../lake/lake-days.ts';
import { users } from '../store/users.ts';
import { queueJob, queueWorker } from './job.ts';

/** Counts the calls of a day again if they have changed. */
export const countCalls = queueJob({
  name: 'countCalls',
  message: jobMessages.countCalls,
  services: {
    callFigures: callFigures.for('begin', 'count', 'end', 'find', 'getMarks', 'removeAll', 'save'),
    users: users.for('findBudget'),
    budgetChecks: budgetChecks.for('claim'),
    lakeDays: lakeDays.for('note'),
    jobQueue: queueSender('checkBudget', 'countCalls', 'writeLake'),
  },
  timeoutSeconds: jobTimeoutSeconds,

  async handle({ uid, agentId, day, hasWaited }, { callFigures, users, budgetChecks, lakeDays, jobQueue }) {
    const seconds = hasWaited ? 0 : await moreSeconds({ agentId, day }, callFigures);
    if (seconds > 0) return jobQueue.send({ job: 'countCalls', uid, agentId, day, hasWaited: true }, seconds);
    const result = await countDay({ agentId, day }, callFigures);
    if (await users.findBudget(uid)) await queueCheck({ uid, by: `${agentId} ${day}` }, { budgetChecks, jobQueue });
    if (result === 'gone') return void (await callFigures.removeAll(agentId));
    const noted = environment.lake ? await lakeDays.note({ agentId, day }) : undefined;
    if (noted) await jobQueue.send({ job: 'writeLake', uid, agentId, day, ...noted }, secondsUntil(noted.dueAt));
  },
});

export const handler = queueWorker(countCalls);
