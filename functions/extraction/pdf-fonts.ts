import type { OPS, PDFPageProxy } from 'pdfjs-dist';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** What a page draws. */
export type Drawn = Pick<Awaited<ReturnType<PDFPageProxy['getOperatorList']>>, 'fnArray' | 'argsArray'>;

/**
 * The fonts of a document that do not say which characters their letters are: their codes are the numbers of glyphs, or
 * their glyphs have numbers for names. The library takes such numbers for characters.
 */
export class NumberedFonts {
  readonly #composite = new Set<string>();
  readonly #withCharacters = new Set<string>();
  /** The names of composite fonts that were asked for. */
  readonly #names = new Map<string, boolean>();
  #hasNumberedNames = false;
  readonly #budget: ReadingBudget;

  constructor(budget: ReadingBudget) {
    this.#budget = budget;
  }

  /** Adds the fonts that are in objects of the document. */
  collect(objects: Buffer): void {
    for (const at of findAll(objects, '/BaseFont')) {
      if (!this.#budget.takeSpare(steps.font)) return;
      const font = readDictionary(objects, at);
      const name = /\/BaseFont\s*\/([^\s/[\]<>()]+)/.exec(font)?.[1] ?? '';
      if (/\/ToUnicode\b/.test(font)) this.#withCharacters.add(name);
      else if (/\/Type0\b/.test(font) && /\/Encoding\s*(\/Identity-|\d)/.test(font)) this.#composite.add(name);
    }
    for (const at of findAll(objects, '/Differences')) {
      if (this.#hasNumberedNames || !this.#budget.takeSpare(steps.font)) return;
      this.#hasNumberedNames = hasNumberedNames(objects.toString('latin1', at, at + maxDictionaryBytes));
    }
  }

  get isEmpty(): boolean {
    return this.#composite.size === 0 && !this.#hasNumberedNames;
  }

  /** Counts the letters that these fonts draw on a page, other than those with the names in `known`. */
  countLetters(page: PDFPageProxy, drawn: Drawn, operators: typeof OPS, known: Set<string>): number {
    let count = 0;
    for (const { font: name, glyphs } of listGlyphs(drawn, operators)) {
      if (known.has(name) || !page.commonObjs.has(name)) continue;
      const font: Font = page.commonObjs.get(name);
      count += glyphs.filter((glyph) => this.#isUnknown(font, glyph)).length;
    }
    return count;
  }

  /** Returns true for a font of such a name. The name in the document can end in that of the encoding. */
  #isNumberedComposite(name: string): boolean {
    const isKnown = this.#names.get(name) ?? [...this.#composite].some((known) => known.startsWith(name));
    this.#names.set(name, isKnown);
    return isKnown;
  }

  #isUnknown({ name = '', composite, differences }: Font, { unicode, originalCharCode: code }: Glyph): boolean {
    if (!letter.test(unicode)) return false;
    const isCode = unicode.codePointAt(0) === code;
    if (composite) return isCode && this.#isNumberedComposite(name);
    const glyphName = differences?.get(code) ?? '';
    const isNumber = isCode || (/^g.{4}$/.test(glyphName) && unicode.codePointAt(0) === readNumbers(glyphName)[1]);
    return isNumber && isNumbered(glyphName, code) && !this.#withCharacters.has(name);
  }
}

/** A font as the library describes it. `differences` has the names of glyphs by code. */
type Font = { name?: string; composite?: boolean; differences?: Map<number, string> };
type Glyph = { unicode: string; originalCharCode: number };

/** Returns the glyphs that a page draws with one operator each, and the name that the library gives their font. */
export const listGlyphs = function* (
  { fnArray, argsArray }: Drawn,
  operators: typeof OPS,
): Generator<{ font: string; glyphs: Glyph[] }> {
  const outer: string[] = [];
  let font = '';
  for (const [index, operator] of fnArray.entries()) {
    const [first] = argsArray[index] ?? [];
    if (operator === operators.save || operator === operators.paintFormXObjectBegin) outer.push(font);
    else if (operator === operators.restore || operator === operators.paintFormXObjectEnd) font = outer.pop() ?? '';
    else if (operator === operators.setFont) font = first;
    else if (operator === operators.showText) {
      const glyphs = (first as (Glyph | number | null)[]).filter(
        (glyph) => typeof glyph === 'object' && glyph !== null,
      );
      yield { font, glyphs };
    }
  }
};

const letter = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;
const maxDictionaryBytes = 4096;

/** Returns the places of a name in bytes. */
export const findAll = function* (bytes: Buffer, name: string): Generator<number> {
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + name.length)) yield at;
};

/** Returns the dictionary that has an entry at `at`. */
const readDictionary = (objects: Buffer, at: number): string => {
  const before = objects.toString('latin1', Math.max(0, at - maxDictionaryBytes), at);
  const after = objects.toString('latin1', at, at + maxDictionaryBytes);
  const start = findEnd([...before.matchAll(/<<|>>/g)].reverse(), '<<') ?? 0;
  return before.slice(start) + after.slice(0, findEnd([...after.matchAll(/<<|>>/g)], '>>'));
};

/** Returns the place of the first sign that is not the end of a dictionary within. */
const findEnd = (signs: RegExpExecArray[], end: string): number | undefined => {
  let depth = 0;
  for (const { 0: sign, index } of signs) {
    if (sign === end && depth === 0) return index;
    depth += sign === end ? -1 : 1;
  }
  return undefined;
};

/** Returns true if an array of differences (codes, and the names of the glyphs from there on) has a number for a name. */
const hasNumberedNames = (differences: string): boolean => {
  let code = 0;
  for (const [token] of differences.slice(0, differences.indexOf(']')).matchAll(/\/[^\s/[\]]+|\b\d+/g)) {
    if (!token.startsWith('/')) code = Number(token);
    else if (isNumbered(token.slice(1), code++)) return true;
  }
  return false;
};

/** Returns true if the name of a glyph is a number other than the code of its letter. */
const isNumbered = (name: string, code: number): boolean => {
  const numbers = readNumbers(name);
  return numbers.length > 0 && !numbers.includes(code);
};

/** Returns the number in a name such as `g0024` as decimal and as hexadecimal digits. `u0041` and `uni0041` name characters. */
const readNumbers = (name: string): number[] => {
  const [, digits] = /^(?:[a-tv-z]|cid|gid|glyph|index|char|chr|code)[:_.]?([0-9a-f]*\d[0-9a-f]*)$/i.exec(name) ?? [];
  return digits ? [Number(digits), Number.parseInt(digits, 16)] : [];
};
