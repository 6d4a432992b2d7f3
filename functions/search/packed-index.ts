import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { indexFormat } from '../domain/knowledge-index.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { Language } from './languages.ts';
import { cutPassages, headingsOf } from './passages.ts';
import { Terms } from './terms.ts';

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
      // The requests that write the text meanwhile are not kept waiting.
      await nextTurn();
    }
  }
  return { packed: await deflate(index.pack(pages)), passages: index.passages };
};

type Place = { page: number; start: number; units: number };

class IndexBuilder {
  readonly #terms: Terms<number>;
  readonly #ids = new Map<string, number>();
  readonly #places: (Place & { words: number; hash: number })[] = [];
  /** For each passage and each of its terms: the term, the passage, how often. */
  #entries = new Int32Array(3 * 4096);
  #entriesEnd = 0;
  /** How often each term is in the passage at hand, and which it has. */
  #counts = new Int32Array(4096);
  #present: number[] = [];

  constructor(language: Language) {
    this.#terms = new Terms(language, (term) => this.#idOf(term));
  }

  get passages(): number {
    return this.#places.length;
  }

  /** Adds the passage of a text that is at a place, of which the first units up to `headingEnd` are its own heading. */
  add(text: string, place: Place, headingEnd: number, context: string[]): void {
    const { start, units } = place;
    const end = start + units;
    let words = 0;
    // Function words in headings are indexed: “About us” has no others.
    this.#terms.visit(text, start, headingEnd, (terms) => {
      words++;
      for (const term of terms) this.#count(term);
    });
    this.#terms.visit(text, headingEnd, end, (terms, isFunctionWord) => {
      if (isFunctionWord) return;
      words++;
      for (const term of terms) this.#count(term);
    });
    for (const heading of context) {
      this.#terms.visit(heading, 0, heading.length, (terms) => {
        words++;
        for (const term of terms) this.#count(term);
      });
    }
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

  /** Terms are numbered as they come. */
  #idOf(term: string): number {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(term, id);
    if (id >= this.#counts.length) this.#counts = grown(this.#counts, id + 1);
    return id;
  }

  #count(term: number): void {
    if (this.#counts[term]!++ === 0) this.#present.push(term);
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
    const { order, starts } = this.#byTerm();
    const terms = [...this.#ids]
      .map(([text, id]) => ({ bytes: Buffer.from(text), id }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const blocks = new ByteWriter();
    const dictionary = new ByteWriter();
    const postings = new ByteWriter();
    let [dictionaryStart, postingsStart] = [0, 0];
    let former = Buffer.alloc(0);
    for (const [index, { bytes, id }] of terms.entries()) {
      if (index % termsPerBlock === 0 && index > 0) {
        blocks.numbers([dictionary.length - dictionaryStart, postings.length - postingsStart]);
        [dictionaryStart, postingsStart] = [dictionary.length, postings.length];
        former = Buffer.alloc(0);
      }
      const shared = sharedBytes(former, bytes);
      dictionary.number(shared);
      dictionary.number(bytes.length - shared);
      dictionary.bytes(bytes.subarray(shared));
      const start = postings.length;
      let last = 0;
      for (let at = starts[id] as number; at < (starts[id + 1] as number); at++) {
        const entry = 3 * (order[at] as number);
        const [passage, count] = [this.#entries[entry + 1] as number, this.#entries[entry + 2] as number];
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

  /** The entries in the order of their terms, each term's in the order of the passages; and where each term's begin. */
  #byTerm(): { order: Int32Array; starts: Int32Array } {
    const starts = new Int32Array(this.#ids.size + 1);
    const entries = this.#entriesEnd / 3;
    for (let entry = 0; entry < entries; entry++) starts[(this.#entries[3 * entry] as number) + 1]!++;
    for (let id = 0; id < this.#ids.size; id++) starts[id + 1]! += starts[id] as number;
    const next = starts.slice();
    const order = new Int32Array(entries);
    for (let entry = 0; entry < entries; entry++) order[next[this.#entries[3 * entry] as number]!++] = entry;
    return { order, starts };
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
  let hash = 0x811c9dc5;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code > 32) hash = Math.imul(hash ^ code, 0x01000193);
  }
  return hash >>> 0;
};

/** Which passages a term is in, and how often in each. */
export type Postings = { passages: number[]; counts: number[] };

/** An index, unpacked as far as a search needs it. */
export class PackedIndex {
  readonly language: string;
  readonly pages: { title: string; url: string }[];
  readonly passages: number;
  /** How many words each passage has, function words left out. */
  readonly words: Uint32Array;
  readonly totalWords: number;
  /** The approximate size in memory. */
  readonly bytes: number;
  readonly #pageOf: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #units: Uint32Array;
  readonly #hashes: Buffer;
  /** Where each block begins, and where the last one ends. */
  readonly #dictionaryAt: Uint32Array;
  readonly #postingsAt: Uint32Array;
  readonly #dictionary: Buffer;
  readonly #postings: Buffer;

  constructor(packed: Uint8Array) {
    const bytes = inflateRawSync(packed);
    const read = new ByteReader(bytes);
    const format = read.number();
    if (format !== indexFormat) throw new Error(`The index has the format ${format}, not ${indexFormat}.`);
    this.language = read.text();
    this.pages = Array.from({ length: read.number() }, () => ({ title: read.text(), url: read.text() }));
    const count = read.number();
    this.passages = count;
    this.#pageOf = read.numbers(count);
    this.#starts = read.numbers(count);
    this.#units = read.numbers(count);
    this.words = read.numbers(count);
    for (let index = 1; index < count; index++) {
      this.#pageOf[index]! += this.#pageOf[index - 1] as number;
      if (this.#pageOf[index] !== this.#pageOf[index - 1]) continue;
      this.#starts[index]! += (this.#starts[index - 1] as number) + (this.#units[index - 1] as number);
    }
    this.#hashes = read.take(4 * count);
    this.totalWords = read.number();
    const blocks = read.number();
    this.#dictionaryAt = new Uint32Array(blocks + 1);
    this.#postingsAt = new Uint32Array(blocks + 1);
    for (let block = 0; block < Math.max(blocks, 1); block++) {
      this.#dictionaryAt[block + 1] = (this.#dictionaryAt[block] as number) + read.number();
      this.#postingsAt[block + 1] = (this.#postingsAt[block] as number) + read.number();
    }
    this.#dictionary = read.take(this.#dictionaryAt[blocks] as number);
    this.#postings = read.take(this.#postingsAt[blocks] as number);
    this.bytes = bytes.length + 16 * count + 8 * blocks;
  }

  /** Where a passage is: in which page's text, and there from which UTF-16 unit on, and how many. */
  placeOf(passage: number): Place {
    return {
      page: this.#pageOf[passage] as number,
      start: this.#starts[passage] as number,
      units: this.#units[passage] as number,
    };
  }

  /** The same for duplicate passages. */
  hashOf(passage: number): number {
    return this.#hashes.readUInt32LE(4 * passage);
  }

  find(term: Buffer): Postings | undefined {
    const block = this.#blockOf(term);
    if (block < 0) return undefined;
    const read = new ByteReader(this.#dictionary, this.#dictionaryAt[block]);
    const end = this.#dictionaryAt[block + 1] as number;
    let postings = this.#postingsAt[block] as number;
    // The length of the prefix known to match: terms are compared only after it.
    let matched = 0;
    while (read.at < end) {
      const shared = read.number();
      const length = read.number();
      if (shared <= matched) {
        matched = shared;
        while (
          matched < term.length &&
          matched - shared < length &&
          this.#dictionary[read.at + matched - shared] === term[matched]
        )
          matched++;
        if (matched === term.length && matched === shared + length) {
          read.at += length;
          return this.#postingsFrom(postings, read.number());
        }
      }
      read.at += length;
      postings += read.number();
    }
    return undefined;
  }

  /** The last block whose first term is not after this one. */
  #blockOf(term: Buffer): number {
    let low = 0;
    let high = this.#dictionaryAt.length - 2;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const read = new ByteReader(this.#dictionary, this.#dictionaryAt[middle]);
      read.number();
      const length = read.number();
      if (this.#dictionary.compare(term, 0, term.length, read.at, read.at + length) <= 0) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }

  #postingsFrom(at: number, length: number): Postings {
    const read = new ByteReader(this.#postings, at);
    const passages: number[] = [];
    const counts: number[] = [];
    let passage = 0;
    while (read.at < at + length) {
      const value = read.number();
      passage += value >>> 1;
      passages.push(passage);
      counts.push(value & 1 ? read.number() : 1);
    }
    return { passages, counts };
  }
}
