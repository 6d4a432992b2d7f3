import { inflateRawSync } from 'node:zlib';
import { isIndexed } from '../domain/knowledge-index.ts';
import type { SourceKindName } from '../domain/sources.ts';
import type { DocumentRecord } from '../store/sources/documents.ts';
import type { SourceChanges } from '../store/sources/source-changes.ts';
import type { SourceReads, SourceRecord } from '../store/sources/source-reads.ts';
import { bytesOfText, type SourceTexts, type TextReference, timeOfReading } from '../store/sources/source-texts.ts';
import type { WebsiteRecord } from '../store/sources/website-reads.ts';
import { LruCache } from './lru-cache.ts';
import { PackedIndex } from './packed-index.ts';
import { parsePages } from './pages-of-text.ts';
import { rank } from './rank.ts';

/** A piece of a source's text that matches a query. */
type FoundPassage = {
  text: string;
  score: number;
  kind: SourceKindName;
  sourceId: string;
  name: string;
  url?: string;
  title?: string;
  start: number;
  readAt: string;
};

export type FoundPassages = {
  passages: FoundPassage[];
  searched: { sources: number; passages: number; unindexed?: number; omitted?: number };
};

type Source = { kind: SourceKindName; id: string; name: string; text: TextReference };

/** A source in memory: its index, and its text, which is inflated when it is first needed. Both are immutable. */
type Loaded = { index: PackedIndex; content?: Uint8Array[]; pages?: string[] };
/** An agent's sources, and their number of changes when they were read. */
type Listed = { changes: number; sources: Source[] };

/** Bytes of indexes and texts that a process keeps between requests. */
const keptBytes = 96 * 1024 * 1024;
/** Sources that a process keeps between requests, of all agents: about a kilobyte each. */
const keptSources = 20_000;
/** Bytes of texts that are read with their indexes. Above them, only the texts of hits are read. */
const bytesReadAhead = 24 * 1024 * 1024;
/** The maximum bytes of packed indexes in a search. In memory they take five times as much, and a function has half a gigabyte. */
const maxIndexBytes = 32 * 1024 * 1024;
/** The maximum number of attempts when sources are replaced during a search. */
const attempts = 5;

/** Searches an agent's knowledge by words. */
export class KnowledgeSearch {
  readonly #websites: Pick<SourceReads<WebsiteRecord>, 'list'>;
  readonly #documents: Pick<SourceReads<DocumentRecord>, 'list'>;
  readonly #texts: Pick<SourceTexts, 'readForSearch'>;
  readonly #changes: Pick<SourceChanges, 'of'>;
  readonly #maxIndexBytes: number;
  readonly #loaded = new LruCache<Loaded>(keptBytes);
  /** The listed sources by agent. */
  readonly #listed = new LruCache<Listed>(keptSources);

  constructor(
    websites: Pick<SourceReads<WebsiteRecord>, 'list'>,
    documents: Pick<SourceReads<DocumentRecord>, 'list'>,
    texts: Pick<SourceTexts, 'readForSearch'>,
    changes: Pick<SourceChanges, 'of'>,
    searchedIndexBytes = maxIndexBytes,
  ) {
    this.#maxIndexBytes = searchedIndexBytes;
    this.#websites = websites;
    this.#documents = documents;
    this.#texts = texts;
    this.#changes = changes;
  }

