import * as z from 'zod/mini';
import { CallsPage, CallsQuery } from '../domain/call-lists.ts';
import { invalidField } from '../domain/errors.ts';
import { Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentAccess } from '../store/agents/agent-access.ts';
import { callLists } from '../store/calls/call-lists.ts';

/** Lists the calls of all agents of a user that match all filters, newest first. */
export const listAllCalls = endpoint({
  name: 'listAllCalls',
  method: 'GET',
  // The duration depends on the CPU: one query for each agent.
  memoryMegabytes: 1769,
  path: '/calls',
  summary: 'List the calls of all agents',
  description: `Returns the calls of all agents that the user owns, at most ${limits.listedAgents}, newest first. Filters and pages are those of the list of an agent.`,
  caller: { kind: 'key', scope: 'calls', user: ({ query }) => query },
  services: { agentAccess: agentAccess.for('allOwned'), callLists: callLists.for('page') },
  query: z.extend(z.object({ uid: Uid }), CallsQuery.shape),
  response: CallsPage,

  async handle({ query: { uid, ...query } }, { agentAccess, callLists }) {
    const owned = await agentAccess.allOwned(uid, {
      max: limits.listedAgents,
      tooMany: () =>
        invalidField('uid', `owns more than ${limits.listedAgents} agents: choose one, with GET /calls/{agentId}`),
    });
    const agentIds = owned.map(({ agentId }) => agentId);
    return callLists.page(`user:${uid}`, agentIds, query);
  },
});

export const handler = lambda(listAllCalls);
