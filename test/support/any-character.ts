import fc from 'fast-check';

/** Any character. fast-check's own unit `binary` makes a table of all of them first, a million. */
export const anyCharacter = fc.nat({ max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));
