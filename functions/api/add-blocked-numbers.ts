import * as z from 'zod/mini';
import { AddedNumbers, BlockListRequest, blockListRequest, blockTerms } from '../domain/block-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list/block-list.ts';

/** Blocks numbers for one agent. An invalid number does not fail the others. */
export const addBlockedNumbers = endpoint({
  name: 'addBlockedNumbers',
  method: 'POST',
  path: '/agent-block-list',
  summary: 'Block numbers for an agent',
  description:
    'Adds phone numbers to the block list of an agent. Numbers are processed independently: each one is in `added`, or in `failed` with the reason, in the order sent. The status is 200 even when all of them fail. After `expiresAt` a number is no longer blocked and can be added again.',
  caller: { kind: 'key', scope: 'block-list', agent: ({ body }) => body },
  services: { blockList: blockList.for('add') },
  body: z.extend(BlockListRequest, blockTerms),
  response: AddedNumbers,
  errors: ['too_many_numbers'],
  errorDescriptions: { 400: 'The body or its numbers are invalid.' },

  async handle({ body: { agentId, numbers, reason, expiresAt }, creationId }, { blockList }) {
    const request = blockListRequest(numbers);
    const outcomes = await blockList.add({ agentId }, request.distinct, { reason, expiresAt }, creationId);
    const { done, failed } = request.report(outcomes, 'already_blocked');
    return { message: 'Block list updated successfully', added: done, failed };
  },
});

export const handler = lambda(addBlockedNumbers);
