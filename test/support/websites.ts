import { inject } from 'vitest';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { type WebsiteRecord, websiteReads } from '../../functions/store/sources/website-reads.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import type { PlainReply } from './site.ts';
import { until } from './until.ts';
import { unique, type World } from './world.ts';

/** Creates a folder for one test on the site that the service's crawler may read. */
export const newFolder = () => {
  const folder = `/${unique('site')}`;
  const origin = inject('siteOrigin');
  return {
    folder,
    url: `${origin}${folder}/`,
    at: (path: string) => `${origin}${folder}/${path}`,
    /** Sets the site's reply under a path of the folder. A text is a page of HTML. */
    put: async (path: string, reply: string | PlainReply) => {
      const body = JSON.stringify(typeof reply === 'string' ? { body: reply } : reply);
      await fetch(`${origin}${folder}/${path}`, { method: 'PUT', body });
    },
  };
};

/** Operations on websites, as the holder of a world's key calls them. */
export const makeWebsites = ({ uid, agentId, call }: Pick<World, 'uid' | 'agentId' | 'call'>) => {
  const list = async (query: Record<string, string | number> = {}) =>
    call('GET', '/agent-websites', { query: { uid, agentId, ...query } });
  const find = async (websiteId: string) =>
    (await list()).body.websites.find(({ id }: { id: string }) => id === websiteId);
  return {
    list,
    find,
    add: (url: string, more: object = {}, headers: Record<string, string> = {}) =>
      call('POST', '/agent-websites', { body: { uid, agentId, url, ...more }, headers }),
    change: (websiteId: string, more: object) =>
      call('PATCH', '/agent-websites', { body: { uid, agentId, websiteId, ...more } }),
    refresh: (websiteId: string) => call('POST', '/agent-websites/refresh', { body: { uid, agentId, websiteId } }),
    remove: (websiteId: string) => call('DELETE', '/agent-websites', { query: { uid, agentId, websiteId } }),
    content: (websiteId: string, cursor?: string) =>
      call('GET', '/agent-websites/content', { query: { uid, agentId, websiteId, cursor } }),
    /** Returns the website when its crawl has ended. */
    settled: async (websiteId: string) => {
      return until(async () => {
        const found = await find(websiteId);
        return /^(ready|failed)$/.test(found?.status) && found;
      });
    },
  };
};

/** The record of a website that was just added to a world's agent and is not crawled yet. */
export const websiteRecord = ({ agentId, uid }: World, more: Partial<WebsiteRecord> = {}): WebsiteRecord => ({
  id: newIdentifier('web'),
  agentId,
  name: 'Site',
  url: 'https://example.com/',
  active: true,
  status: 'pending',
  pages: 0,
  failedPages: [],
  limit: 5,
  maxDepth: 1,
  includePaths: [],
  excludePaths: [],
  lastUpdatedBy: uid,
  lastUpdatedAt: '2026-03-01T10:00:00.000Z',
  attempt: 'first',
  ...more,
});

/** Returns a website from the store. */
export const findWebsite = ({ agentId, id }: WebsiteRecord) => websiteReads.get().find(agentId, id);

/** Begins another attempt at a website's text, regardless of the previous one. */
export const restartWebsite = async (source: WebsiteRecord, attempt: string): Promise<WebsiteRecord> => {
  const next = { attempt, uid: source.lastUpdatedBy };
  const restarted = await websites.get().restart(source, next, () => true);
  if (!restarted) throw new Error('The website is not there.');
  return restarted.record;
};
