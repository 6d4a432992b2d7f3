/** A cache for words of ASCII letters. A word is looked up by its position in a text, without making a string of it. */
export class AsciiWords<Known> {
  readonly #max: number;
  #words: (string | undefined)[] = new Array(4096);
  #known: (Known | undefined)[] = new Array(4096);
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Words that differ in case alone are the same. `hash` is that of the word's letters, by `hashWith`. */
  find(text: string, start: number, end: number, hash: number): Known | undefined {
    const mask = this.#words.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const word = this.#words[slot];
      if (word === undefined) return undefined;
      if (isAt(text, start, end, word)) return this.#known[slot];
    }
  }

  /** Adds a word in lower case that is not in the cache, unless it is full. */
  add(word: string, hash: number, known: Known): void {
    if (this.#size >= this.#max) return;
    if (this.#size * 2 >= this.#words.length) this.#grow();
    this.#put(word, hash, known);
    this.#size += 1;
  }

  #put(word: string, hash: number, known: Known): void {
    const mask = this.#words.length - 1;
    let slot = hash & mask;
    while (this.#words[slot] !== undefined) slot = (slot + 1) & mask;
    this.#words[slot] = word;
    this.#known[slot] = known;
  }

  #grow(): void {
    const [words, known] = [this.#words, this.#known];
    this.#words = new Array(2 * words.length);
    this.#known = new Array(2 * words.length);
    for (const [slot, word] of words.entries()) {
      if (word !== undefined) this.#put(word, hashOf(word), known[slot] as Known);
    }
  }
}

/** The hash of a word without its first letter is 0; each letter is added with its code in lower case. */
export const hashWith = (hash: number, lower: number) => {
  const mixed = Math.imul(hash ^ lower, 0x01000193);
  return mixed ^ (mixed >>> 15);
};

const hashOf = (word: string) => {
  let hash = 0;
  for (let index = 0; index < word.length; index++) hash = hashWith(hash, word.charCodeAt(index));
  return hash;
};

const isAt = (text: string, start: number, end: number, word: string): boolean => {
  if (word.length !== end - start) return false;
  for (let index = 0; index < word.length; index++) {
    if ((text.charCodeAt(start + index) | 32) !== word.charCodeAt(index)) return false;
  }
  return true;
};
