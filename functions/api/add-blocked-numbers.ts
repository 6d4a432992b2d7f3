import * as z from 'zod/mini';
import { BlockListFailure, BlockListRequest, distinctNumbers, reportNumbers } from '../domain/block-list.ts';
import { DateTime } from '../domain/date-time.ts';
import { limits } from '../domain/limits.ts';
import { text } from '../domain/text.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list.ts';

/** Blocks numbers for one agent. A bad number fails alone; it never fails the request. */
export const addBlockedNumbers = endpoint({
  name: 'addBlockedNumbers',
  method: 'POST',
  path: '/agent-block-list',
  summary: 'Add numbers to an agent’s block list',
  caller: { kind: 'key', scope: 'block-list', agent: ({ body }) => body },
  may: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'],
  uses: { blockList },
  body: z.extend(BlockListRequest, {
    reason: z.optional(text(0, limits.blockReasonCharacters).check(z.describe('Why the numbers are blocked.'))),
    expiresAt: z.optional(
      DateTime.check(
        z.refine((value) => Date.parse(value) > Date.now(), { error: 'must lie in the future' }),
        z.describe('When the numbers are to be unblocked by themselves.'),
      ),
    ),
  }),
  response: z.object({ message: z.string(), added: z.array(z.string()), failed: z.array(BlockListFailure) }),
  errors: {
    400: 'The body or its numbers are invalid.',
    401: 'The key is unknown, or its user may not use this agent.',
  },

  async handle({ body: { agentId, numbers, reason, expiresAt } }, { blockList }) {
    const outcomes = await blockList.add(agentId, distinctNumbers(numbers), { reason, expiresAt });
    const { done, failed } = reportNumbers(numbers, outcomes, 'already_blocked');
    return { message: 'Block list updated successfully', added: done, failed };
  },
});

export const handler = lambda(addBlockedNumbers);
