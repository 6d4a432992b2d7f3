import * as z from 'zod/mini';
import { BlockedNumber } from '../domain/block-list.ts';
import { describe } from '../domain/describe.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { PhoneNumber, phoneNumber, restorePlus } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list.ts';

/** Says whether a number is blocked. A telephony hook asks before it answers: one point read after the key. */
export const checkBlockedNumber = endpoint({
  name: 'checkBlockedNumber',
  method: 'GET',
  path: '/agent-block-list/check',
  summary: 'Ask whether a number is blocked for an agent',
  description:
    'For a telephony hook that decides whether to take a call: one fast, strongly consistent read. A `+` that arrives as a space counts as a `+`.',
  caller: { kind: 'key', scope: 'block-list', agent: ({ query }) => query },
  services: { blockList: blockList.for('find') },
  query: z.object({
    uid: Uid,
    agentId: AgentId,
    number: z
      .pipe(z.pipe(z.string(), z.transform(restorePlus)), PhoneNumber)
      .check(describe('The number to look for, in E.164 format.', '+14155550100', { type: 'string' })),
  }),
  response: z.extend(z.partial(BlockedNumber), {
    number: phoneNumber('The number, in E.164 format.'),
    blocked: z.boolean().check(describe('Whether it is blocked now.', true)),
  }),

  async handle({ query: { agentId, number } }, { blockList }) {
    const entry = await blockList.find(agentId, number);
    return { number, blocked: entry !== undefined, ...entry };
  },
});

export const handler = lambda(checkBlockedNumber);
