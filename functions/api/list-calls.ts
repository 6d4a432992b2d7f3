import * as z from 'zod/mini';
import { Call } from '../domain/calls.ts';
import { describe } from '../domain/describe.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { fillPage, fromCursor, nextPage, paging } from '../domain/paging.ts';
import { PhoneNumberInQuery } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { calls } from '../store/calls.ts';
import { callPosition } from '../store/keys.ts';

/** Lists an agent’s calls, newest first; those with one phone number when it is named. */
export const listCalls = endpoint({
  name: 'listCalls',
  method: 'GET',
  path: '/calls/{agentId}',
  summary: 'List an agent’s calls',
  description: 'Newest first. With `phone`, only the calls with that number.',
  caller: { kind: 'key', scope: 'calls', agent: ({ params }) => params },
  services: { calls: calls.for('list') },
  params: z.object({ agentId: AgentIdInPath }),
  query: z.object({
    phone: z.optional(
      PhoneNumberInQuery.check(
        describe('Only calls with this number, in E.164 format.', '+14155550100', { type: 'string' }),
      ),
    ),
    ...paging,
  }),
  response: z.object({ calls: z.array(Call).check(z.describe('The calls, newest first.')), ...nextPage }),

  async handle({ agent: { agentId }, query: { phone, limit, cursor } }, { calls }) {
    const collection = `calls:${agentId}:${phone ?? ''}`;
    const after = fromCursor(collection, cursor);
    const found = calls.list(agentId, { phone, after, limit: limit && limit + 1 });
    const { items, ...next } = await fillPage(found, { collection, limit, positionOf: callPosition });
    return { calls: items, ...next };
  },
});

export const handler = lambda(listCalls);
