import { formatLimit } from '../domain/format-limit.ts';
import { hasIndex, indexFormat, parseLanguageCode } from '../domain/knowledge-index.ts';
import { limits } from '../domain/limits.ts';
import { documentStates, websiteStates } from '../domain/source-state.ts';
import type { SourceKindName, SourceText } from '../domain/sources.ts';
import { runInWorker, WorkerAbortedError } from '../extraction/sandboxed-worker.ts';
import { log } from '../log.ts';
import type { SourceReads, SourceRecord, SourceReference } from '../store/sources/source-reads.ts';
import type { SourceIndex } from '../store/sources/source-text-writes.ts';
import { bytesOfText } from '../store/sources/source-texts.ts';
import type { Sources } from '../store/sources/sources.ts';
import { loadLanguage } from './languages.ts';
import { packIndex } from './pack-index.ts';
import { parsePages } from './pages-of-text.ts';

/** A text that takes too much time or memory to index. The message is a sentence for the owner of the source. */
export class IndexingError extends Error {
  override readonly name = 'IndexingError';
}

/** Indexes a text in a sandboxed worker. A text that takes too much throws an `IndexingError`. */
export const buildIndex = async (
  kind: SourceKindName,
  content: string,
  contentMD: string,
  languageTag: string | undefined,
  indexer: Pick<typeof textIndexer, 'run'> = textIndexer,
): Promise<SourceIndex> => {
  const language = parseLanguageCode(languageTag);
  try {
    return { packed: await indexer.run({ kind, content, contentMD, language }), format: indexFormat, language };
  } catch (error) {
    if (!(error instanceof WorkerAbortedError)) throw error;
    throw new IndexingError(error.reason === 'time' ? tooSlow : tooMuch, { cause: error });
  }
};

const timeoutSeconds = 60;
const tooSlow = `The text was not prepared for the search within ${timeoutSeconds} seconds. Try it again, or split it.`;
const tooMuch = 'The text is too large or too complicated to be searched. Split it into several sources.';

/** Makes the index of a new text, or returns the reason why it cannot be indexed. */
export const indexNewText = async (
  { agentId, id }: SourceReference,
  kind: SourceKindName,
  { content, contentMD }: { content: SourceText; contentMD: SourceText },
  languageTag: string | undefined,
  reads: Pick<SourceReads<SourceRecord>, 'list'>[],
): Promise<SourceIndex | { failure: string }> => {
  let bytes = Buffer.byteLength(content.whole);
  for (const read of reads) {
    for await (const source of read.list(agentId))
      if (source.text && source.id !== id) bytes += bytesOfText(source.text);
  }
  if (bytes > limits.knowledgeBytes) return { failure: tooLarge };
  return buildIndex(kind, content.whole, contentMD.whole, languageTag).catch(indexingFailure);
};

const tooLarge = `The texts of an agent’s websites and documents can have ${formatLimit('knowledgeBytes')} together. Delete some, and try again.`;

/** Returns the failure of a text that cannot be indexed, for `buildIndex(…).catch(indexingFailure)`. Throws other errors. */
export const indexingFailure = (error: unknown): { failure: string } => {
  if (error instanceof IndexingError) return { failure: error.message };
  throw error;
};

export const textIndexer = runInWorker(
  'indexText',
  import.meta.url,
  async ({ kind, content, contentMD, language }: IndexInput): Promise<Uint8Array> =>
    packIndex(parsePages(kind, content), contentMD, await loadLanguage(language)).packed,
  // Ten megabytes of different words take half a minute and 700 MB. No language has as many.
  { timeoutSeconds, cpuSeconds: () => 25, heapMegabytes: 1024, bufferMegabytes: 128 },
);
type IndexInput = { kind: SourceKindName; content: string; contentMD: string; language: string };

type SourcesToIndex = {
  reads: Pick<SourceReads<SourceRecord>, 'list' | 'wholeTexts'>;
  writes: Pick<Sources<SourceRecord>, 'reindex' | 'deleteUnusedIndexes'>;
};

/** Indexes sources not yet indexed for the agent's language, until a time (Unix milliseconds). */
export const indexSources = async (
  agentId: string,
  stores: Record<SourceKindName, SourcesToIndex>,
  agents: { findLanguage(agentId: string): Promise<string | undefined> },
  until = Number.POSITIVE_INFINITY,
): Promise<IndexProgress> => {
  let indexed = 0;
  for (let language = await agents.findLanguage(agentId); ; ) {
    const progress = await indexAgent(language, agentId, stores, until);
    indexed += progress.indexed;
    if (!progress.isDone) return { ...progress, indexed };
    // The language may have changed: this run may then have overwritten another run's index with one for the former language.
    const current = await agents.findLanguage(agentId);
    if (current === language) return { ...progress, indexed };
    language = current;
  }
};

type IndexProgress = { indexed: number; isDone: boolean; hasSourcesInProgress: boolean };

const indexAgent = async (
  language: string | undefined,
  agentId: string,
  stores: Record<SourceKindName, SourcesToIndex>,
  until: number,
): Promise<IndexProgress> => {
  let [indexed, hasSourcesInProgress] = [0, false];
  for (const kind of ['website', 'document'] as const) {
    const { reads, writes } = stores[kind];
    for await (const { id, text, status } of reads.list(agentId)) {
      hasSourcesInProgress ||= status === statesOf[kind].working;
      const isIndexed = text && hasIndex(text, language);
      if (!text || (isIndexed && !text.unusedIndexes)) continue;
      if (Date.now() >= until) return { indexed, isDone: false, hasSourcesInProgress };
      const source = { agentId, id };
      if (isIndexed) {
        await writes.deleteUnusedIndexes(source, text);
        continue;
      }
      const texts = await reads.wholeTexts(id, text);
      // If the text has since been replaced, its successor is indexed already. If it was deleted, it needs no index.
      if (!texts) continue;
      const index = await buildIndex(kind, texts.content, texts.contentMD, language).catch(indexingFailure);
      if ('failure' in index) log('warn', { unindexedSource: id, reason: index.failure });
      else if (await writes.reindex(source, text, index)) indexed++;
    }
  }
  return { indexed, isDone: true, hasSourcesInProgress };
};

const statesOf = { website: websiteStates, document: documentStates };
