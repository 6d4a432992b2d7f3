import * as z from 'zod/mini';
import { KeyName } from './change-maker.ts';
import { DateTime, timestamp } from './date-time.ts';
import {
  choiceField,
  component,
  confirmation,
  describe,
  describedObject,
  listField,
  objectComponent,
  textField,
} from './describe.ts';
import { examples } from './examples.ts';
import { AgentId, Uid } from './identifiers.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { nextPage } from './paging.ts';
import { numberForms, phoneNumber, phoneNumbers } from './phone-numbers.ts';
import { type NumberProblem, numberProblems, readPhoneNumber } from './read-phone-number.ts';
import { text } from './text.ts';

/** One to `max` numbers as they are sent. An invalid number is reported, and does not fail the request. */
export const makeNumbersSchema = (max: number) =>
  list(z.string(), { min: 1, max, items: 'numbers', code: 'too_many_numbers' }).check(
    describe(`Phone numbers with their country code. ${numberForms} An invalid number is reported in \`failed\`.`, [
      '+14155550100',
      '+44 20 7183 8750',
      '12345',
    ]),
  );

const numbers = makeNumbersSchema(limits.numbersPerRequest);

/** The body of requests to the block list of a user. */
export const UserBlockListRequest = z.object({ uid: Uid, numbers });

/** The body of requests to the block list of an agent. */
export const BlockListRequest = z.object({ uid: Uid, agentId: AgentId, numbers });

/** Why numbers are blocked. */
export const BlockReason = text(0, limits.blockReasonCharacters).check(
  describe('Why the numbers are blocked.', 'Spam'),
);

/** The fields that apply to all numbers of a request that adds them. */
export const blockTerms = {
  reason: z.optional(BlockReason),
  expiresAt: z.optional(
    DateTime.check(
      z.refine((value) => Date.parse(value) > Date.now(), { error: 'must lie in the future' }),
      describe('When the numbers are unblocked automatically. Must be in the future.', '2099-01-31T12:00:00Z'),
    ),
  ),
};

const reasons = {
  invalid_format: 'Invalid phone number format',
  already_blocked: 'Number already in block list',
  not_found: 'Number not found in block list',
  temporarily_unavailable: 'Temporarily unavailable',
} as const;
type FailureCode = keyof typeof reasons;

/** A number that was not added or removed, exactly as it was sent, with the reason. */
export const BlockListFailure = component(
  'BlockListFailure',
  'A number that was not added, removed or checked, with the reason.',
  z.object({
    number: textField('The number, exactly as it was sent.', '12345'),
    reason: choiceField(Object.values(reasons), 'The reason, for a person.', 'Invalid phone number format'),
    code: choiceField(
      Object.keys(reasons) as [FailureCode, ...FailureCode[]],
      'The reason, as a code to switch on.',
      'invalid_format',
    ),
    message: z.optional(textField('With `invalid_format`: what to remove or to add.', numberProblems.noCountryCode)),
  }),
);
export type BlockListFailure = z.infer<typeof BlockListFailure>;

const invalidNumber = (number: string, problem: NumberProblem): BlockListFailure => ({
  number,
  reason: reasons.invalid_format,
  code: 'invalid_format',
  message: numberProblems[problem],
});

export const BlockListFailures = listField(
  BlockListFailure,
  'The numbers that were not added, removed or checked, with the reason.',
  [invalidNumber('12345', 'noCountryCode')],
);

export const AddedNumbers = describedObject('The result of each number.', {
  message: confirmation('Block list updated successfully'),
  added: phoneNumbers('The numbers that this request blocked, in E.164 format.', ['+14155550100']),
  failed: BlockListFailures,
});

export const RemovedNumbers = describedObject('The result of each number.', {
  message: confirmation('Block list updated successfully'),
  removed: phoneNumbers('The numbers that this request unblocked, in E.164 format.', ['+14155550100']),
  failed: BlockListFailures,
});

export const BlockedNumber = objectComponent('BlockedNumber', 'A number that is blocked.', {
  number: phoneNumber('The number, in E.164 format.'),
  reason: z.optional(textField('The reason that was given when the number was blocked.', 'Spam')),
  blockedAt: timestamp('When the number was blocked.'),
  expiresAt: z.optional(
    timestamp('When the number is unblocked automatically. Absent when it never is.', '2099-01-31T12:00:00.000Z'),
  ),
  keyId: z.optional(textField('Id of the API key that blocked the number.', 'key_01KB3M5T3Q8RXN2M6J4HB7C0DF')),
  keyName: KeyName,
});
export type BlockedNumber = z.infer<typeof BlockedNumber>;

/** A page of a block list. */
export const BlockListPage = describedObject('A page of the block list.', {
  blockList: phoneNumbers('The numbers without details.', ['+14155550100']),
  entries: listField(BlockedNumber, 'The same numbers, each with its reason and times.', [
    { number: '+14155550100', reason: 'Spam', blockedAt: '2026-03-01T10:00:00.000Z' },
  ]),
  ...nextPage,
});

/** The prefix of a rule that blocks a number. */
export const BlockPrefix = z.optional(
  textField('The prefix that blocks the number. Absent when the number itself is on the list.', '+882'),
);

/** An entry of a number on one of the lists of a user: the user's own, or that of an agent. */
export const BlockingListEntry = component(
  'BlockingListEntry',
  'A list that blocks a number, with the entry of the number.',
  z.extend(z.omit(BlockedNumber, { number: true }), {
    scope: choiceField(
      ['user', 'agent'],
      '`user`: the user’s own list, which applies to all agents. `agent`: the list of an agent.',
      'agent',
    ),
    agentId: z.optional(textField('The agent whose list it is.', examples.agentId)),
    prefix: BlockPrefix,
  }),
);

/** The list that blocks a number. */
export const BlockScope = choiceField(
  ['agent', 'user'],
  'The list that blocks the number: the agent’s own, or its owner’s.',
  'agent',
);

/** The outcome of one number: done, or the cause of its failure. */
export type NumberOutcome = 'done' | Exclude<FailureCode, 'invalid_format'>;

/** Reads the numbers of a request. `report` lists outcomes in the order sent; repeated numbers fail. */
export const blockListRequest = (sent: string[]) => {
  const numbers = sent.map((number) => ({ sent: number, ...readPhoneNumber(number) }));
  const distinct = [...new Set(numbers.flatMap(({ number }) => number ?? []))];
  const report = (outcomes: Map<string, NumberOutcome>, repeated: 'already_blocked' | 'not_found') => {
    const done: string[] = [];
    const failed: BlockListFailure[] = [];
    const seen = new Set<string>();
    for (const { sent, number, problem } of numbers) {
      if (number === undefined) {
        failed.push(invalidNumber(sent, problem));
        continue;
      }
      const outcome = reportedOutcome(outcomes.get(number), seen.has(number), repeated);
      seen.add(number);
      if (outcome === 'done') done.push(number);
      else failed.push({ number: sent, reason: reasons[outcome], code: outcome });
    }
    return { done, failed };
  };
  const problems = new Map(numbers.flatMap(({ sent, problem }) => (problem ? [[sent, problem] as const] : [])));
  const malformed = [...problems].map(([number, problem]) => invalidNumber(number, problem));
  return { distinct, malformed, report };
};

/** The outcome of a repetition is unknown until that of the number is known. */
const reportedOutcome = (outcome: NumberOutcome | undefined, isRepeated: boolean, repeated: FailureCode) => {
  if (outcome === undefined || outcome === 'temporarily_unavailable') return 'temporarily_unavailable';
  return isRepeated ? repeated : outcome;
};
