import * as z from 'zod/mini';

/** Counts characters as code points, so that an emoji is one. */
export const characters = (text: string) => [...text].length;

/** Returns the first `max` characters; no surrogate pair is split. */
export const cut = (text: string, max: number) => [...text].slice(0, max).join('');

/** Returns a name in kebab-case: `addBlockedNumbers` and `add_blocked_numbers` are `add-blocked-numbers`. */
export const toKebabCase = (name: string) =>
  name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Checks whether texts together have `min` words, by the word boundaries of Unicode. Reads no more of them than it needs. */
export const hasWords = (texts: readonly string[], min: number): boolean => {
  const segments = new Intl.Segmenter('en', { granularity: 'word' }).segment(texts.join('\n'));
  let words = 0;
  for (const { isWordLike } of segments) {
    if (words >= min) return true;
    if (isWordLike) words++;
  }
  return words >= min;
};

/** Removes control characters, which a name in a header or a terminal must not have. */
export const withoutControlCharacters = (text: string) => text.replace(/\p{Cc}/gu, '');

/** Declares a text with a minimum and a maximum number of characters. A lone surrogate is invalid: UTF-8 cannot store it. */
export const text = (min: number, max: number) =>
  z.string().check(
    z.meta({ ...(min > 0 && { minLength: min }), maxLength: max }),
    // A character has at most two units: a long text is refused before it is counted.
    z.refine((value) => value.length <= 2 * max && characters(value) >= min && characters(value) <= max, {
      abort: true,
      error: min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`,
    }),
    z.refine((value) => value.isWellFormed(), { error: 'holds half of a surrogate pair' }),
  );
