import * as z from 'zod/mini';
import { beginJob, queueSender } from '../clients/job-queue.ts';
import { insufficientPermissions, invalidField } from '../domain/errors.ts';
import { AgentIdInPath, newIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { AcceptedReconciliation, ReconciliationRequest } from '../domain/reconciliations.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { findAssistants } from '../reconciliation/begin-reconciliation.ts';
import { platformKeys } from '../reconciliation/platform-keys.ts';
import { reconciliations } from '../reconciliation/reconciliations.ts';
import { agents } from '../store/agents/agents.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Starts a reconciliation, which compares an agent's calls with its platform's list and records those that are missing. */
export const createReconciliation = endpoint({
  name: 'createReconciliation',
  method: 'POST',
  path: '/agents/{agentId}/reconciliations',
  summary: 'Find calls whose end never arrived',
  description:
    'Compares the calls of an agent with the list of its voice platform (`platform` of its configuration), and records those that are missing, as if their end had arrived. It runs in the background. `GET /agents/{agentId}/reconciliations/{reconciliationId}` returns its counts. Calls that were deleted, or whose person was erased, are not recorded again. Only the owner of the agent can start a reconciliation, one at a time.',
  caller: { kind: 'key', scope: 'calls', agent: ({ params: { agentId }, body: { uid } }) => ({ agentId, uid }) },
  services: {
    agents: agents.for('find'),
    platformKeys: platformKeys.for('find'),
    reconciliations: reconciliations.for('add'),
    jobQueue: queueSender('reconcileCalls'),
  },
  params: z.object({ agentId: AgentIdInPath }),
  body: ReconciliationRequest,
  response: AcceptedReconciliation,
  errors: ['reconciliation_in_progress'],

  async handle({ principal, agent: { uid, agentId }, body: { from, to, dryRun }, creationId }, services) {
    const { agents, platformKeys, reconciliations, jobQueue } = services;
    if (uid !== principal.uid) throw insufficientPermissions();
    checkRange(Date.parse(from), Date.parse(to));
    const agent = await agents.find(uid, agentId);
    if (!agent) throw insufficientPermissions();
    const assistants = await findAssistants(agent, platformKeys);
    const reconciliationId = newIdentifier('reconciliation', creationId);
    const message = { job: 'reconcileCalls', uid, agentId, reconciliationId } as const;
    const added = { reconciliationId, agentId, uid, ...assistants, from, to, dryRun };
    await beginJob(jobQueue, message, () => reconciliations.add(added));
    return { reconciliationId, status: 'pending' as const };
  },
});

const checkRange = (from: number, to: number): void => {
  if (from >= to) throw invalidField('from', 'must be before to');
  if (to > Date.now()) throw invalidField('to', 'must not be in the future');
  if (to - from > limits.reconciliationDays * dayMilliseconds)
    throw invalidField('to', `must be at most ${limits.reconciliationDays} days after from`);
};

export const handler = lambda(createReconciliation);
