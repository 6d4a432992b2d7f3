import type { JobMessage } from '../domain/job-messages.ts';
import type { BudgetChecks } from './budget-checks.ts';

/** The counts that follow one another are followed by one check. */
const waitSeconds = 2;

type QueueServices = {
  budgetChecks: Pick<BudgetChecks, 'claim'>;
  jobQueue: { send(message: JobMessage<'checkBudget'>, delaySeconds?: number): Promise<void> };
};

/** Queues a check of a user's budget, unless one is queued. `by` names the caller, also when it is repeated. */
export const queueCheck = async (
  { uid, by }: { uid: string; by: string },
  { budgetChecks, jobQueue }: QueueServices,
): Promise<void> => {
  if (await budgetChecks.claim(uid, by)) await jobQueue.send({ job: 'checkBudget', uid }, waitSeconds);
};
