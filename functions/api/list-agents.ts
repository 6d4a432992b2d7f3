import * as z from 'zod/mini';
import { Agent } from '../domain/agents.ts';
import { Uid } from '../domain/identifiers.ts';
import { fillPage, fromCursor, nextPage, paging } from '../domain/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agents } from '../store/agents.ts';

/** Lists the agents a user may use: their own, and those they were given access to. */
export const listAgents = endpoint({
  name: 'listAgents',
  method: 'GET',
  path: '/agents',
  summary: 'List a user’s agents',
  description: 'The agents the user owns, and those they were given access to.',
  caller: { kind: 'key', scope: 'agents', user: ({ query }) => query },
  services: { agents: agents.for('list') },
  query: z.object({ uid: Uid, ...paging }),
  response: z.object({ agents: z.array(Agent).check(z.describe('The agents.')), ...nextPage }),

  async handle({ query: { uid, limit, cursor } }, { agents }) {
    const collection = `agents:${uid}`;
    const after = fromCursor(collection, cursor);
    const page = { collection, limit, positionOf: ({ agentId }: Agent) => agentId };
    const { items, ...next } = await fillPage(agents.list(uid, { after, limit: limit && limit + 1 }), page);
    return { agents: items, ...next };
  },
});

export const handler = lambda(listAgents);
