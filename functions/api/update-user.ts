import * as z from 'zod/mini';
import { budgetChecks } from '../budgets/budget-checks.ts';
import { queueCheck } from '../budgets/queue-check.ts';
import { queueSender } from '../clients/job-queue.ts';
import { invalidField, noSuchUser } from '../domain/errors.ts';
import { ClientUidInPath, User, UserChange } from '../domain/users.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { checkQuotas, quotaMarks, shownUser } from '../store/user-quotas.ts';
import { users } from '../store/users.ts';
import { chooseMaker } from '../users/chosen-maker.ts';

/** Renames a client, sets its quotas, suspends it or ends its suspension. */
export const updateUser = endpoint({
  name: 'updateUser',
  method: 'PATCH',
  path: '/users/{uid}',
  summary: 'Update a user',
  description:
    'Updates the fields that are sent. From the response on, a suspended client is refused in every operation: its API keys, the signatures of its voice platforms, the chat and AI clients. Its calls are rejected, its webhooks wait; only the ends of its calls that voice platforms report are recorded. `suspended: false` ends this, unless the operator of the service has suspended the client, and waiting webhooks are sent within a minute. Guests of its agents and its own clients are not affected. Quotas hold from the next request on; what exceeds a lowered quota stays. A budget that is raised or ended accepts calls again at once; a lowered one holds within two minutes.',
  caller: { kind: 'key', scope: 'users', administersUsers: true },
  services: {
    users: users.for('changeClient', 'findClient'),
    budgetChecks: budgetChecks.for('claim'),
    jobQueue: queueSender('checkBudget'),
  },
  params: z.object({ uid: ClientUidInPath }),
  body: UserChange,
  response: User,
  errors: ['user_not_found', 'suspended_by_operator'],

  async handle({ principal, params: { uid }, body: { quotas, ...given }, requestId }, services) {
    const { users, budgetChecks, jobQueue } = services;
    const maker = chooseMaker(principal);
    checkQuotas(quotas);
    // The operator also changes users whom nobody pays for.
    if (given.budget && maker === undefined && (await users.findClient(maker, uid))?.maker === undefined)
      throw invalidField('budget', 'is of clients alone: users that another user has created');
    const changed = await users.changeClient(maker, uid, { ...given, ...quotaMarks(quotas) });
    if (!changed) throw noSuchUser();
    if (given.budget) await queueCheck({ uid, by: requestId }, { budgetChecks, jobQueue });
    return shownUser(changed);
  },
});

export const handler = lambda(updateUser);
