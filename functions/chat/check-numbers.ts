import * as z from 'zod/mini';
import { numberProblems, readPhoneNumber } from '../domain/read-phone-number.ts';

export const NumbersToCheck = z.object({
  numbers: z
    .array(z.string().check(z.maxLength(100)))
    .check(z.minLength(1), z.maxLength(200), z.describe('Phone numbers as the user wrote them.')),
});

/** Returns the E.164 form of each number, or why it has none. */
export const checkNumbers = ({ numbers }: z.infer<typeof NumbersToCheck>) => ({
  numbers: numbers.map((given) => {
    const { number, problem } = readPhoneNumber(given);
    return problem
      ? { given, valid: false as const, problem: numberProblems[problem] }
      : { given, valid: true as const, number };
  }),
});
