import type { Language } from './languages.ts';
import { fold, toWords } from './words.ts';

/** A word of a text, and its terms in an index: its stem and, if different, the stem of the word without diacritics. */
export type IndexedWord = { terms: string[]; isFunctionWord: boolean };

const currency = /^\p{Sc}$/u;
/** The maximum number of pieces of text whose words are cached, and of UTF-16 units of such a piece. */
export const maxCached = 100_000;
const maxCachedUnits = 40;

/** Turns texts of one language into terms. */
export class Terms {
  readonly language: Language;
  /** The words of pieces of text, cached because texts repeat them. */
  readonly #cache = new Map<string, IndexedWord[]>();

  constructor(language: Language) {
    this.language = language;
  }

  /** Returns the words of a text, in its order. */
  of(text: string): IndexedWord[] {
    const pieces = text.split(/\s+/);
    return pieces.flatMap((piece, index) => {
      const price = joinPrice(pieces[index - 1], piece);
      const words = this.#ofPiece(piece);
      return price === undefined ? words : [...this.#ofPiece(price).slice(0, 1), ...words];
    });
  }

  #ofPiece(piece: string): IndexedWord[] {
    const known = this.#cache.get(piece);
    if (known) return known;
    const words = toWords(piece).map(({ text, isPlain }) =>
      isPlain ? this.#ofPlain(text) : { terms: [text], isFunctionWord: false },
    );
    if (piece.length <= maxCachedUnits && this.#cache.size < maxCached) this.#cache.set(piece, words);
    return words;
  }

  #ofPlain(text: string): IndexedWord {
    const folded = fold(text);
    const stem = fold(this.language.stem(text));
    const other = folded === text ? stem : this.language.stem(folded);
    return { terms: other === stem ? [stem] : [stem, other], isFunctionWord: this.language.isFunctionWord(folded) };
  }
}

/** `49 €` and `€ 49` are also indexed like `€49`. */
const joinPrice = (before = '', piece: string): string | undefined => {
  if (currency.test(before) && /^\d/.test(piece)) return before + piece;
  if (currency.test(piece) && /\d$/.test(before)) return piece + before;
};
