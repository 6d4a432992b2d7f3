import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import pMap from 'p-map';
import { decodeTime } from 'ulid';
import { chunks } from '../../domain/chunks.ts';
import { jsonBytes } from '../../domain/json.ts';
import { limits } from '../../domain/limits.ts';
import { cutExcerpt, type Excerpt } from '../../domain/sources.ts';
import { service } from '../../service.ts';
import { textPieceKey, visitsKey } from '../keys.ts';
import { type Item, TableStore, table } from '../table.ts';

const inflate = promisify(inflateRaw);

/** The texts of a source: plain, and as Markdown. */
export const parts = ['content', 'contentMD'] as const;
export type Part = (typeof parts)[number];

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
export type StoredText = { pieces: number; listedBytes: number; excerpt?: Excerpt };

/** The part of a source's texts that a list shows. */
export type ListedTexts = { content: string; contentMD: string; truncated?: true };

export type PieceItem = Item & { deflated: Uint8Array };

/** UTF-16 units of a piece, which fits into an item even undeflated. */
export const pieceLength = 131_072;

/** Reads the texts of sources. A revision never changes, and precedes its record. A reader that misses a piece reads again. */
export class SourceTexts extends TableStore {
  async readVisits(sourceId: string, revision: string): Promise<Uint8Array | undefined> {
    return (await this.table.get<PieceItem>(visitsKey(sourceId, revision)))?.deflated;
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

  async #read(keys: Item[]): Promise<Map<string, string>> {
    const items = await this.table.getMany<PieceItem>(keys);
    const texts = await pMap(items, async ({ sk, deflated }) => [sk, (await inflate(deflated)).toString()] as const);
    return new Map(texts);
  }
}

const piecesPerRead = 16;
/** Reads return 16 MB; a piece has at most 400 KB. */
const piecesPerSearchRead = 40;

export const textKeys = (sourceId: string, { revision }: TextReference, part: Part, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => textPieceKey(sourceId, revision, part, from + index));

export const indexKeys = (id: string, revision: string, { id: indexId, pieces }: IndexReference) =>
  Array.from({ length: pieces }, (_, piece) => textPieceKey(id, revision, `index-${indexId}`, piece));

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

export const sourceTexts = /* @__PURE__ */ service(() => new SourceTexts(table.get()), {
  readForSearch: ['dynamodb:BatchGetItem'],
});
