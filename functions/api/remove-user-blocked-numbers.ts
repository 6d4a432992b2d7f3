import { blockListRequest, RemovedNumbers, UserBlockListRequest } from '../domain/block-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list/block-list.ts';
import { removeForms } from '../store/block-list/remove-forms.ts';

/** Unblocks numbers on the list of a user. Entries of the agents' lists stay. */
export const removeUserBlockedNumbers = endpoint({
  name: 'removeUserBlockedNumbers',
  method: 'DELETE',
  path: '/block-list',
  summary: 'Unblock numbers for all agents of a user',
  description:
    'Removes phone numbers from the block list of the user. The entries of the agents’ own lists stay. Otherwise as `DELETE /agent-block-list`.',
  caller: { kind: 'key', scope: 'block-list', user: ({ body }) => body },
  services: { blockList: blockList.for('remove') },
  body: UserBlockListRequest,
  response: RemovedNumbers,
  errors: ['too_many_numbers'],
  errorDescriptions: { 400: 'The body or its numbers are invalid.' },

  async handle({ body: { uid, numbers } }, { blockList }) {
    const request = blockListRequest(numbers);
    const outcomes = await removeForms(blockList, { uid }, request.distinct);
    const { done, failed } = request.report(outcomes, 'not_found');
    return { message: 'Block list updated successfully', removed: done, failed };
  },
});

export const handler = lambda(removeUserBlockedNumbers);
