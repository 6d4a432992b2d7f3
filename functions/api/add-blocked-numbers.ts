import * as z from 'zod/mini';
import { BlockListFailures, BlockListMessage, BlockListRequest, blockListRequest } from '../domain/block-list.ts';
import { DateTime } from '../domain/date-time.ts';
import { describe } from '../domain/describe.ts';
import { limits } from '../domain/limits.ts';
import { phoneNumbers } from '../domain/phone-numbers.ts';
import { text } from '../domain/text.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list.ts';

/** Blocks numbers for one agent. A bad number fails alone; it never fails the request. */
export const addBlockedNumbers = endpoint({
  name: 'addBlockedNumbers',
  method: 'POST',
  path: '/agent-block-list',
  summary: 'Block numbers for an agent',
  description:
    'Adds phone numbers to the block list of an agent. Numbers are processed independently: each one is in `added`, or in `failed` with the reason, in the order sent. The status is 200 even when all of them fail. After `expiresAt` a number is no longer blocked and can be added again.',
  caller: { kind: 'key', scope: 'block-list', agent: ({ body }) => body },
  services: { blockList: blockList.for('add') },
  body: z.extend(BlockListRequest, {
    reason: z.optional(text(0, limits.blockReasonCharacters).check(describe('Why the numbers are blocked.', 'Spam'))),
    expiresAt: z.optional(
      DateTime.check(
        z.refine((value) => Date.parse(value) > Date.now(), { error: 'must lie in the future' }),
        describe('When the numbers are unblocked automatically. Must be in the future.', '2099-01-31T12:00:00Z'),
      ),
    ),
  }),
  response: z
    .object({
      message: BlockListMessage,
      added: phoneNumbers('The numbers that this request blocked, in E.164 format.', ['+14155550100']),
      failed: BlockListFailures,
    })
    .check(z.describe('The result of each number.')),
  errors: ['too_many_numbers'],
  errorDescriptions: {
    400: 'The body or its numbers are invalid.',
  },

  async handle({ body: { agentId, numbers, reason, expiresAt }, creationId }, { blockList }) {
    const request = blockListRequest(numbers);
    const outcomes = await blockList.add(agentId, request.distinct, { reason, expiresAt }, creationId);
    const { done, failed } = request.report(outcomes, 'already_blocked');
    return { message: 'Block list updated successfully', added: done, failed };
  },
});

export const handler = lambda(addBlockedNumbers);
