/** Signs that nobody sees: soft hyphens, joiners, marks of direction and of byte order, variation selectors. */
const invisible = /[\p{Cf}\p{DI}]/gu;

export const withoutInvisibleSigns = (text: string) => text.replace(invisible, '');

/** Returns a text with one space for white space of any kind, none at its ends, and without invisible signs. */
export const withPlainSpaces = (text: string) =>
  withoutInvisibleSigns(text)
    .replace(/\p{White_Space}+/gu, ' ')
    .trim();
