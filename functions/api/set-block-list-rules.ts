import * as z from 'zod/mini';
import { BlockListRules, NewBlockListRules } from '../domain/block-list-rules.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockListRules } from '../store/block-list/block-list-rules.ts';
import { listOwner } from '../store/keys.ts';

/** Replaces the rules of a block list. */
export const setBlockListRules = endpoint({
  name: 'setBlockListRules',
  method: 'PUT',
  path: '/block-list-rules',
  summary: 'Set the rules of a block list',
  description:
    'Replaces the prefixes that are blocked and the numbers that are always allowed: those of an agent, or of the user for all agents without `agentId`. A number with an entry of its own is blocked, whatever the rules say. Otherwise a number that `allow` of either list has is not blocked; then the longest prefix of either list decides. The rules hold from the response on, for all forms of a number. What changes nothing makes no new version.',
  caller: { kind: 'key', scope: 'block-list', user: ({ body: { uid, agentId } }) => ({ uid, agentId }) },
  services: { blockListRules: blockListRules.for('set') },
  body: z.extend(NewBlockListRules, { uid: Uid, agentId: z.optional(AgentId) }),
  response: BlockListRules,
  hasETag: true,
  takesIfMatch: 'from zero',

  async handle({ body: { uid, agentId, ...rules }, ifMatch }, { blockListRules }) {
    return blockListRules.set(listOwner({ uid, agentId }), rules, ifMatch);
  },
});

export const handler = lambda(setBlockListRules);
