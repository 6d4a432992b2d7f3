import type { WebsiteSummary } from '../domain/websites.ts';
import { service } from '../service.ts';
import { websiteKey, websitesOf } from './keys.ts';
import { type SourceKind, type SourceRecord, Sources, sourcePermissions } from './sources.ts';
import { type Table, table } from './table.ts';

export type WebsiteRecord = SourceRecord & WebsiteSummary;

const kind: SourceKind = {
  keyOf: websiteKey,
  of: websitesOf,
  working: 'crawling',
  overdue: 'The crawl did not end in time. Refresh the website to try again.',
  blank: { content: '[]', contentMD: '' },
};

/** The websites of agents. */
export class Websites extends Sources<WebsiteRecord> {
  constructor(table: Table) {
    super(table, kind);
  }
}

export const websites = service(() => new Websites(table.get()), sourcePermissions);
