import * as z from 'zod/mini';

const e164 = /^\+[1-9]\d{6,14}$/;

/** Whether a text is a phone number in E.164 syntax. Not a numbering-plan check: reserved test numbers pass. */
export const isPhoneNumber = (text: string) => e164.test(text);

/**
 * The E.164 form of a number written with spaces, hyphens, dots or parentheses; undefined when it has none.
 * No country is guessed for a national number.
 */
export const normalisePhoneNumber = (text: string): string | undefined => {
  const bare = text.replace(/[\s\-.()]/gu, '');
  return isPhoneNumber(bare) ? bare : undefined;
};

/** A phone number as a caller may write it, kept in its E.164 form. */
export const PhoneNumber = z.pipe(
  z.string().check(
    z.refine((value) => normalisePhoneNumber(value) !== undefined, {
      error: 'must be a phone number in E.164 format, such as +14155550100',
    }),
  ),
  z.transform((value) => normalisePhoneNumber(value) as string),
);

/** A phone number from a query or a path, where a client may have turned the leading `+` into a space. */
export const restorePlus = (text: string) => (text.startsWith(' ') ? `+${text.slice(1)}` : text);
