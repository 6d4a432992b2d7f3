import type { WebsiteSummary } from '../domain/websites.ts';
import { service } from '../service.ts';
import { websiteKey, websitesOf } from './keys.ts';
import { type SourceRecord, Sources } from './sources.ts';
import { table } from './table.ts';

export type WebsiteRecord = SourceRecord & WebsiteSummary;

/** The websites of agents. */
export const websites = service(
  () =>
    new Sources<WebsiteRecord>(table.open(), {
      keyOf: websiteKey,
      of: websitesOf,
      working: 'crawling',
      overdue: 'The crawl did not end in time. Refresh the website to try again.',
      blank: { content: '[]', contentMD: '' },
    }),
);
