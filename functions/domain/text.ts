import * as z from 'zod/mini';

/** The number of characters as a person counts them: code points, so that an emoji is one. */
export const characters = (text: string) => [...text].length;

/** The first `most` characters; no surrogate pair is split. */
export const cut = (text: string, most: number) => [...text].slice(0, most).join('');

/** The text without control characters, which a name in a header or a terminal must not carry. */
export const withoutControlCharacters = (text: string) => text.replace(/\p{Cc}/gu, '');

/**
 * Text with a minimum and a maximum number of characters. A lone surrogate is invalid, because UTF-8 cannot store it.
 */
export const text = (least: number, most: number) =>
  z.string().check(
    z.meta({ ...(least > 0 && { minLength: least }), maxLength: most }),
    z.refine((value) => characters(value) >= least && characters(value) <= most, {
      error: least === 0 ? `must have at most ${most} characters` : `must have ${least} to ${most} characters`,
    }),
    z.refine((value) => value.isWellFormed(), { error: 'holds half of a surrogate pair' }),
  );
