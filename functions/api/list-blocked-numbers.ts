import * as z from 'zod/mini';
import { BlockListPage } from '../domain/block-list.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { paging } from '../domain/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockListPages } from '../store/block-list/block-list-pages.ts';

/** Lists the numbers that are blocked for an agent, sorted as text. */
export const listBlockedNumbers = endpoint({
  name: 'listBlockedNumbers',
  method: 'GET',
  path: '/agent-block-list',
  // It merges sixteen queries: a full core takes a third of the time, for about the same price.
  memoryMegabytes: 1769,
  summary: 'List the blocked numbers of an agent',
  description:
    'Returns the numbers that are blocked now, sorted as text. Entries whose `expiresAt` has passed are omitted.',
  caller: { kind: 'key', scope: 'block-list', agent: ({ query }) => query },
  services: { blockListPages: blockListPages.for('page') },
  query: z.object({ uid: Uid, agentId: AgentId, ...paging }),
  response: BlockListPage,

  async handle({ query: { agentId, limit, cursor } }, { blockListPages }) {
    return blockListPages.page({ agentId }, { limit, cursor });
  },
});

export const handler = lambda(listBlockedNumbers);
