import { inflateRawSync } from 'node:zlib';
import { indexFormat } from '../domain/knowledge-index.ts';
import { ByteReader } from './bytes.ts';

/** The place of a passage: its page, its first UTF-16 unit there, and their number. */
export type Place = { page: number; start: number; units: number };

/** The passages that have a term, and its number of occurrences in each. */
export type Postings = { passages: number[]; counts: number[] };

/** An index made by `packIndex`, unpacked as far as a search needs it. */
export class PackedIndex {
  readonly language: string;
  readonly pages: { title: string; url: string }[];
  readonly passages: number;
  /** The number of words of each passage, without function words. */
  readonly words: Uint32Array;
  readonly totalWords: number;
  /** The approximate size in memory. */
  readonly bytes: number;
  readonly #pageOf: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #units: Uint32Array;
  readonly #hashes: Buffer;
  /** The beginning of each block, and the end of the last one. */
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
    for (let block = 0; block < blocks; block++) {
      this.#dictionaryAt[block + 1] = (this.#dictionaryAt[block] as number) + read.number();
      this.#postingsAt[block + 1] = (this.#postingsAt[block] as number) + read.number();
    }
    this.#dictionary = read.take(this.#dictionaryAt[blocks] as number);
    this.#postings = read.take(this.#postingsAt[blocks] as number);
    this.bytes = bytes.length + 16 * count + 8 * blocks;
  }

  locatePassage(passage: number): Place {
    return {
      page: this.#pageOf[passage] as number,
      start: this.#starts[passage] as number,
      units: this.#units[passage] as number,
    };
  }

  /** Returns a hash that duplicate passages share. */
  getHash(passage: number): number {
    return this.#hashes.readUInt32LE(4 * passage);
  }

  find(text: string): Postings | undefined {
    const block = this.#findBlock(text);
    if (block < 0) return undefined;
    const term = Buffer.from(text);
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
          return this.#readPostings(postings, read.number());
        }
      }
      read.at += length;
      postings += read.number();
    }
    return undefined;
  }

  /** Returns the last block whose first term is not after this one; -1 if there is none. */
  #findBlock(term: string): number {
    let low = 0;
    let high = this.#dictionaryAt.length - 2;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const read = new ByteReader(this.#dictionary, this.#dictionaryAt[middle]);
      // The first term of a block shares nothing with one before it.
      read.number();
      if (read.text() <= term) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }

  #readPostings(at: number, length: number): Postings {
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
