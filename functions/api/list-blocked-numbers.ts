import * as z from 'zod/mini';
import { BlockedNumber } from '../domain/block-list.ts';
import { Identifier } from '../domain/identifiers.ts';
import { fillPage, fromCursor, paging } from '../domain/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list.ts';

/** Lists the numbers an agent does not take calls from, sorted as text. */
export const listBlockedNumbers = endpoint({
  name: 'listBlockedNumbers',
  method: 'GET',
  path: '/agent-block-list',
  summary: 'List an agent’s block list',
  caller: { kind: 'key', scope: 'block-list', agent: ({ query }) => query },
  may: ['dynamodb:Query'],
  uses: { blockList },
  query: z.object({ uid: Identifier, agentId: Identifier, ...paging }),
  response: z.object({
    blockList: z.array(z.string()),
    entries: z.array(BlockedNumber),
    nextCursor: z.optional(z.string()),
  }),
  errors: { 400: 'A parameter is invalid.', 401: 'The key is unknown, or its user may not use this agent.' },

  async handle({ query: { agentId, limit, cursor } }, { blockList }) {
    const collection = `block-list:${agentId}`;
    const after = fromCursor(collection, cursor);
    const { items, ...next } = await fillPage(blockList.list(agentId, { after, limit }), {
      collection,
      limit,
      positionOf: ({ number }) => number,
      // Every number stands in the answer twice.
      weigh: (entry) => JSON.stringify(entry).length + entry.number.length + 4,
    });
    return { blockList: items.map(({ number }) => number), entries: items, ...next };
  },
});

export const handler = lambda(listBlockedNumbers);
