import * as z from 'zod/mini';
import { Agent, AgentKey } from '../domain/agents.ts';
import { describe, listField } from '../domain/describe.ts';
import { Uid } from '../domain/identifiers.ts';
import { describedPage, fillPage, fromCursor, paging } from '../domain/paging.ts';
import { PhoneNumberInQuery } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agents } from '../store/agents/agents.ts';

/** Lists the agents that a user owns, and those that were shared with the user. */
export const listAgents = endpoint({
  name: 'listAgents',
  method: 'GET',
  path: '/agents',
  summary: 'List the agents of a user',
  description:
    'Returns the agents that the user owns and those that were shared with the user. `phoneNumber` or `key` limits the list to the user’s own agent that has it.',
  caller: { kind: 'key', scope: 'agents', user: ({ query }) => query },
  services: { agents: agents.for('list', 'findUnique') },
  query: z.object({
    uid: Uid,
    phoneNumber: z.optional(
      PhoneNumberInQuery.check(
        describe('Only the user’s own agent with this number.', '+14155550123', { type: 'string' }),
      ),
    ),
    key: z.optional(AgentKey.check(describe('Only the user’s own agent with this key.', 'front-desk'))),
    ...paging,
  }),
  response: describedPage('A page of agents.', { agents: listField(Agent, 'The agents, in no particular order.') }),

  async handle({ query: { uid, phoneNumber, key, limit, cursor } }, { agents }) {
    const collection = `agents:${uid}`;
    const after = fromCursor(collection, cursor);
    const page = { collection, limit, getPosition: ({ agentId }: Agent) => agentId };
    if (phoneNumber !== undefined || key !== undefined) {
      const found = await agents.findUnique(uid, { phoneNumber, key });
      return { agents: found ? [found] : [] };
    }
    const { items, ...next } = await fillPage(agents.list(uid, { after, limit: limit && limit + 1 }), page);
    return { agents: items, ...next };
  },
});

export const handler = lambda(listAgents);
