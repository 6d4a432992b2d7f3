import { AsciiWords, hashWith } from './ascii-words.ts';
import type { Language } from './languages.ts';
import { fold, wordsOf } from './words.ts';

/** A term of an index, in UTF-8. The terms of a `Terms` are numbered from 0. `firstBytes` is the first six bytes, read as one number. */
export type Term = { bytes: Buffer; number: number; firstBytes: number };

/** The terms of a word, by their numbers: its stem, and that of the word without diacritics; -1 where it does not differ. */
export type TermsOfWord = { term: number; other: number; isFunctionWord: boolean };
export type VisitWord = (term: number, other: number, isFunctionWord: boolean) => void;

const currency = /^\p{Sc}$/u;
/** The maximum number of pieces of text, and of words, whose terms are cached. */
export const mostRemembered = 100_000;
const rememberedUnits = 40;

/** Turns texts of one language into terms. */
export class Terms {
  readonly language: Language;
  readonly #terms = new Map<string, Term>();
  readonly #numbered: Term[] = [];
  readonly #pieces = new Map<string, TermsOfWord[]>();
  readonly #words = new Map<string, TermsOfWord>();
  readonly #asciiWords = new AsciiWords(mostRemembered);

  constructor(language: Language) {
    this.language = language;
  }

  /** Whether it has as many words, terms or pieces of text as should stay in memory. */
  get isFull(): boolean {
    return [this.#terms, this.#words, this.#pieces].some(({ size }) => size >= mostRemembered);
  }

  /** The terms so far, in the order of their numbers. */
  get numbered(): readonly Term[] {
    return this.#numbered;
  }

  /** Visits the words of a text, from `start` to `end`. */
  visit(text: string, start: number, end: number, visit: VisitWord): void {
    const visitPrice = (price: string) => {
      const [word] = this.#ofPiece(price);
      if (word) visit(word.term, word.other, word.isFunctionWord);
    };
    let before = '';
    for (let at = start; at < end; ) {
      if (isSpace(text.charCodeAt(at))) {
        at++;
        continue;
      }
      const from = at;
      let hash = 0;
      for (; at < end && isAsciiLetter(text.charCodeAt(at)); at++) hash = hashWith(hash, text.charCodeAt(at) | 32);
      const lettersEnd = at;
      while (at < end && isMarkAfterWord(text.charCodeAt(at))) at++;
      if (lettersEnd > from && lettersEnd - from <= rememberedUnits && (at === end || isSpace(text.charCodeAt(at)))) {
        let known = this.#asciiWords.find(text, from, lettersEnd, hash);
        if (known < 0) known = this.#addAscii(text, from, lettersEnd, hash);
        visit(known >> 1, -1, (known & 1) === 1);
        before = '';
        continue;
      }
      while (at < end && !isSpace(text.charCodeAt(at))) at++;
      const piece = text.slice(from, at);
      // `49 €` and `€ 49` are indexed like `€49`.
      if (before.length === 1 && currency.test(before) && /^\d/.test(piece)) visitPrice(before + piece);
      if (piece.length === 1 && currency.test(piece) && /\d$/.test(before)) visitPrice(piece + before);
      for (const { term, other, isFunctionWord } of this.#ofPiece(piece)) visit(term, other, isFunctionWord);
      before = piece;
    }
  }

  /** The number of its only term, twice, and 1 if it is a function word. */
  #addAscii(text: string, start: number, end: number, hash: number): number {
    const { term, isFunctionWord } = this.#ofPlain(text.slice(start, end).toLowerCase());
    const known = term * 2 + (isFunctionWord ? 1 : 0);
    this.#asciiWords.add(text, start, end, hash, known);
    return known;
  }

  #ofPiece(piece: string): TermsOfWord[] {
    const known = this.#pieces.get(piece);
    if (known) return known;
    const terms = wordsOf(piece).map((word) => (word.isPlain ? this.#ofPlain(word.text) : this.#ofWritten(word.text)));
    if (piece.length <= rememberedUnits && this.#pieces.size < mostRemembered) this.#pieces.set(piece, terms);
    return terms;
  }

  #ofWritten(text: string): TermsOfWord {
    return { term: this.#numberOf(text), other: -1, isFunctionWord: false };
  }

  #ofPlain(text: string): TermsOfWord {
    const known = this.#words.get(text);
    if (known) return known;
    const folded = fold(text);
    const stem = fold(this.language.stem(text));
    const other = folded === text ? stem : this.language.stem(folded);
    const word = {
      term: this.#numberOf(stem),
      other: other === stem ? -1 : this.#numberOf(other),
      isFunctionWord: this.language.isFunctionWord(folded),
    };
    if (this.#words.size < mostRemembered) this.#words.set(text, word);
    return word;
  }

  #numberOf(text: string): number {
    const known = this.#terms.get(text);
    if (known) return known.number;
    const bytes = Buffer.from(text);
    const term = { bytes, number: this.#numbered.length, firstBytes: firstBytesOf(bytes) };
    this.#terms.set(text, term);
    this.#numbered.push(term);
    return term.number;
  }
}

/** The order of terms in an index: that of their bytes. */
export const compareTerms = (a: Term, b: Term): number =>
  // Numbers are compared several times as fast as buffers.
  a.firstBytes - b.firstBytes || Buffer.compare(a.bytes, b.bytes);

const firstBytesOf = (bytes: Buffer): number => {
  let number = 0;
  for (let index = 0; index < 6; index++) number = number * 256 + (bytes[index] ?? 0);
  return number;
};

const isAsciiLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** The marks that may follow a word without being part of it. */
const isMarkAfterWord = (code: number) => code < 64 && marksAfterWord[code] === 1;
const marksAfterWord = new Uint8Array(64);
for (const mark of `.,;:!?)"'`) marksAfterWord[mark.charCodeAt(0)] = 1;

/** White space as Unicode has it. */
const isSpace = (code: number) =>
  code <= 32 ||
  (code >= 0x85 &&
    (code === 0x85 ||
      code === 0xa0 ||
      code === 0x1680 ||
      (code >= 0x2000 && code <= 0x200a) ||
      code === 0x2028 ||
      code === 0x2029 ||
      code === 0x202f ||
      code === 0x205f ||
      code === 0x3000 ||
      code === 0xfeff));
