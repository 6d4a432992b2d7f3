export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/**
 * Returns the encoding of a sheet by its first two bytes. Spreadsheets write UTF-16 ("Unicode text") with a byte-order mark; without
 * one, its first character, which is in ASCII, has a zero.
 */
export const detectUtf = ([first, second]: Uint8Array): TextEncoding => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return 'utf-8';
};
