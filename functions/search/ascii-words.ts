/** A slot holds the hash of its word, where its letters begin, how many there are (none in a free slot), and the word's number. */
const slotSize = 4;

/**
 * A cache of one number for each word of ASCII letters. A word is looked up by its position in a text, without making a string of
 * it, in arrays of numbers: strings and objects that lie apart in memory take longer to read than all the rest.
 */
export class AsciiWords {
  readonly #max: number;
  #slots = new Int32Array(slotSize * 4096);
  #letters = new Uint8Array(32_768);
  #lettersEnd = 0;
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** The number of a word, or -1. Words that differ in case alone are the same. `hash` is that of the word's letters, by `hashWith`. */
  find(text: string, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = (hash * slotSize) & mask; slots[slot + 2] !== 0; slot = (slot + slotSize) & mask) {
      if (slots[slot] === hash && this.#isIn(slot, text, start, end)) return slots[slot + 3] as number;
    }
    return -1;
  }

  /** Adds a word that is not in the cache, unless it is full. Its number is not negative. */
  add(text: string, start: number, end: number, hash: number, number: number): void {
    if (this.#size >= this.#max) return;
    this.#size += 1;
    if (2 * slotSize * this.#size > this.#slots.length) this.#grow();
    this.#put([hash, this.#lettersEnd, end - start, number]);
    if (this.#lettersEnd + end - start > this.#letters.length) {
      const letters = this.#letters;
      this.#letters = new Uint8Array(2 * letters.length);
      this.#letters.set(letters);
    }
    for (let at = start; at < end; at++) this.#letters[this.#lettersEnd++] = text.charCodeAt(at) | 32;
  }

  #isIn(slot: number, text: string, start: number, end: number): boolean {
    if (this.#slots[slot + 2] !== end - start) return false;
    const letters = this.#letters;
    let own = this.#slots[slot + 1] as number;
    for (let at = start; at < end; at++) if ((text.charCodeAt(at) | 32) !== letters[own++]) return false;
    return true;
  }

  #put(word: ArrayLike<number>): void {
    const mask = this.#slots.length - 1;
    let slot = ((word[0] as number) * slotSize) & mask;
    while (this.#slots[slot + 2] !== 0) slot = (slot + slotSize) & mask;
    this.#slots.set(word, slot);
  }

  #grow(): void {
    const slots = this.#slots;
    this.#slots = new Int32Array(2 * slots.length);
    for (let slot = 0; slot < slots.length; slot += slotSize) {
      if (slots[slot + 2] !== 0) this.#put(slots.subarray(slot, slot + slotSize));
    }
  }
}

/** The hash of a word without its first letter is 0; each letter is added with its code in lower case. */
export const hashWith = (hash: number, lower: number) => {
  const mixed = Math.imul(hash ^ lower, 0x01000193);
  return mixed ^ (mixed >>> 15);
};
