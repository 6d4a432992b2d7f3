import type { SourceKindName } from '../domain/sources.ts';
import type { SourceReads, SourceRecord } from '../store/source-reads.ts';
import type { SourceIndex, TextReference } from '../store/source-texts.ts';
import type { Sources } from '../store/sources.ts';
import { languageCodeOf, languageOf } from './languages.ts';
import { type IndexedPage, indexFormat, packIndex } from './packed-index.ts';

/** The pages of a source's text as it is stored: JSON text of a website, and a document as one page. */
export const pagesOf = (kind: SourceKindName, content: string): IndexedPage[] =>
  kind === 'website' ? JSON.parse(content) : [{ text: content }];

/** Makes the index of a source's text, for the language of its agent. */
export const indexOf = async (
  kind: SourceKindName,
  content: string,
  contentMD: string,
  languageTag: string | undefined,
): Promise<SourceIndex> => {
  const language = await languageOf(languageCodeOf(languageTag));
  const { packed } = packIndex(pagesOf(kind, content), contentMD, language);
  return { packed, format: indexFormat, language: language.code };
};

/** Whether a text can be searched. A text that an earlier version stored may have to be indexed first. */
export const isIndexed = (text: TextReference) => text.index?.format === indexFormat;

type SourcesToIndex = {
  reads: Pick<SourceReads<SourceRecord>, 'list' | 'wholeTexts'>;
  writes: Pick<Sources<SourceRecord>, 'reindex'>;
};

/**
 * Indexes those of an agent's sources that are not indexed for a language yet, until a time (Unix milliseconds). Returns how
 * many it indexed, and whether none is left.
 */
export const indexSources = async (
  agentId: string,
  stores: Record<SourceKindName, SourcesToIndex>,
  languageTag: string | undefined,
  until = Number.POSITIVE_INFINITY,
): Promise<{ indexed: number; isDone: boolean }> => {
  const language = languageCodeOf(languageTag);
  let indexed = 0;
  for (const kind of ['website', 'document'] as const) {
    const { reads, writes } = stores[kind];
    for await (const { id, text } of reads.list(agentId)) {
      if (!text || (isIndexed(text) && text.index?.language === language)) continue;
      if (Date.now() >= until) return { indexed, isDone: false };
      const texts = await reads.wholeTexts(id, text);
      // A text that was replaced or deleted meanwhile was indexed with its successor, or needs no index.
      if (!texts) continue;
      const index = await indexOf(kind, texts.content, texts.contentMD, languageTag);
      if (await writes.reindex({ agentId, id }, text, index)) indexed++;
    }
  }
  return { indexed, isDone: true };
};
