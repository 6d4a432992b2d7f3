/** A word in lower case. Prices, addresses and codes are words as written, and so are their parts. */
export type Word = { text: string; isPlain: boolean };

/** UTF-16 units of a term. Longer ones, such as an encoded file, are cut. */
const termUnits = 64;
/** UTF-16 units of a price, an address or a code. Longer ones are indexed by their parts. */
const compoundUnits = 128;

const isAscii = /^[\0-\x7f]*$/;
const diacritics = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;
const ligatures: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const digits = /\p{Nd}/gu;

/** Removes the diacritics of a lower-case text. Vowel signs, which are letters of their script, are kept. */
export const fold = (lower: string): string => {
  if (isAscii.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(diacritics, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþı]/g, (letter) => ligatures[letter] as string)
    .replace(digits, asciiDigit);
};

/** Returns the ASCII form of a digit. The digits of a script are ten consecutive characters, from a multiple of sixteen or six after it. */
const asciiDigit = (digit: string): string => {
  if (isAscii.test(digit)) return digit;
  const code = digit.codePointAt(0) as number;
  const zero = /\p{Nd}/u.test(String.fromCodePoint(code - (code % 16))) ? code - (code % 16) : code - (code % 16) + 6;
  return code >= zero && code - zero < 10 ? String(code - zero) : digit;
};

const letters = /^[\p{L}\p{M}]+$/u;
const runs = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no spaces between words. */
const unspaced =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+)/u;
/** The lookbehind limits the match of a run of marks to its beginning. */
const edges = /^[^\p{L}\p{N}\p{Sc}]+|(?<=[\p{L}\p{M}\p{N}\p{Sc}%+#])[^\p{L}\p{M}\p{N}\p{Sc}%+#]+$/gu;
const email = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const number = /^(\p{Sc})?(\d[\d.,:'’/-]*)(\p{Sc}|%)?$/u;
const thousands = /^(\d{1,3}(?:[.,'’]\d{3})+)(?:[.,]\d{1,2})?$/;
const separators = /[^\p{L}\p{M}\p{N}+#]+/gu;
const joint = /^[\p{L}\p{M}\p{N}]+(?:[-_.&'’+#/]+[\p{L}\p{M}\p{N}]+)*[+#]*$/u;

const asciiWord = /^["'(]*([A-Za-z]+)[.,;:!?)"']*$/;

/** Returns the words of a piece of text without white space. */
export const toWords = (piece: string): Word[] => {
  const word = asciiWord.exec(piece)?.[1];
  if (word) return [plain(word.toLowerCase())];
  const lower = piece.normalize('NFKC').toLowerCase();
  if (letters.test(lower) && !unspaced.test(lower)) return [plain(lower)];
  return lower
    .split(unspaced)
    .flatMap((part, index) => (index % 2 === 1 ? wordsOfUnspaced(part) : wordsOfSpaced(part)));
};

const plain = (text: string): Word => ({ text: beginning(text), isPlain: true });
const written = (text: string): Word => ({ text: beginning(fold(text)), isPlain: false });
const beginning = (text: string) => (text.length > termUnits ? text.slice(0, termUnits).toWellFormed() : text);

/** Segments a run piece by piece to bound memory. One segmenter serves all languages. */
const wordsOfUnspaced = (run: string): Word[] => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const words: Word[] = [];
  for (let start = 0; start < run.length; start += 2000) {
    for (const { segment, isWordLike } of segmenter.segment(run.slice(start, start + 2000).toWellFormed())) {
      if (isWordLike) words.push(plain(segment));
    }
  }
  return words;
};

const wordsOfSpaced = (part: string): Word[] => {
  const piece = part.replace(edges, '');
  if (piece === '') return [];
  if (letters.test(piece)) return [plain(piece)];
  const parts = splitRuns(piece);
  if (piece.length > compoundUnits) return parts;
  const price = number.exec(fold(piece));
  if (price) return normalizeNumber(price, parts);
  if (email.test(piece)) return [written(piece), ...parts];
  if (!joint.test(piece)) return parts;
  const isCode = /\p{N}|[+#]$/u.test(piece);
  // Words with a slash between them are alternatives, not one word.
  if (!isCode && piece.includes('/')) return parts;
  const whole = piece.replace(separators, '');
  return [isCode ? written(whole) : plain(whole), ...parts.filter(({ text }) => text !== fold(whole))];
};

/** Returns the words and numbers within a piece. A single letter beside them, as in `l’heure` or `X-200`, is left out. */
const splitRuns = (piece: string): Word[] => {
  const found = piece.match(runs) ?? [];
  return found
    .flatMap((run) =>
      letters.test(run) || /^\p{N}+$/u.test(run) ? [run] : [run, ...(run.match(/\p{N}+|[\p{L}\p{M}]+/gu) ?? [])],
    )
    .filter((run) => run.length > 1 || !letters.test(run) || found.length === 1)
    .map((run) => (letters.test(run) ? plain(run) : written(run)));
};

/** Returns a number in one spelling for `1,299.00` and `1.299,00`; with its currency or percent sign; and its parts. */
const normalizeNumber = ([, before, figures = '', after]: RegExpExecArray, parts: Word[]): Word[] => {
  const whole = figures.replace(/[.,:'’/-]+$/, '');
  const inOneSpelling = whole.replace(/[,'’]/g, '.');
  const sign = before ?? after;
  const grouped = thousands.exec(whole)?.[1]?.replace(/[.,'’]/g, '');
  const spellings = [sign && sign + inOneSpelling, inOneSpelling, grouped, ...parts.map(({ text }) => text)];
  return [...new Set(spellings)].flatMap((text) => (text ? [{ text: beginning(text), isPlain: false }] : []));
};
