import type { SourceWarning } from '../domain/sources.ts';

/** The text of a document, the same as Markdown, and what is missing in both. */
export type LongDocument = { content: LongText; contentMD: LongText; warnings: SourceWarning[] };

/** A file can name its elements as long as it likes. */
const maxWordsCharacters = 60;

/** Returns a sentence about elements that are not read, from their words and numbers. */
export const describeIgnored = (ignored: Map<string, number>) => {
  const list = [...ignored].slice(0, 10).map(([words, count]) => `${words.slice(0, maxWordsCharacters)} (${count})`);
  return `The document has elements that are not read: ${list.join(', ')}.`;
};

/** A text that is kept outside the heap: the text of a long document can be larger than a worker's heap. */
export class LongText {
  readonly #parts: Uint8Array[] = [];
  #pending: string[] = [];
  #pendingLength = 0;
  #isEmpty = true;

  /** Adds a paragraph after a blank line. An empty one is ignored. */
  add(paragraph: string): void {
    if (!paragraph) return;
    if (!this.#isEmpty) this.#pending.push('\n\n');
    this.#isEmpty = false;
    this.#pending.push(paragraph);
    this.#pendingLength += paragraph.length;
    if (this.#pendingLength > 256 * 1024) this.#flush();
  }

  /** The text as UTF-8, in parts that do not end within a character. */
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

/** Decodes parts into one text. Each part is removed once it is decoded, to free its memory. */
export const joinParts = (parts: Uint8Array[]): string => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const texts: string[] = [];
  for (let part = parts.shift(); part; part = parts.shift()) texts.push(decoder.decode(part));
  return texts.join('');
};
