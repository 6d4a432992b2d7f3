import { websiteStates } from '../../domain/source-state.ts';
import type { WebsiteSummary } from '../../domain/websites.ts';
import { service } from '../../service.ts';
import { websiteCollection, websiteKey } from '../keys.ts';
import { table } from '../table.ts';
import type { RefreshedWebsite } from './refresh-entries.ts';
import { type SourceKind, SourceReads, type SourceRecord, sourceReadPermissions } from './source-reads.ts';

export type WebsiteRecord = SourceRecord &
  WebsiteSummary &
  RefreshedWebsite & {
    /** The number of crawls in a row that have failed. */
    failedCrawls?: number;
  };

export const websiteKind: SourceKind = {
  states: websiteStates,
  formKey: websiteKey,
  of: websiteCollection,
  blank: { content: '[]', contentMD: '' },
  addedBytes: 0,
};

/** Reads the websites of agents. */
export const websiteReads = /* @__PURE__ */ service(
  () => new SourceReads<WebsiteRecord>(table.get(), websiteKind),
  sourceReadPermissions,
);
