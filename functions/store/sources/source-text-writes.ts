import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import pMap from 'p-map';
import { chunks } from '../../domain/chunks.ts';
import { newUlid } from '../../domain/identifiers.ts';
import { jsonBytes } from '../../domain/json.ts';
import { cutExcerpt, type SourceText } from '../../domain/sources.ts';
import { textPieceCollection, textPieceKey, visitsKey } from '../keys.ts';
import { type Item, TableStore } from '../table.ts';
import {
  type IndexReference,
  indexKeys,
  type Part,
  type PieceItem,
  parts,
  pieceLength,
  type StoredText,
  type TextReference,
  textKeys,
} from './source-texts.ts';

const deflate = promisify(deflateRaw);

/** `visits` are packed by `functions/crawling`. */
export type Texts = Record<Part, SourceText> & {
  index?: SourceIndex;
  visits?: Uint8Array;
  pagesReadAt?: number[];
};
/** An index as `functions/search` packs it. */
export type SourceIndex = { packed: Uint8Array; format: number; language: string };

/** At most 1.6 MB are written within the timeout of a call. */
const piecesPerBatch = 4;
/** Bytes of a piece of an index. */
const indexPieceBytes = 350_000;

/** Writes, copies and deletes the texts of sources. */
export class SourceTextWrites extends TableStore {
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

  async writeVisits(sourceId: string, revision: string, visits: Uint8Array): Promise<void> {
    await this.table.put({ ...visitsKey(sourceId, revision), deflated: visits } as PieceItem);
  }

  async deleteUnusedIndexes(sourceId: string, { revision, unusedIndexes = [] }: TextReference): Promise<void> {
    await this.table.deleteMany(unusedIndexes.flatMap((index) => indexKeys(sourceId, revision, index)));
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
}

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
