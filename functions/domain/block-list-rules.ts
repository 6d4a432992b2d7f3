import * as z from 'zod/mini';
import { type BlockedNumber, BlockReason } from './block-list.ts';
import { describe, describedObject, objectComponent, wholeField } from './describe.ts';
import { ApiError } from './errors.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { chooseForm, listForms } from './number-forms.ts';
import { PhoneNumber } from './phone-numbers.ts';
import { readNumberPrefix } from './read-phone-number.ts';

const Prefix = z
  .pipe(
    z.string().check(
      z.refine((value) => readNumberPrefix(value).prefix !== undefined, {
        error: `must be + and the first 1 to ${limits.prefixDigits} digits of numbers, such as +882`,
        abort: true,
      }),
    ),
    z.transform((value) => readNumberPrefix(value).prefix as string),
  )
  .check(describe(`\`+\` and the first 1 to ${limits.prefixDigits} digits.`, '+882', { type: 'string' }));

const NumberPrefix = objectComponent('NumberPrefix', 'A blocked range.', {
  prefix: Prefix,
  reason: z.optional(BlockReason),
});

const areDistinct = <T>(error: string, key: (one: T) => string) =>
  z.refine<T[]>((values) => new Set(values.map(key)).size === values.length, { error });

const fields = {
  prefixes: list(NumberPrefix, { max: limits.blockedPrefixes }).check(
    areDistinct('must not name a prefix twice', ({ prefix }) => prefix),
    describe('The ranges that are blocked.', [{ prefix: '+882', reason: 'International networks' }]),
  ),
  allow: list(PhoneNumber, { max: limits.allowedNumbers }).check(
    areDistinct('must not name a number twice', (number) => number),
    describe('Numbers that no range blocks.', ['+14155550100']),
  ),
};

/** The rules as a request sets them. */
export const NewBlockListRules = z.object(fields);
export type NewBlockListRules = z.infer<typeof NewBlockListRules>;

export const BlockListRules = describedObject('The rules, and their version.', {
  ...fields,
  version: wholeField('Number of the version. Each change makes the next one; 0 before the first.', 3),
});

/** The rules of a list, as they are stored. */
export type StoredRules = NewBlockListRules & { version: number; updatedAt: string };

export const rulesConflict = (version: number): ApiError =>
  new ApiError(
    'version_conflict',
    `The rules have another version by now: ${version}. Read them, and send its number as If-Match.`,
    { version },
  );

/** Returns what rules say of a person: the number where it is allowed, and prefixes that are the whole number. */
export const pickNumber = ({ allow, prefixes }: NewBlockListRules, number: string): NewBlockListRules => {
  const forms: string[] = listForms(number);
  return {
    allow: allow.filter((one) => forms.includes(one)),
    prefixes: prefixes.filter(({ prefix }) => forms.includes(prefix)),
  };
};

/** Returns rules without a person's number. A prefix that is the whole number loses its reason, or goes. */
export const withoutNumber = <R extends NewBlockListRules>(rules: R, number: string, mode: 'keep' | 'remove'): R => {
  const found = pickNumber(rules, number);
  return {
    ...rules,
    allow: rules.allow.filter((one) => !found.allow.includes(one)),
    prefixes: rules.prefixes.flatMap((one) =>
      found.prefixes.includes(one) ? (mode === 'keep' ? [{ prefix: one.prefix }] : []) : [one],
    ),
  };
};

/** The rules of a list, prepared for any number of look-ups. */
export class NumberRules {
  readonly #allowed: Set<string>;
  readonly #prefixes: Map<string, NewBlockListRules['prefixes'][number]>;
  readonly #updatedAt: string;

  constructor({ allow, prefixes, updatedAt }: StoredRules) {
    this.#allowed = new Set(allow.map(chooseForm));
    this.#prefixes = new Map(prefixes.map((one) => [one.prefix, one]));
    this.#updatedAt = updatedAt;
  }

  allows(number: string): boolean {
    return this.#allowed.has(chooseForm(number));
  }

  /** Returns the entry of the longest prefix that fits a form of a number. */
  findEntry(number: string): PrefixEntry | undefined {
    const found = this.#prefixes.size === 0 ? [] : listForms(number).flatMap((form) => this.#longestPrefix(form) ?? []);
    const [longest] = found.toSorted((one, other) => other.prefix.length - one.prefix.length);
    return longest && { number, ...longest, blockedAt: this.#updatedAt };
  }

  #longestPrefix(form: string) {
    for (let length = form.length; length > 1; length--) {
      const found = this.#prefixes.get(form.slice(0, length));
      if (found) return found;
    }
    return undefined;
  }
}

type PrefixEntry = BlockedNumber & { prefix: string };

/** An entry that blocks a number: of the number itself, or of a prefix. */
export type BlockingEntry = BlockedNumber & { scope: 'agent' | 'user'; prefix?: string };

/** What a list has about a number: its own entry, and the rules. */
export type ListOfNumber = { scope: 'agent' | 'user'; entry?: BlockedNumber; rules?: NumberRules };

/**
 * Decides whether lists block a number: an entry of the number comes first, then the allowed numbers of either list, then the
 * longest prefix. Among equals, the first list decides.
 */
export const decideBlock = (
  number: string,
  lists: ListOfNumber[],
): { blocked?: BlockingEntry; isAllowed?: boolean } => {
  const exact = lists.find(({ entry }) => entry);
  if (exact?.entry) return { blocked: { ...exact.entry, scope: exact.scope } };
  if (lists.some(({ rules }) => rules?.allows(number))) return { isAllowed: true };
  const [longest] = lists
    .flatMap(({ scope, rules }) => {
      const entry = rules?.findEntry(number);
      return entry ? [{ ...entry, scope }] : [];
    })
    .toSorted((one, other) => other.prefix.length - one.prefix.length);
  return { blocked: longest };
};
