import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import pMap from 'p-map';
import { decodeTime } from 'ulid';
import { chunks } from '../../domain/chunks.ts';
import { newUlid } from '../../domain/identifiers.ts';
import { jsonBytes } from '../../domain/json.ts';
import { limits } from '../../domain/limits.ts';
import { cutExcerpt, type Excerpt, type SourceText } from '../../domain/sources.ts';
import { service } from '../../service.ts';
import { textPieceCollection, textPieceKey, visitsKey } from '../keys.ts';
import { type Item, TableStore, table } from '../table.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** The texts of a source: plain, and as Markdown. */
const parts = ['content', 'contentMD'] as const;
type Part = (typeof parts)[number];

/** `visits` are packed by `functions/crawling`. */
export type Texts = Record<Part, SourceText> & {
  index?: SourceIndex;
  visits?: Uint8Array;
  pagesReadAt?: number[];
};
/** An index as `functions/search` packs it. */
export type SourceIndex = { packed: Uint8Array; format: number; language: string };

/** Refers to a source's texts. A record names the only revision that is read. */
export type TextReference = {
  revision: string;
  index?: IndexReference;
  /** Other indexes whose pieces may be stored: being written, or to be deleted. */
  unusedIndexes?: IndexReference[];
  /** When the pages were first read (Unix milliseconds), if not together. */
  pagesReadAt?: number[];
} & Record<Part, StoredText>;
/** Refers to an index, which never changes: a new index has another `id`. */
export type IndexReference = { id: string; pieces: number; bytes: number; format: number; language: string };
/** Pieces, and the bytes of an excerpt in a list. */
type StoredText = { pieces: number; listedBytes: number; excerpt?: Excerpt };

/** The part of a source's texts that a list shows. */
export type ListedTexts = { content: string; contentMD: string; truncated?: true };

type PieceItem = Item & { deflated: Uint8Array };

/** UTF-16 units of a piece, which fits into an item even undeflated. */
const pieceLength = 131_072;
/** At most 1.6 MB are written within the timeout of a call. */
const piecesPerBatch = 4;
/** Bytes of a piece of an index. */
const indexPieceBytes = 350_000;

/**
 * The texts of sources. A revision never changes, and precedes its record. A reader that misses a piece reads again.
 */
export class SourceTexts extends TableStore {
  async write(sourceId: string, revision: string, texts: Texts): Promise<TextReference> {
    // A plain text is its own Markdown.
    const deflated = new Map<string, Promise<Uint8Array>>();
    const deflateOnce = (piece: string) => {
      const known = deflated.get(piece) ?? deflate(piece);
      deflated.set(piece, known);
      return known;
    };
    const [content, contentMD, index] = await Promise.all([
      this.#writePart(sourceId, revision, 'content', texts.content, deflateOnce),
      this.#writePart(sourceId, revision, 'contentMD', texts.contentMD, deflateOnce),
      texts.index && this.#writeIndex(sourceId, revision, texts.index),
      texts.visits && this.writeVisits(sourceId, revision, texts.visits),
    ]);
    return { revision, content, contentMD, index, pagesReadAt: texts.pagesReadAt };
  }

