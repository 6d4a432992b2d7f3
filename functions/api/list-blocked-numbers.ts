import * as z from 'zod/mini';
import { BlockedNumber } from '../domain/block-list.ts';
import { describe } from '../domain/describe.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { fillPage, fromCursor, nextPage, paging } from '../domain/paging.ts';
import { phoneNumbers } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list.ts';

/** Lists the numbers an agent does not take calls from, sorted as text. */
export const listBlockedNumbers = endpoint({
  name: 'listBlockedNumbers',
  method: 'GET',
  path: '/agent-block-list',
  summary: 'List the block list of an agent',
  description:
    'Returns the numbers that are blocked now, sorted as text. Entries whose `expiresAt` has passed are omitted.',
  caller: { kind: 'key', scope: 'block-list', agent: ({ query }) => query },
  services: { blockList: blockList.for('list') },
  query: z.object({ uid: Uid, agentId: AgentId, ...paging }),
  response: z
    .object({
      blockList: phoneNumbers('The numbers without details.', ['+14155550100']),
      entries: z
        .array(BlockedNumber)
        .check(
          describe('The same numbers, each with its reason and times.', [
            { number: '+14155550100', reason: 'Spam', blockedAt: '2026-03-01T10:00:00.000Z' },
          ]),
        ),
      ...nextPage,
    })
    .check(z.describe('A page of the block list.')),

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
