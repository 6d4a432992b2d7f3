import { deflateRawSync } from 'node:zlib';
import { indexFormat } from '../domain/knowledge-index.ts';
import { ByteWriter } from './bytes.ts';
import type { Language } from './languages.ts';
import type { Place } from './packed-index.ts';
import { cutPassages, listMarkdownHeadings } from './passages.ts';
import { type IndexedWord, Terms } from './terms.ts';

/** A text to be indexed: the pages of a website, or the one of a document. */
export type IndexedPage = { text: string; title?: string; url?: string };

/** The terms of a block share the beginnings of those before them. A search finds a term by the first terms of the blocks. */
const termsPerBlock = 16;

/**
 * Cuts pages into passages and makes an index of their words. `markdown` is the same text as Markdown, which shows the
 * headings.
 *
 * Format, deflated. Numbers are of a variable length, texts are UTF-8 after their length: format · language · pages:
 * count, then title and URL of each · passages: count, then page (as a difference), start, units, words, hash of each, a
 * column after the other · words in all · blocks of terms: count, then bytes of the dictionary and of the postings of
 * each · dictionary: units shared with the term before, rest, bytes of its postings · postings: passage (as a
 * difference) × 2 + (1 if a count follows), count.
 */
export const packIndex = (
  pages: IndexedPage[],
  markdown: string,
  language: Language,
): { packed: Buffer; passages: number } => {
  const headings = listMarkdownHeadings(markdown);
  const index = new IndexBuilder(language);
  for (const [page, { text, title }] of pages.entries()) {
    for (const { start, end, headingEnd, context } of cutPassages(text, headings)) {
      index.add(text, { page, start, units: end - start }, headingEnd, title ? [title, ...context] : context);
    }
  }
  // A higher level makes an index only one percent smaller.
  return { packed: deflateRawSync(index.pack(pages), { level: 1 }), passages: index.passages };
};

class IndexBuilder {
  readonly #terms: Terms;
  readonly #places: (Place & { words: number; hash: number })[] = [];
  /** The passages of each term. The number of its occurrences follows each passage. */
  readonly #postings = new Map<string, number[]>();

  constructor(language: Language) {
    this.#terms = new Terms(language);
  }

  get passages(): number {
    return this.#places.length;
  }

  /** Adds the passage at a place in a text. Its units before `headingEnd` are its own heading. */
  add(text: string, place: Place, headingEnd: number, context: string[]): void {
    const { start, units } = place;
    const end = start + units;
    const counts = new Map<string, number>();
    let words = 0;
    const count = ({ terms }: IndexedWord) => {
      words++;
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    };
    // Function words in headings are indexed: “About us” has no others.
    for (const heading of [...context, text.slice(start, headingEnd)]) this.#terms.of(heading).forEach(count);
    for (const word of this.#terms.of(text.slice(headingEnd, end))) if (!word.isFunctionWord) count(word);
    for (const [term, count] of counts) {
      const postings = this.#postings.get(term);
      if (postings) postings.push(this.passages, count);
      else this.#postings.set(term, [this.passages, count]);
    }
    this.#places.push({ ...place, words, hash: hashPassage(text, start, end) });
  }

  pack(pages: IndexedPage[]): Buffer {
    const out = new ByteWriter();
    out.number(indexFormat);
    out.text(this.#terms.language.code);
    out.number(pages.length);
    for (const { title = '', url = '' } of pages) {
      out.text(title);
      out.text(url);
    }
    const places = this.#places;
    out.number(places.length);
    out.numbers(places.map(({ page }, index) => page - (places[index - 1]?.page ?? 0)));
    out.numbers(
      places.map(({ page, start }, index) => {
        const former = places[index - 1];
        return former?.page === page ? start - former.start - former.units : start;
      }),
    );
    out.numbers(places.map(({ units }) => units));
    out.numbers(places.map(({ words }) => words));
    const hashes = Buffer.alloc(4 * places.length);
    for (const [index, { hash }] of places.entries()) hashes.writeUInt32LE(hash, 4 * index);
    out.bytes(hashes);
    out.number(places.reduce((sum, { words }) => sum + words, 0));
    this.#packTerms(out);
    return out.written;
  }

  #packTerms(out: ByteWriter): void {
    const terms = [...this.#postings.keys()].sort();
    const blocks = new ByteWriter();
    const dictionary = new ByteWriter();
    const allPostings = new ByteWriter();
    out.number(Math.ceil(terms.length / termsPerBlock));
    for (let first = 0; first < terms.length; first += termsPerBlock) {
      const [dictionaryStart, postingsStart] = [dictionary.length, allPostings.length];
      let former: Buffer = Buffer.alloc(0);
      for (const term of terms.slice(first, first + termsPerBlock)) {
        const bytes = Buffer.from(term);
        const shared = sharedBytes(former, bytes);
        dictionary.numbers([shared, bytes.length - shared]);
        dictionary.bytes(bytes, shared);
        dictionary.number(packPostings(allPostings, this.#postings.get(term) ?? []));
        former = bytes;
      }
      blocks.numbers([dictionary.length - dictionaryStart, allPostings.length - postingsStart]);
    }
    for (const part of [blocks, dictionary, allPostings]) out.bytes(part.written);
  }
}

/** Writes the passages of a term, and returns their size in bytes. */
const packPostings = (out: ByteWriter, postings: number[]): number => {
  const start = out.length;
  let last = 0;
  for (let at = 0; at < postings.length; at += 2) {
    const [passage, count] = [postings[at] as number, postings[at + 1] as number];
    out.number((passage - last) * 2 + (count > 1 ? 1 : 0));
    if (count > 1) out.number(count);
    last = passage;
  }
  return out.length - start;
};

const sharedBytes = (a: Buffer, b: Buffer): number => {
  const max = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < max && a[shared] === b[shared]) shared++;
  return shared;
};

/** Returns the FNV-1a hash of a text without its white space, by which duplicate passages are found. */
const hashPassage = (text: string, start: number, end: number): number => {
  let hash = 0x811c9dc5 | 0;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code > 32) hash = Math.imul(hash ^ code, 0x01000193);
  }
  return hash >>> 0;
};
