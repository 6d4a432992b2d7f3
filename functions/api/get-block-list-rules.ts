import * as z from 'zod/mini';
import { BlockListRules } from '../domain/block-list-rules.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockListRules } from '../store/block-list/block-list-rules.ts';
import { listOwner } from '../store/keys.ts';

/** Returns the rules of a block list. */
export const getBlockListRules = endpoint({
  name: 'getBlockListRules',
  method: 'GET',
  path: '/block-list-rules',
  summary: 'Get the rules of a block list',
  description:
    'Returns the prefixes that are blocked and the numbers that are always allowed: those of an agent, or of the user for all agents without `agentId`.',
  caller: { kind: 'key', scope: 'block-list', user: ({ query }) => query },
  services: { blockListRules: blockListRules.for('find') },
  query: z.object({ uid: Uid, agentId: z.optional(AgentId) }),
  response: BlockListRules,
  hasETag: true,

  async handle({ query }, { blockListRules }) {
    return blockListRules.find(listOwner(query));
  },
});

export const handler = lambda(getBlockListRules);
