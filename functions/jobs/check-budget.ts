import { budgetChecks } from '../budgets/budget-checks.ts';
import { checkBudget as compare } from '../budgets/check-budget.ts';
import { queueSender } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { callFigures } from '../figures/call-figures.ts';
import { agentAccess } from '../store/agents/agent-access.ts';
import { users } from '../store/users.ts';
import { queueJob, queueWorker } from './job.ts';

const waitSeconds = 5;
/** A call that moves to another day is counted twice for a moment: a check waits for counts, and not for long. */
const maxWaits = 4;

/** Compares what the calls of a user have cost with its budget. */
export const checkBudget = queueJob({
  name: 'checkBudget',
  message: jobMessages.checkBudget,
  services: {
    budgetChecks: budgetChecks.for('begin'),
    users: users.for('findBudget', 'noteSpending'),
    agentAccess: agentAccess.for('allOwned'),
    callFigures: callFigures.for('marksBetween', 'read'),
    jobQueue: queueSender('checkBudget'),
  },
  timeoutSeconds: 60,

  async handle({ uid, waits = 0 }, { budgetChecks, jobQueue, ...services }) {
    await budgetChecks.begin(uid);
    const result = await compare(uid, services, { waitsForCounts: waits < maxWaits });
    if (result === 'pending') await jobQueue.send({ job: 'checkBudget', uid, waits: waits + 1 }, waitSeconds);
  },
});

export const handler = queueWorker(checkBudget);
