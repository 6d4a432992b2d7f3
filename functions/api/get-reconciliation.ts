import * as z from 'zod/mini';
import { ApiError, insufficientPermissions } from '../domain/errors.ts';
import { AgentIdInPath, isIdentifier, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { Reconciliation, ReconciliationIdInPath } from '../domain/reconciliations.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { reconciliations, toReconciliation } from '../reconciliation/reconciliations.ts';

/** Returns the progress and the counts of a reconciliation. */
export const getReconciliation = endpoint({
  name: 'getReconciliation',
  method: 'GET',
  path: '/agents/{agentId}/reconciliations/{reconciliationId}',
  summary: 'Get a reconciliation',
  description: `Returns the status and the counts of a reconciliation, and the first ${limits.reconciliationDifferences} differences of recorded calls in duration and cost. It is kept for 30 days.`,
  caller: { kind: 'key', scope: 'calls', agent: ({ params: { agentId }, query: { uid } }) => ({ agentId, uid }) },
  services: { reconciliations: reconciliations.for('find') },
  params: z.object({ agentId: AgentIdInPath, reconciliationId: ReconciliationIdInPath }),
  query: z.object({ uid: Uid }),
  response: Reconciliation,
  errors: ['not_found'],

  async handle({ principal, agent: { uid, agentId }, params: { reconciliationId } }, { reconciliations }) {
    if (uid !== principal.uid) throw insufficientPermissions();
    const found = isIdentifier(reconciliationId) && (await reconciliations.find(agentId, reconciliationId));
    if (!found) throw new ApiError('not_found', 'This agent has no such reconciliation.');
    return toReconciliation(found);
  },
});

export const handler = lambda(getReconciliation);
