import * as z from 'zod/mini';
import { listField } from '../domain/describe.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { AgentIdInPath, Uid } from '../domain/identifiers.ts';
import { describedPage, paging, readPage } from '../domain/paging.ts';
import { Reconciliation } from '../domain/reconciliations.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { reconciliations, toReconciliation } from '../reconciliation/reconciliations.ts';

/** Lists the reconciliations of an agent, the newest first. */
export const listReconciliations = endpoint({
  name: 'listReconciliations',
  method: 'GET',
  path: '/agents/{agentId}/reconciliations',
  summary: 'List reconciliations',
  description:
    'Returns the reconciliations of an agent in the last 30 days, the newest first, including the hourly ones.',
  caller: { kind: 'key', scope: 'calls', agent: ({ params: { agentId }, query: { uid } }) => ({ agentId, uid }) },
  services: { reconciliations: reconciliations.for('list') },
  params: z.object({ agentId: AgentIdInPath }),
  query: z.object({ uid: Uid, ...paging }),
  response: describedPage('A page of reconciliations.', {
    reconciliations: listField(Reconciliation, 'The reconciliations, the newest first.'),
  }),

  async handle({ principal, agent: { uid, agentId }, query: { limit, cursor } }, { reconciliations }) {
    if (uid !== principal.uid) throw insufficientPermissions();
    const { items, ...next } = await readPage(({ after }) => reconciliations.list(agentId, after), {
      collection: `reconciliations:${agentId}`,
      limit,
      cursor,
      getPosition: ({ reconciliationId }) => reconciliationId,
    });
    return { reconciliations: items.map(toReconciliation), ...next };
  },
});

export const handler = lambda(listReconciliations);
