/** Text that grows out of the heap's way: a long document's text may be larger than a confined heap. */
export class LongText {
  readonly #parts: Uint8Array[] = [];
  #pending: string[] = [];
  #pendingLength = 0;
  #isEmpty = true;

  /** Adds a paragraph, with a blank line before it. An empty one is none. */
  add(paragraph: string): void {
    if (!paragraph) return;
    if (!this.#isEmpty) this.#pending.push('\n\n');
    this.#isEmpty = false;
    this.#pending.push(paragraph);
    this.#pendingLength += paragraph.length;
    if (this.#pendingLength > 256 * 1024) this.#flush();
  }

  /** The text as UTF-8, in parts. */
  get parts(): Uint8Array[] {
    this.#flush();
    return this.#parts;
  }

  #flush(): void {
    if (this.#pending.length > 0) this.#parts.push(new TextEncoder().encode(this.#pending.join('')));
    this.#pending = [];
    this.#pendingLength = 0;
  }
}

/** The text that parts hold, none of which ends within a character; each is let go as it is read. */
export const joined = (parts: Uint8Array[]): string => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const texts: string[] = [];
  for (let part = parts.shift(); part; part = parts.shift()) texts.push(decoder.decode(part));
  return texts.join('');
};
