import { record, table } from '../../command-line/output.ts';
import type { Source, SourceSummary } from './sources.ts';

export const withoutText = ({ content: _content, contentMD: _contentMD, ...rest }: SourceSummary) => rest;

export const stateOf = ({ active }: SourceSummary) => (active ? 'enabled' : 'disabled');

/** Returns what is missing in the text of a source; undefined when nothing is known to be missing. */
export const missingIn = ({ warnings }: SourceSummary) => warnings?.map(({ message }) => message).join(' ');

export const describeSource = (source: Source) => {
  if (source.kind === 'document') {
    const { id, name, type, size, status, error, lastUpdatedAt } = source.record;
    const missing = missingIn(source.record);
    const state = stateOf(source.record);
    return record({
      document: id,
      name,
      type,
      bytes: size.toLocaleString('en'),
      status,
      error,
      missing,
      state,
      updated: lastUpdatedAt,
    });
  }
  const { id, name, url, status, error, pages, failedPages, lastCrawledAt } = source.record;
  const state = stateOf(source.record);
  const missing = missingIn(source.record);
  const head = record({ website: id, name, url, status, error, missing, state, pages, crawled: lastCrawledAt });
  if (failedPages.length === 0) return head;
  return `${head}\n\n${table(failedPages, { 'FAILED PAGE': 'url', REASON: 'reason' })}`;
};
