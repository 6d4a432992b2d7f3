import * as z from 'zod/mini';
import { BlockingListEntry } from '../domain/block-list.ts';
import { describe, describedObject, flagField, listField } from '../domain/describe.ts';
import { invalidField } from '../domain/errors.ts';
import { Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { PhoneNumberInQuery, phoneNumber } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentAccess } from '../store/agents/agent-access.ts';
import { blockList } from '../store/block-list/block-list.ts';
import type { BlockListOwner } from '../store/keys.ts';

/** Checks a number against the list of a user and the lists of all agents that the user owns. */
export const checkUserBlockedNumber = endpoint({
  name: 'checkUserBlockedNumber',
  method: 'GET',
  path: '/block-list/check',
  summary: 'Find the lists that block a number',
  description: `Checks the user’s own list and the lists of all agents that the user owns, with their rules, at most ${limits.listedAgents}. Before you accept a call, check the list of its agent instead, which is one read.`,
  caller: { kind: 'key', scope: 'block-list', user: ({ query }) => query },
  atCallTime: true,
  services: { agentAccess: agentAccess.for('allOwned'), blockList: blockList.for('findOnLists') },
  query: z.object({
    uid: Uid,
    number: PhoneNumberInQuery.check(
      describe('The number to check, in E.164 format.', '+14155550100', { type: 'string' }),
    ),
  }),
  response: describedObject('The lists that block the number.', {
    number: phoneNumber('The number, in E.164 format.'),
    blocked: flagField('True when one of the lists blocks the number now.', true),
    entries: listField(
      BlockingListEntry,
      'The lists that block the number: the user’s own first, then those of agents by id.',
    ),
  }),

  async handle({ query: { uid, number } }, { agentAccess, blockList }) {
    const owned = await agentAccess.allOwned(uid, {
      max: limits.listedAgents,
      tooMany: () =>
        invalidField(
          'uid',
          `owns more than ${limits.listedAgents} agents: choose one, with GET /agent-block-list/check`,
        ),
    });
    const agents: BlockListOwner[] = owned.map(({ agentId }) => ({ agentId }));
    const found = await blockList.findOnLists<BlockListOwner>([{ uid }, ...agents], number);
    const entries = found.map(({ owner, entry }) =>
      'agentId' in owner ? { scope: 'agent' as const, ...owner, ...entry } : { scope: 'user' as const, ...entry },
    );
    return { number, blocked: entries.length > 0, entries };
  },
});

export const handler = lambda(checkUserBlockedNumber);
