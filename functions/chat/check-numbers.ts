import * as z from 'zod/mini';
import { normalizePhoneNumber } from '../domain/phone-numbers.ts';

export const NumbersToCheck = z.object({
  numbers: z
    .array(z.string().check(z.maxLength(100)))
    .check(z.minLength(1), z.maxLength(200), z.describe('Phone numbers as the user wrote them.')),
});

/** Returns the E.164 form of each number, or why it has none. */
export const checkNumbers = ({ numbers }: z.infer<typeof NumbersToCheck>) => ({
  numbers: numbers.map((given) => {
    const number = normalizePhoneNumber(given);
    return number === undefined
      ? { given, valid: false as const, problem: problemOf(given) }
      : { given, valid: true as const, number };
  }),
});

const problemOf = (given: string) => {
  const bare = given.replace(/[\s\-.()]/gu, '');
  if (bare === '') return 'It has no digits.';
  if (/[^\d+]/.test(bare)) return 'It has characters other than digits, spaces, hyphens, dots and parentheses.';
  if (!bare.startsWith('+')) {
    return /^00[1-9]/.test(bare)
      ? 'It starts with 00: write + instead.'
      : 'It has no country code: it must start with + and the country code, without a 0 after it.';
  }
  if (/.\+/.test(bare)) return 'It has a + that is not at its start.';
  if (bare.startsWith('+0')) return 'No country code starts with 0.';
  const digits = bare.length - 1;
  return digits < 7
    ? `It is too short: ${digits} digits, and the minimum is 7.`
    : `It is too long: ${digits} digits, and the maximum is 15.`;
};
