import * as z from 'zod/mini';
import { normalisePhoneNumber } from '../domain/phone-numbers.ts';

export const NumbersToCheck = z.object({
  numbers: z
    .array(z.string().check(z.maxLength(100)))
    .check(z.minLength(1), z.maxLength(200), z.describe('Phone numbers as they were written.')),
});

/** Says of each number what the platform makes of it: its E.164 form, or what keeps it from having one. */
export const checkNumbers = ({ numbers }: z.infer<typeof NumbersToCheck>) => ({
  numbers: numbers.map((given) => {
    const number = normalisePhoneNumber(given);
    return number === undefined
      ? { given, valid: false as const, problem: problemOf(given) }
      : { given, valid: true as const, number };
  }),
});

const problemOf = (given: string) => {
  const bare = given.replace(/[\s\-.()]/gu, '');
  if (bare === '') return 'It holds no digits.';
  if (/[^\d+]/.test(bare)) return 'It holds something other than digits, spaces, hyphens, dots and parentheses.';
  if (!bare.startsWith('+')) {
    return /^00[1-9]/.test(bare)
      ? 'It begins with 00: write + instead.'
      : 'It has no country code: it must begin with +, the code of its country, and no 0 after that.';
  }
  if (/.\+/.test(bare)) return 'It holds more than one +, or one within.';
  if (bare.startsWith('+0')) return 'No country code begins with 0.';
  const digits = bare.length - 1;
  return digits < 7
    ? `It is too short: ${digits} digits, and 7 is the least.`
    : `It is too long: ${digits} digits, and 15 is the most.`;
};