  /** Searches an agent's sources. `changes` is their number of changes, if the request has read it together with its key. */
  async search(
    agentId: string,
    query: string,
    { limit, sourceIds, changes }: { limit: number; sourceIds?: string[]; changes?: number },
  ): Promise<FoundPassages> {
    const chosen = sourceIds && new Set(sourceIds);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const known = attempt === 0 ? changes : undefined;
      const all = await this.#listSources(agentId, known ?? (await this.#changes.of(agentId)));
      const sources = chosen ? all.filter(({ id }) => chosen.has(id)) : all;
      const indexed = sources.filter(({ text }) => isIndexed(text));
      const searched = this.#fitting(indexed);
      const passages = await this.#findPassages(searched, query, limit);
      if (!passages) {
        this.#listed.delete(agentId);
        continue;
      }
      const unindexed = sources.length - indexed.length;
      const omitted = indexed.length - searched.length;
      return {
        ...passages,
        searched: { ...passages.searched, ...(unindexed > 0 && { unindexed }), ...(omitted > 0 && { omitted }) },
      };
    }
    throw new Error('The sources kept changing while they were searched.');
  }

  /** Returns the sources that are active and have a text. They are read unless those in memory have not changed since. */
  async #listSources(agentId: string, changes: number): Promise<Source[]> {
    const kept = this.#listed.get(agentId);
    const sources = kept?.changes === changes ? kept.sources : await this.#readSources(agentId);
    this.#listed.set(agentId, { changes, sources }, sources.length + 1);
    this.#listed.evict();
    return sources;
  }

  async #readSources(agentId: string): Promise<Source[]> {
    const listed = async (kind: SourceKindName, records: AsyncGenerator<SourceRecord>) => {
      const sources: Source[] = [];
      for await (const { id, name, active, text } of records)
        if (active && text) sources.push({ kind, id, name, text });
      return sources;
    };
    const lists = [listed('website', this.#websites.list(agentId)), listed('document', this.#documents.list(agentId))];
    return (await Promise.all(lists)).flat();
  }

  /** Returns the first sources, as many as one search can hold. */
  #fitting(sources: Source[]): Source[] {
    let bytes = 0;
    return sources.filter(({ text }) => {
      bytes += text.index?.bytes ?? 0;
      return bytes <= this.#maxIndexBytes;
    });
  }

  /** Returns undefined when a source has since been replaced or deleted. */
  async #findPassages(sources: Source[], query: string, limit: number): Promise<FoundPassages | undefined> {
    const loaded = await this.#load(sources, 'ahead');
    if (!loaded) return undefined;
    const indexes = loaded.map(({ index }) => index);
    const hits = await rank(query, indexes, limit);
    const given = [...new Set(hits.map(({ index }) => index))];
    const texts = await this.#load(
      given.map((position) => sources[position] as Source),
      'now',
    );
    if (!texts) return undefined;
    const textOf = new Map(given.map((position, at) => [position, texts[at] as Loaded]));
    this.#loaded.evict();
    return {
      passages: hits.map(({ index: position, passage, score }) => {
        const { kind, id: sourceId, name, text } = sources[position] as Source;
        const { index } = loaded[position] as Loaded;
        const { page, start, units } = index.locatePassage(passage);
        const { url, title } = index.pages[page] ?? {};
        const pages = pagesOfLoaded(kind, textOf.get(position) as Loaded);
        return {
          text: (pages[page] as string).slice(start, start + units),
          score: Number(score.toFixed(4)),
          kind,
          sourceId,
          name,
          url: url || undefined,
          title: title || undefined,
          start,
          readAt: new Date(timeOfReading(text, page)).toISOString(),
        };
      }),
      searched: { sources: sources.length, passages: indexes.reduce((sum, { passages }) => sum + passages, 0) },
    };
  }

  /** Loads sources in one round trip. Undefined when a source was replaced or deleted since. */
  async #load(sources: Source[], texts: 'now' | 'ahead'): Promise<Loaded[] | undefined> {
    const kept = sources.map((source) => this.#loaded.get(loadedKey(source)));
    const wanted = sources.map(({ id, text }, at) => ({
      id,
      text,
      withIndex: !kept[at],
      withContent: !kept[at]?.content && !kept[at]?.pages,
    }));
    const bytes = wanted.reduce((sum, { text, withContent }) => sum + (withContent ? bytesOfText(text) : 0), 0);
    const withTexts = texts === 'now' || bytes <= bytesReadAhead;
    const missing = wanted
      .map((one) => ({ ...one, withContent: one.withContent && withTexts }))
      .filter(({ withIndex, withContent }) => withIndex || withContent);
    const read = missing.length > 0 ? await this.#texts.readForSearch(missing) : new Map();
    if (read.size < missing.length) return undefined;
    return sources.map((source, at) => {
      const former = kept[at];
      const found = read.get(source.id);
      const index = former?.index ?? new PackedIndex(found?.index as Uint8Array);
      const content = former?.content ?? (found && found.content.length > 0 ? found.content : undefined);
      const loaded: Loaded = former ?? { index };
      if (content && !loaded.pages) loaded.content = content;
      this.#loaded.set(loadedKey(source), loaded, loadedBytes(loaded));
      return loaded;
    });
  }
}

const loadedKey = ({ id, text }: Source) => `${id}#${text.revision}#${text.index?.id}`;

const loadedBytes = ({ index, content = [], pages = [] }: Loaded) =>
  index.bytes +
  content.reduce((sum, { length }) => sum + length, 0) +
  pages.reduce((sum, { length }) => sum + 2 * length, 0);

/** Returns the text of each page, inflated when it is first needed. */
const pagesOfLoaded = (kind: SourceKindName, loaded: Loaded): string[] => {
  loaded.pages ??= parsePages(
    kind,
    (loaded.content ?? []).map((piece) => inflateRawSync(piece).toString()).join(''),
  ).map(({ text }) => text);
  delete loaded.content;
  return loaded.pages;
};
