import * as z from 'zod/mini';
import { CallsPage, CallsQuery } from '../domain/call-lists.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { callLists } from '../store/calls/call-lists.ts';

/** Lists the calls of an agent that match all filters, newest first. */
export const listCalls = endpoint({
  name: 'listCalls',
  method: 'GET',
  // Half the time of 512 MB, for about the same price.
  memoryMegabytes: 1024,
  path: '/calls/{agentId}',
  summary: 'List the calls of an agent',
  description:
    'Returns the calls of an agent with their outcomes, newest first. A call must match all filters that are given. If few calls match, a page may be short, or empty, and still have a `nextCursor`: `searchedBackTo` says how far it has searched. The last page has no `nextCursor`.',
  caller: { kind: 'key', scope: 'calls', agent: ({ params }) => params },
  services: { callLists: callLists.for('page') },
  params: z.object({ agentId: AgentIdInPath }),
  query: CallsQuery,
  response: CallsPage,

  async handle({ agent: { agentId }, query }, { callLists }) {
    return callLists.page(agentId, [agentId], query);
  },
});

export const handler = lambda(listCalls);
