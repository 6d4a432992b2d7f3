import * as z from 'zod/mini';
import { describe } from './describe.ts';
import { limits } from './limits.ts';

const e164 = /^\+[1-9]\d{6,14}$/;

/** Checks that a text is a phone number in E.164 syntax. Numbering plans are not checked: reserved test numbers pass. */
export const isPhoneNumber = (text: string) => e164.test(text);

const bareOf = (text: string) => text.replace(/[\s\p{White_Space}\-.()]/gu, '');

/**
 * Returns the E.164 form of a number written with spaces, hyphens, dots or parentheses; undefined for anything else.
 * It guesses no country for a national number.
 */
export const normalizePhoneNumber = (text: string): string | undefined => {
  if (text.length > limits.phoneNumberCharacters) return undefined;
  const bare = bareOf(text);
  return isPhoneNumber(bare) ? bare : undefined;
};

/** Returns the numbers that a text holds, in any format, in E.164 format. */
export const numbersIn = (text: string): string[] => bareOf(text).match(/\+[1-9]\d{6,14}(?!\d)/g) ?? [];

/** Checks whether a text holds a number, in any format. */
export const mentionsNumber = (text: string, number: string): boolean => numbersIn(text).includes(number);

const normalized = (error: string) =>
  z
    .pipe(
      z.string().check(z.refine((value) => normalizePhoneNumber(value) !== undefined, { error })),
      z.transform((value) => normalizePhoneNumber(value) as string),
    )
    .check(
      describe('A phone number in E.164 format. Spaces, hyphens, dots and parentheses are ignored.', '+14155550100', {
        type: 'string',
      }),
    );

const mustBePhoneNumber = 'must be a phone number in E.164 format, such as +14155550100';

/** A phone number in a request, normalized to E.164. */
export const PhoneNumber = normalized(mustBePhoneNumber);

/** A phone number in a request, or `null` for a number that was withheld. */
export const PhoneNumberOrNull = z.nullable(normalized(`${mustBePhoneNumber}, or null if it was withheld`));

/** A phone number in a response, in E.164 format. */
export const phoneNumber = (description: string, example = '+14155550100') =>
  z.string().check(describe(description, example, { pattern: e164.source }));

/** Phone numbers in a response. */
export const phoneNumbers = (description: string, example: string[]) =>
  z.array(z.string().check(z.meta({ pattern: e164.source }))).check(describe(description, example));

/** Restores the leading `+` of a phone number in a query or a path, which a client may have turned into a space. */
export const restorePlus = (text: string) => (/^ +[^ +]/.test(text) ? `+${text.trimStart()}` : text);

/** A phone number in a query. A client may have sent its `+` as a space. */
export const PhoneNumberInQuery = z.pipe(z.pipe(z.string(), z.transform(restorePlus)), PhoneNumber);

/** The number of a party as telephony reports it. `isGuess`: it arrived as digits without a `+`, and may not be a number. */
export type ReportedNumber = { number: string; isGuess: boolean };

/** Reads a number as telephony reports it, even within a `sip:` or `tel:` address or without its `+`. */
export const reportedNumber = (text: string): ReportedNumber | undefined => {
  if (text.length > limits.phoneNumberCharacters) return undefined;
  const plain = text.normalize('NFKC');
  const [, ofAddress] = /^(?:[^<]*<)?\s*(?:sips?|tel):([^@;>?\s]+)/i.exec(plain) ?? [];
  const bare = bareOf((ofAddress ?? plain.split(';')[0] ?? '').replace(/^%2b/i, '+'));
  if (isPhoneNumber(bare)) return { number: bare, isGuess: false };
  return isPhoneNumber(`+${bare}`) ? { number: `+${bare}`, isGuess: true } : undefined;
};
