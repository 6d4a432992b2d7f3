import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BlockedNumber } from '../../functions/domain/block-list.ts';
import { decideBlock, NumberRules, withoutNumber } from '../../functions/domain/block-list-rules.ts';
import { listForms } from '../../functions/domain/number-forms.ts';
import { readNumberPrefix } from '../../functions/domain/read-phone-number.ts';

it.each([
  ['+882', '+882'],
  ['+1', '+1'],
  ['+1 (415)', '+1415'],
  ['+1-415 555', '+1415555'],
  ['tel:+49 151', '+49151'],
  ['+49 (0)151', '+49151'],
  ['+49 0151', '+49151'],
  ['+490151', '+49151'],
  ['+39 06', '+3906'],
  ['+39 (0)6', '+3906'],
  ['+12345678901234', '+12345678901234'],
  ['＋４４ ２０', '+4420'],
])('the prefix %j is %s', (written, prefix) => expect(readNumberPrefix(written)).toEqual({ prefix }));

it.each([
  '',
  '+',
  '+0',
  '+0151',
  '49151',
  '00 49',
  '+49 x',
  '+123456789012345',
  '+49,151',
  '+49 + 151',
  `+${' '.repeat(300)}1`,
])('%j is no prefix', (written) => expect(readNumberPrefix(written)).toEqual({}));

type Rules = { prefixes: { prefix: string; reason?: string }[]; allow: string[] };
type List = { scope: 'agent' | 'user'; numbers: string[]; rules?: Rules };

const blockedAt = '2026-03-01T10:00:00.000Z';

/** The rule as the documentation says it, in its order. Among prefixes of one length, that of today’s form decides. */
const expectedBlock = (number: string, lists: List[]) => {
  const forms: string[] = listForms(number);
  const isPerson = (other: string) => forms.includes(other);
  for (const { scope, numbers } of lists) if (numbers.some(isPerson)) return { scope };
  if (lists.some(({ rules }) => rules?.allow.some(isPerson))) return 'allowed';
  let found: { scope: string; prefix: string } | undefined;
  for (const { scope, rules } of lists)
    for (const [form, { prefix }] of forms.flatMap((form) =>
      (rules?.prefixes ?? []).map((one) => [form, one] as const),
    ))
      if (form.startsWith(prefix) && prefix.length > (found?.prefix.length ?? 0)) found = { scope, prefix };
  return found;
};

const actualBlock = (number: string, lists: List[]) => {
  const { blocked, isAllowed } = decideBlock(
    number,
    lists.map(({ scope, numbers, rules }) => {
      const entry = numbers.find((one) => (listForms(number) as string[]).includes(one));
      return {
        scope,
        entry: entry === undefined ? undefined : ({ number: entry, blockedAt } satisfies BlockedNumber),
        rules: rules && new NumberRules({ ...rules, version: 1, updatedAt: blockedAt }),
      };
    }),
  );
  if (isAllowed) return 'allowed';
  return blocked && (blocked.prefix ? { scope: blocked.scope, prefix: blocked.prefix } : { scope: blocked.scope });
};

/** Few digits, so that prefixes, entries and numbers meet; Mexican numbers have two forms. */
const number = fc
  .tuple(fc.constantFrom('+52', '+521', '+1', '+549', '+54'), fc.stringMatching(/^2[23]{9}$/))
  .map(([code, rest]) => code + rest);
const prefix = fc.tuple(number, fc.integer({ min: 2, max: 14 })).map(([one, length]) => one.slice(0, length));
const rules = fc.record({
  prefixes: fc.uniqueArray(fc.record({ prefix }), { selector: (one) => one.prefix, maxLength: 6 }),
  allow: fc.uniqueArray(number, { maxLength: 4 }),
});
const list = (scope: 'agent' | 'user') =>
  fc.record({
    scope: fc.constant(scope),
    numbers: fc.array(number, { maxLength: 2 }),
    rules: fc.option(rules, { nil: undefined }),
  });

const runs = (numRuns: number) =>
  fc.assert(
    fc.property(number, list('agent'), list('user'), fc.boolean(), (one, agent, user, isNear) => {
      // Otherwise few of the numbers are on a list at all.
      const asked = isNear ? ([...agent.numbers, ...(user.rules?.allow ?? []), one][0] as string) : one;
      expect(actualBlock(asked, [agent, user])).toEqual(expectedBlock(asked, [agent, user]));
    }),
    { numRuns },
  );

it('random lists with rules decide on a number as the documentation says', () => runs(1000));
it('ten thousand random lists with rules decide as the documentation says', { tags: 'heavy' }, () => runs(10_000));

it('an erased number leaves what is allowed in both forms, and a prefix that is the whole number loses its reason', () => {
  const rules = {
    prefixes: [
      { prefix: '+525512345678', reason: 'Ada' },
      { prefix: '+5255', reason: 'Spam' },
    ],
    allow: ['+5215512345678', '+14155550100', '+525512345678'],
  };
  const kept = { prefixes: [{ prefix: '+525512345678' }, rules.prefixes[1]], allow: ['+14155550100'] };
  expect(withoutNumber(rules, '+5215512345678', 'keep')).toEqual(kept);
  expect(withoutNumber(rules, '+5215512345678', 'remove')).toEqual({ ...kept, prefixes: [rules.prefixes[1]] });
});