  async #writePart(
    sourceId: string,
    revision: string,
    part: Part,
    text: SourceText,
    deflate: (piece: string) => Promise<Uint8Array>,
  ): Promise<StoredText> {
    const pieces = splitText(text.whole);
    for (let start = 0; start < pieces.length; start += piecesPerBatch) {
      const items = await pMap(pieces.slice(start, start + piecesPerBatch), async (piece, index) => ({
        ...textPieceKey(sourceId, revision, part, start + index),
        deflated: await deflate(piece),
      }));
      await this.table.putMany(items);
    }
    return { pieces: pieces.length, listedBytes: jsonBytes(cutExcerpt(text)), excerpt: text.excerpt };
  }

  async #writeIndex(sourceId: string, revision: string, index: SourceIndex): Promise<IndexReference> {
    const { reference, batches } = splitIndex(sourceId, revision, index);
    for (const items of batches) await this.table.putMany(items);
    return reference;
  }

  async readVisits(sourceId: string, revision: string): Promise<Uint8Array | undefined> {
    return (await this.table.get<PieceItem>(visitsKey(sourceId, revision)))?.deflated;
  }

  async writeVisits(sourceId: string, revision: string, visits: Uint8Array): Promise<void> {
    await this.table.put({ ...visitsKey(sourceId, revision), deflated: visits } as PieceItem);
  }

  async deleteUnusedIndexes(sourceId: string, { revision, unusedIndexes = [] }: TextReference): Promise<void> {
    await this.table.deleteMany(unusedIndexes.flatMap((index) => indexKeys(sourceId, revision, index)));
  }

  /** Reads deflated indexes and texts of sources, without those that changed meanwhile. */
  async readForSearch(
    wanted: { id: string; text: TextReference; withIndex: boolean; withContent: boolean }[],
  ): Promise<Map<string, { index: Uint8Array; content: Uint8Array[] }>> {
    const all = wanted.map(({ id, text, withIndex, withContent }) => ({
      id,
      index: withIndex && text.index ? indexKeys(id, text.revision, text.index) : [],
      content: withContent ? textKeys(id, text, 'content', 0, text.content.pieces) : [],
    }));
    const keys = all.flatMap(({ index, content }) => [...index, ...content]);
    const items = (
      await Promise.all(chunks(keys, piecesPerSearchRead).map((some) => this.table.getMany<PieceItem>(some)))
    ).flat();
    const read = new Map(items.map(({ pk, sk, deflated }) => [pk + sk, deflated]));
    const found = new Map<string, { index: Uint8Array; content: Uint8Array[] }>();
    for (const { id, index, content } of all) {
      const [indexPieces, contentPieces] = [index, content].map((keys) =>
        keys.flatMap(({ pk, sk }) => read.get(pk + sk) ?? []),
      ) as [Uint8Array[], Uint8Array[]];
      if (indexPieces.length < index.length || contentPieces.length < content.length) continue;
      found.set(id, { index: Buffer.concat(indexPieces), content: contentPieces });
    }
    return found;
  }

  /** Returns the start of each source, without those deleted meanwhile. */
  async listed(sources: { id: string; text: TextReference }[]): Promise<Map<string, ListedTexts>> {
    const wanted = sources.flatMap(({ id, text }) =>
      parts.flatMap((part) => textKeys(id, text, part, 0, piecesListed(text[part]))),
    );
    const read = await this.#read(wanted);
    const found = new Map<string, ListedTexts>();
    for (const { id, text } of sources) {
      const shown = parts.map((part) => {
        const { excerpt } = text[part];
        const whole = joinPieces(textKeys(id, text, part, 0, piecesListed(text[part])), read);
        return whole === undefined || !excerpt ? whole : cutExcerpt({ whole, excerpt });
      });
      const [content, contentMD] = shown;
      if (content === undefined || contentMD === undefined) continue;
      const truncated = parts.some((part) => text[part].excerpt);
      found.set(id, { content, contentMD, ...(truncated && { truncated }) });
    }
    return found;
  }

  /** Returns what fits of both texts from a piece on, and the next piece; undefined for a deleted revision. */
  async read(
    sourceId: string,
    text: TextReference,
    from = 0,
  ): Promise<{ content: string; contentMD: string; next?: number } | undefined> {
    const all = parts.flatMap((part) =>
      textKeys(sourceId, text, part, 0, text[part].pieces).map((key) => ({ part, key })),
    );
    const answer = { content: '', contentMD: '' };
    let bytes = 0;
    for (let next = from; next < all.length; next += piecesPerRead) {
      const some = all.slice(next, next + piecesPerRead);
      const read = await this.#read(some.map(({ key }) => key));
      for (const [index, { part, key }] of some.entries()) {
        const piece = read.get(key.sk);
        if (piece === undefined) return undefined;
        bytes += jsonBytes(piece);
        if (bytes > limits.answerBytes && next + index > from) return { ...answer, next: next + index };
        answer[part] += piece;
      }
    }
    return answer;
  }

  /** Copies a revision to another source, repeatably. False: the revision was deleted. */
  async copy(from: string, text: TextReference, to: string): Promise<boolean> {
    const keys = parts.flatMap((part) => textKeys(from, text, part, 0, text[part].pieces));
    if (text.index) keys.push(...indexKeys(from, text.revision, text.index));
    for (const some of chunks(keys, piecesPerBatch)) {
      const items = await this.table.getMany<PieceItem>(some);
      if (items.length < some.length) return false;
      await this.table.putMany(items.map((item) => ({ ...item, pk: textPieceCollection(to).pk })));
    }
    return true;
  }

  /** Deletes the texts of a source: one revision, or all. */
  async deleteTexts(sourceId: string, revision?: string): Promise<void> {
    await this.table.deleteAll(textPieceCollection(sourceId, revision));
  }

  async #read(keys: Item[]): Promise<Map<string, string>> {
    const items = await this.table.getMany<PieceItem>(keys);
    const texts = await pMap(items, async ({ sk, deflated }) => [sk, (await inflate(deflated)).toString()] as const);
    return new Map(texts);
  }
}

