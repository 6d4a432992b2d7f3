import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { indexFormat } from '../domain/knowledge-index.ts';
import { ByteWriter } from './bytes.ts';
import type { Language } from './languages.ts';
import type { Place } from './packed-index.ts';
import { cutPassages, headingsOf } from './passages.ts';
import { compareTerms, Terms } from './terms.ts';

/** A text to be indexed: the pages of a website, or the one of a document. */
export type IndexedPage = { text: string; title?: string; url?: string };

const deflate = promisify(deflateRaw);

/** UTF-16 units that are indexed before other work gets its turn: a few milliseconds. */
const unitsPerTurn = 32_768;

/** Terms of a block share the beginnings of those before them; a term is found by the first ones of the blocks. */
const termsPerBlock = 16;

/**
 * Cuts pages into passages and makes an index of their words. `markdown` is the same text as Markdown, which shows the headings.
 *
 * Format, deflated. Numbers are of a variable length, texts are UTF-8 after their length:
 * format · language · pages: count, then title and URL of each · passages: count, then page (as a difference), start, units,
 * words, hash of each, a column after the other · words in all · blocks of terms: count, then bytes of the dictionary and of the
 * postings of each · dictionary: units shared with the term before, rest, bytes of its postings · postings:
 * passage (as a difference) × 2 + (1 if it follows how often), how often.
 */
export const packIndex = async (
  pages: IndexedPage[],
  markdown: string,
  language: Language,
): Promise<{ packed: Buffer; passages: number }> => {
  // The requests that write the text go first, and are not kept waiting.
  await nextTurn();
  const headings = headingsOf(markdown);
  const index = new IndexBuilder(language);
  let units = 0;
  for (const [page, { text, title }] of pages.entries()) {
    for (const passage of cutPassages(text, headings)) {
      const { start, end, headingEnd, context } = passage;
      index.add(text, { page, start, units: end - start }, headingEnd, title ? [title, ...context] : context);
      units += end - start;
      if (units < unitsPerTurn) continue;
      units = 0;
      await nextTurn();
    }
  }
  // More effort makes an index smaller by a hundredth.
  return { packed: await deflate(index.pack(pages), { level: 1 }), passages: index.passages };
};

let latest: Terms | undefined;

/** Documents of a language share most of their words: a process keeps the terms of one language until they are too many. */
const termsFor = (language: Language): Terms => {
  if (!latest || latest.language !== language || latest.isFull) latest = new Terms(language);
  return latest;
};

class IndexBuilder {
  readonly #terms: Terms;
  readonly #places: (Place & { words: number; hash: number })[] = [];
  /** For each passage and each of its terms: the number of the term, the passage, how often. */
  #entries = new Int32Array(3 * 4096);
  #entriesEnd = 0;
  /** How often each term is in the passage at hand, and which it has. */
  #counts = new Int32Array(4096);
  #present: number[] = [];

  constructor(language: Language) {
    this.#terms = termsFor(language);
  }

  get passages(): number {
    return this.#places.length;
  }

  /** Adds the passage of a text that is at a place, of which the first units up to `headingEnd` are its own heading. */
  add(text: string, place: Place, headingEnd: number, context: string[]): void {
    const { start, units } = place;
    const end = start + units;
    let words = 0;
    const countTerm = (term: number) => {
      if (term >= this.#counts.length) this.#counts = grown(this.#counts, term + 1);
      if (this.#counts[term]!++ === 0) this.#present.push(term);
    };
    const count = (term: number, other: number) => {
      words++;
      countTerm(term);
      if (other >= 0) countTerm(other);
    };
    // Function words in headings are indexed: “About us” has no others.
    this.#terms.visit(text, start, headingEnd, count);
    this.#terms.visit(text, headingEnd, end, (term, other, isFunctionWord) => {
      if (!isFunctionWord) count(term, other);
    });
    for (const heading of context) this.#terms.visit(heading, 0, heading.length, count);
    const passage = this.#places.length;
    this.#places.push({ ...place, words, hash: hashOf(text, start, end) });
    this.#reserveEntries(3 * this.#present.length);
    for (const term of this.#present) {
      this.#entries[this.#entriesEnd++] = term;
      this.#entries[this.#entriesEnd++] = passage;
      this.#entries[this.#entriesEnd++] = this.#counts[term] as number;
      this.#counts[term] = 0;
    }
    this.#present = [];
  }

  #reserveEntries(count: number): void {
    const needed = this.#entriesEnd + count;
    if (needed > this.#entries.length) this.#entries = grown(this.#entries, needed);
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
    const numbered = this.#terms.numbered;
    const { passages, counts, starts } = this.#byTerm(numbered.length);
    const terms = numbered.filter(({ number }) => starts[number + 1] !== starts[number]).sort(compareTerms);
    const blocks = new ByteWriter();
    const dictionary = new ByteWriter();
    const postings = new ByteWriter();
    let [dictionaryStart, postingsStart] = [0, 0];
    let former: Buffer = Buffer.alloc(0);
    for (const [index, { bytes, number }] of terms.entries()) {
      if (index % termsPerBlock === 0 && index > 0) {
        blocks.numbers([dictionary.length - dictionaryStart, postings.length - postingsStart]);
        [dictionaryStart, postingsStart] = [dictionary.length, postings.length];
        former = Buffer.alloc(0);
      }
      const shared = sharedBytes(former, bytes);
      dictionary.number(shared);
      dictionary.number(bytes.length - shared);
      dictionary.bytes(bytes, shared);
      const start = postings.length;
      let last = 0;
      for (let at = starts[number] as number; at < (starts[number + 1] as number); at++) {
        const [passage, count] = [passages[at] as number, counts[at] as number];
        postings.number((passage - last) * 2 + (count > 1 ? 1 : 0));
        if (count > 1) postings.number(count);
        last = passage;
      }
      dictionary.number(postings.length - start);
      former = bytes;
    }
    out.number(Math.ceil(terms.length / termsPerBlock));
    blocks.numbers([dictionary.length - dictionaryStart, postings.length - postingsStart]);
    out.bytes(blocks.written);
    out.bytes(dictionary.written);
    out.bytes(postings.written);
  }

  /** The passages of every term, in their order, and how often each has it; and where those of each term begin. */
  #byTerm(terms: number): { passages: Int32Array; counts: Int32Array; starts: Int32Array } {
    const starts = new Int32Array(terms + 1);
    const entries = this.#entries;
    const end = this.#entriesEnd;
    for (let entry = 0; entry < end; entry += 3) starts[(entries[entry] as number) + 1]!++;
    for (let term = 0; term < terms; term++) starts[term + 1]! += starts[term] as number;
    const next = starts.slice();
    const passages = new Int32Array(end / 3);
    const counts = new Int32Array(end / 3);
    for (let entry = 0; entry < end; entry += 3) {
      const at = next[entries[entry] as number]!++;
      passages[at] = entries[entry + 1] as number;
      counts[at] = entries[entry + 2] as number;
    }
    return { passages, counts, starts };
  }
}

const grown = (values: Int32Array, least: number): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(Math.max(values.length * 2, least));
  larger.set(values);
  return larger;
};

const sharedBytes = (a: Buffer, b: Buffer): number => {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared++;
  return shared;
};

/** FNV-1a of a text without white space, by which duplicate passages are found. */
const hashOf = (text: string, start: number, end: number): number => {
  let hash = 0x811c9dc5 | 0;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code > 32) hash = Math.imul(hash ^ code, 0x01000193);
  }
  return hash >>> 0;
};
