import { BlockListRequest, blockListRequest, RemovedNumbers } from '../domain/block-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list/block-list.ts';
import { removeForms } from '../store/block-list/remove-forms.ts';

/** Unblocks numbers for one agent. An invalid number does not fail the others. */
export const removeBlockedNumbers = endpoint({
  name: 'removeBlockedNumbers',
  method: 'DELETE',
  path: '/agent-block-list',
  summary: 'Unblock numbers for an agent',
  description:
    'Removes phone numbers from the block list of an agent. Numbers are processed independently: each one is in `removed`, or in `failed` with the reason, in the order sent. The status is 200 even when all of them fail.',
  caller: { kind: 'key', scope: 'block-list', agent: ({ body }) => body },
  services: { blockList: blockList.for('remove') },
  body: BlockListRequest,
  response: RemovedNumbers,
  errors: ['too_many_numbers'],
  errorDescriptions: { 400: 'The body or its numbers are invalid.' },

  async handle({ body: { agentId, numbers } }, { blockList }) {
    const request = blockListRequest(numbers);
    const outcomes = await removeForms(blockList, { agentId }, request.distinct);
    const { done, failed } = request.report(outcomes, 'not_found');
    return { message: 'Block list updated successfully', removed: done, failed };
  },
});

export const handler = lambda(removeBlockedNumbers);
