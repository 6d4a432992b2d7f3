import * as z from 'zod/mini';
import { BlockedNumber, BlockPrefix, BlockScope } from '../domain/block-list.ts';
import { describe, flagField } from '../domain/describe.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { PhoneNumber, phoneNumber, restorePlus } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { blockList } from '../store/block-list/block-list.ts';

/** Checks a number against the lists of an agent and its owner, in one round trip after the key. */
export const checkBlockedNumber = endpoint({
  name: 'checkBlockedNumber',
  method: 'GET',
  path: '/agent-block-list/check',
  summary: 'Check whether a number is blocked',
  description:
    'Call this before you accept a call. It checks the list of the agent and the list of its owner, with their rules, in one fast, strongly consistent read. A `+` that arrives as a space is treated as a `+`.',
  caller: { kind: 'key', scope: 'block-list', agent: ({ query }) => query },
  atCallTime: true,
  services: { blockList: blockList.for('find') },
  query: z.object({
    uid: Uid,
    agentId: AgentId,
    number: z
      .pipe(z.pipe(z.string(), z.transform(restorePlus)), PhoneNumber)
      .check(describe('The number to check, in E.164 format.', '+14155550100', { type: 'string' })),
  }),
  response: z
    .extend(z.partial(BlockedNumber), {
      number: phoneNumber('The number, in E.164 format.'),
      blocked: flagField('True when the number is blocked now.', true),
      scope: z.optional(BlockScope),
      prefix: BlockPrefix,
    })
    .check(z.describe('Whether the number is blocked, and since when.')),

  async handle({ agent, query: { number } }, { blockList }) {
    const entry = (await blockList.find(agent, [number])).get(number);
    return { number, blocked: entry !== undefined, ...entry };
  },
});

export const handler = lambda(checkBlockedNumber);
