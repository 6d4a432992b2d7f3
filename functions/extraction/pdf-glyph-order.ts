import type { OPS } from 'pdfjs-dist';
import { type Drawn, listGlyphs } from './pdf-fonts.ts';

/** The number of the space among the glyphs of most TrueType fonts, as the library reads it: as a character. */
const space = '\x03';

/** Returns true if a text can consist of the numbers of glyphs. */
export const hasNumberedSpace = (text: string): boolean => text.includes(space);

/**
 * Returns the fonts of a page whose codes are all numbers of glyphs in the usual order, by the names that the library gives
 * them. Their letters are words only in this order.
 */
export const findOrderedFonts = (drawn: Drawn, operators: typeof OPS): string[] => {
  const texts = new Map<string, string>();
  const mapped = new Set<string>();
  for (const { font, glyphs } of listGlyphs(drawn, operators)) {
    texts.set(font, (texts.get(font) ?? '') + glyphs.map(({ unicode }) => unicode).join(''));
    if (glyphs.some(({ unicode, originalCharCode: code }) => code < 0x80 && readCode(unicode) !== code))
      mapped.add(font);
  }
  return [...texts].filter(([font, text]) => !mapped.has(font) && areGlyphNumbers(text)).map(([font]) => font);
};

const areGlyphNumbers = (text: string): boolean => {
  const spaces = text.split(space).length - 1;
  const letters = countBasicLetters(readGlyphNumbers(text));
  return spaces * 20 >= text.length && letters * 2 >= text.length && letters > countBasicLetters(text);
};

const countBasicLetters = (text: string) => text.match(/[A-Za-z]/g)?.length ?? 0;

/**
 * Reads the numbers of glyphs in the usual order of Windows: ASCII from 3 on, then Mac OS Roman without its no-break space.
 * A space stays: the library writes one for each white space, and between words.
 */
export const readGlyphNumbers = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
  text.replace(/[\x03-\x1f\x21-\xd0‘’μ]/g, (letter) => {
    const number = readCode(letter);
    return macRoman.decode(Uint8Array.of(number + (number < 98 ? 29 : number < 172 ? 30 : 31)));
  });

const macRoman = new TextDecoder('macintosh');

const readCode = (letter: string): number => otherCodes[letter] ?? letter.codePointAt(0) ?? 0;

/** Two codes of PostScript's standard encoding are not those of ASCII. The library makes the micro sign a Greek letter. */
const otherCodes: Record<string, number> = { '’': 0x27, '‘': 0x60, μ: 0xb5 };
