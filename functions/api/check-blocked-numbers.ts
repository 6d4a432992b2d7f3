import * as z from 'zod/mini';
import {
  BlockedNumber,
  BlockListFailures,
  BlockListRequest,
  BlockPrefix,
  BlockScope,
  blockListRequest,
} from '../domain/block-list.ts';
import { component, describedObject, listField } from '../domain/describe.ts';
import { invalidField } from '../domain/errors.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { fitsIntoAnswer } from '../domain/json.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list/block-list.ts';

const BlockingEntry = component(
  'BlockingEntry',
  'A number that is blocked, and the list that blocks it.',
  z.extend(BlockedNumber, { scope: BlockScope, prefix: BlockPrefix }),
);

/** Checks many numbers against the lists of an agent and its owner. */
export const checkBlockedNumbers = endpoint({
  name: 'checkBlockedNumbers',
  method: 'POST',
  path: '/agent-block-list/check',
  summary: 'Check which numbers are blocked for an agent',
  description: `Checks up to ${formatLimit('numbersPerRequest')} numbers against the list of the agent and the list of its owner, with their rules. \`blocked\` keeps the order sent and has each number once; \`failed\` has each text that is not a phone number once. Nothing is changed.`,
  caller: { kind: 'key', scope: 'block-list', agent: ({ body }) => body },
  readOnly: true,
  atCallTime: true,
  services: { blockList: blockList.for('find') },
  body: BlockListRequest,
  response: describedObject('The numbers that are blocked, and the texts that are not phone numbers.', {
    blocked: listField(BlockingEntry, 'The numbers that are blocked now, in the order sent.'),
    failed: BlockListFailures,
  }),
  errors: ['too_many_numbers'],

  async handle({ agent, body: { numbers } }, { blockList }) {
    const request = blockListRequest(numbers);
    const found = await blockList.find(agent, request.distinct);
    const answer = {
      blocked: request.distinct.flatMap((number) => found.get(number) ?? []),
      failed: request.malformed,
    };
    if (!fitsIntoAnswer(answer)) throw invalidField('numbers', 'have too long reasons for one response: send fewer');
    return answer;
  },
});

export const handler = lambda(checkBlockedNumbers);