const piecesPerRead = 16;
/** Reads return 16 MB; a piece has at most 400 KB. */
const piecesPerSearchRead = 40;

const textKeys = (sourceId: string, { revision }: TextReference, part: Part, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => textPieceKey(sourceId, revision, part, from + index));

const indexKeys = (id: string, revision: string, { id: indexId, pieces }: IndexReference) =>
  Array.from({ length: pieces }, (_, piece) => textPieceKey(id, revision, `index-${indexId}`, piece));

/** Returns the items of an index in batches of one call each. */
export const splitIndex = (
  sourceId: string,
  revision: string,
  { packed, format, language }: SourceIndex,
): { reference: IndexReference; batches: Item[][] } => {
  const pieces = Math.ceil(packed.length / indexPieceBytes);
  const reference = { id: newUlid(), pieces, bytes: packed.length, format, language };
  const items = indexKeys(sourceId, revision, reference).map((key, piece) => ({
    ...key,
    deflated: packed.subarray(piece * indexPieceBytes, (piece + 1) * indexPieceBytes),
  }));
  return { reference, batches: chunks(items, piecesPerBatch) };
};

/** Returns when a page was first read (Unix milliseconds), by its revision's id if nothing else says. */
export const timeOfReading = ({ revision, pagesReadAt }: TextReference, page: number): number =>
  pagesReadAt?.[page] ?? decodeTime(revision);

/** Returns roughly how many bytes a source's text has. */
export const bytesOfText = ({ content: { pieces, listedBytes, excerpt } }: TextReference) =>
  excerpt ? pieces * pieceLength : listedBytes;

/** Returns the pieces that hold an excerpt. One may be a unit short. */
const piecesListed = ({ pieces, excerpt }: StoredText) =>
  excerpt ? Math.min(pieces, Math.ceil(excerpt.length / (pieceLength - 1))) : pieces;

const joinPieces = (keys: Item[], read: Map<string, string>): string | undefined => {
  const texts = keys.map(({ sk }) => read.get(sk));
  return texts.includes(undefined) ? undefined : texts.join('');
};

/** Splits a text into pieces that do not end within a character. */
const splitText = (whole: string): string[] => {
  const pieces: string[] = [];
  for (let start = 0; start < whole.length; ) {
    let end = Math.min(start + pieceLength, whole.length);
    if (end < whole.length && /[\ud800-\udbff]/.test(whole[end - 1] as string)) end -= 1;
    pieces.push(whole.slice(start, end));
    start = end;
  }
  return pieces;
};

export const sourceTexts = /* @__PURE__ */ service(() => new SourceTexts(table.get()), {
  readForSearch: ['dynamodb:BatchGetItem'],
});
