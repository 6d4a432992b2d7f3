import * as z from 'zod/mini';
import { describe, listField, textField } from './describe.ts';
import { limits } from './limits.ts';
import { chooseForm } from './number-forms.ts';
import { e164, plainText, readPhoneNumber } from './read-phone-number.ts';

/** Returns the E.164 form of a number as people and programs write it; undefined for anything else. It guesses no country. */
export const normalizePhoneNumber = (text: string): string | undefined => readPhoneNumber(text).number;

/** Returns the numbers that a text may hold, in E.164 format, with and without the digits that follow. */
export const extractNumbers = (text: string): string[] => {
  const written = plainText(text).match(/\+[\d .()-]{1,255}/g) ?? [];
  return [
    ...new Set(written.flatMap((one) => listBeginnings(one).flatMap((part) => normalizePhoneNumber(part) ?? []))),
  ];
};

/** Returns the beginnings of a text that end with a group of digits. */
const listBeginnings = (text: string): string[] =>
  [...text.matchAll(/\d+/g)].map(({ 0: { length }, index }) => text.slice(0, index + length));

/** Checks whether a text holds a number, in any format and any of its forms. */
export const mentionsNumber = (text: string, number: string): boolean =>
  extractNumbers(text).some((found) => chooseForm(found) === chooseForm(number));

/** How numbers in requests may be written. */
export const numberForms =
  'Spaces, dashes, dots and parentheses between digits are removed, and so is a trunk zero behind the country code.';

const normalized = (error: string) =>
  z
    .pipe(
      z.string().check(z.refine((value) => normalizePhoneNumber(value) !== undefined, { error })),
      z.transform((value) => normalizePhoneNumber(value) as string),
    )
    .check(describe(`A phone number with its country code. ${numberForms}`, '+14155550100', { type: 'string' }));

const mustBePhoneNumber = 'must be a phone number in E.164 format, such as +14155550100';

/** A phone number in a request, normalized to E.164. */
export const PhoneNumber = normalized(mustBePhoneNumber);

/** A phone number in a request, or `null` for a number that was withheld. */
export const PhoneNumberOrNull = z.nullable(normalized(`${mustBePhoneNumber}, or null if it was withheld`));

/** A phone number in a response, in E.164 format. */
export const phoneNumber = (description: string, example = '+14155550100') =>
  textField(description, example, { pattern: e164.source });

/** Phone numbers in a response. */
export const phoneNumbers = (description: string, example: string[]) =>
  listField(z.string().check(z.meta({ pattern: e164.source })), description, example);

/** Restores the leading `+` of a phone number in a query or a path, which a client may have turned into a space. */
export const restorePlus = (text: string) => (/^ +[^ +]/.test(text) ? `+${text.trimStart()}` : text);

/** A phone number in a query. A client may have sent its `+` as a space. */
export const PhoneNumberInQuery = z.pipe(z.pipe(z.string(), z.transform(restorePlus)), PhoneNumber);

/** The number of a party as telephony reports it. `isGuess`: it arrived as digits without a `+`, and may not be a number. */
export type ReportedNumber = { number: string; isGuess: boolean };

/**
 * Reads a number as telephony reports it: also in a `sip:`, `sips:`, `tel:` or `whatsapp:` address, with 00 instead of its `+`,
 * or without its `+`.
 */
export const reportedNumber = (text: string): ReportedNumber | undefined => {
  if (text.length > limits.phoneNumberCharacters) return undefined;
  const [, scheme, address] = /^(?:[^<]*<)?\s*(sips?|tel|whatsapp):([^>]*)/i.exec(text) ?? [];
  const [user = ''] = (address ?? text).split(scheme ? /[@;?:,]/ : /[@;?,]/, 1);
  const [, context = ''] = /;phone-context=(\+[\d.()-]+)/i.exec(address ?? '') ?? [];
  const decoded = user.replace(/%[23][\da-f]/gi, decodeURIComponent);
  const written = restorePlus(/^\s*\+/.test(decoded) ? decoded : context + decoded).replace(
    /^\+?00(?=[ (]*[1-9])/,
    '+',
  );
  const { number } = readPhoneNumber(written);
  if (number !== undefined) return { number, isGuess: false };
  // Carriers in North America may send 011, which also begins national numbers elsewhere.
  const guess =
    normalizePhoneNumber(`+${written}`) ?? normalizePhoneNumber(written.replace(/^\+?011(?=[ (]*[1-9])/, '+'));
  return guess === undefined ? undefined : { number: guess, isGuess: true };
};
