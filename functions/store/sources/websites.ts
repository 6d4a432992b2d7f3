import { websiteStates } from '../../domain/source-state.ts';
import type { WebsiteSummary } from '../../domain/websites.ts';
import { service } from '../../service.ts';
import { websiteKey, websitesOf } from '../keys.ts';
import { sourceQuota } from '../quotas.ts';
import { table } from '../table.ts';
import { type SourceKind, SourceReads, type SourceRecord, sourceReadPermissions } from './source-reads.ts';
import { Sources, sourcePermissions } from './sources.ts';

export type WebsiteRecord = SourceRecord & WebsiteSummary;

export const websiteKind: SourceKind = {
  states: websiteStates,
  keyOf: websiteKey,
  of: websitesOf,
  blank: { content: '[]', contentMD: '' },
  addedBytes: 0,
};

/** The websites of agents. */
export const websites = /* @__PURE__ */ service(
  () => new Sources<WebsiteRecord>(table.get(), websiteKind, sourceQuota()),
  sourcePermissions,
);
export const websiteReads = /* @__PURE__ */ service(
  () => new SourceReads<WebsiteRecord>(table.get(), websiteKind),
  sourceReadPermissions,
);
