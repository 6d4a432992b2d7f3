import * as z from 'zod/mini';
import { AddedNumbers, blockListRequest, blockTerms, UserBlockListRequest } from '../domain/block-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list/block-list.ts';

/** Blocks numbers for all agents of a user. */
export const addUserBlockedNumbers = endpoint({
  name: 'addUserBlockedNumbers',
  method: 'POST',
  path: '/block-list',
  summary: 'Block numbers for all agents of a user',
  description:
    'Adds phone numbers to the block list of the user, which applies to every agent the user owns, even when another user uses the agent. Otherwise the same as `POST /agent-block-list`.',
  caller: { kind: 'key', scope: 'block-list', user: ({ body }) => body },
  services: { blockList: blockList.for('add') },
  body: z.extend(UserBlockListRequest, blockTerms),
  response: AddedNumbers,
  errors: ['too_many_numbers'],
  errorDescriptions: { 400: 'The body or its numbers are invalid.' },

  async handle({ body: { uid, numbers, reason, expiresAt }, creationId }, { blockList }) {
    const request = blockListRequest(numbers);
    const outcomes = await blockList.add({ uid }, request.distinct, { reason, expiresAt }, creationId);
    const { done, failed } = request.report(outcomes, 'already_blocked');
    return { message: 'Block list updated successfully', added: done, failed };
  },
});

export const handler = lambda(addUserBlockedNumbers);
