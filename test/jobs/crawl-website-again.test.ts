import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { pageReader } from '../../functions/extraction/page.ts';
import { crawlWebsite } from '../../functions/jobs/crawl-website.ts';
import { visitsKey } from '../../functions/store/keys.ts';
import { sourceChanges } from '../../functions/store/sources/source-changes.ts';
import { timeOfReading } from '../../functions/store/sources/source-texts.ts';
import { type WebsiteRecord, websiteReads } from '../../functions/store/sources/website-reads.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import { table } from '../../functions/store/table.ts';
import { countUnits } from '../bench/units.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { page, type Site, startSite } from '../support/site.ts';
import { findWebsite, restartWebsite, websiteRecord } from '../support/websites.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
let site: Site;
/** The pages of the site by path. The site answers 304 to who has the current version of a page. */
const pages: Record<string, { etag?: string; lastModified?: string; html: string }> = {};
const serve = (path: string, html: string, validators: { etag?: string; lastModified?: string }) => {
  pages[path] = { html, ...validators };
  site.pages[path] = ({ headers }, response) => {
    const { html, etag, lastModified } = pages[path] as (typeof pages)[string];
    if (etag !== undefined) response.setHeader('etag', etag);
    if (lastModified !== undefined) response.setHeader('last-modified', lastModified);
    const isKnown =
      etag === undefined ? headers['if-modified-since'] === lastModified : headers['if-none-match'] === etag;
    if (isKnown && (etag ?? lastModified) !== undefined) return response.writeHead(304).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  };
};
beforeAll(async () => {
  site = await startSite();
  process.env.CRAWL_TRUSTED_ORIGINS = site.origin;
  world = await newWorld();
});
afterEach(() => {
  site.requests.length = 0;
});
afterAll(async () => {
  await pageReader.close();
  await site.stop();
});

const crawl = async (source: WebsiteRecord, attempt: string) => {
  if (source.attempt !== attempt) await restartWebsite(source, attempt);
  const { agentId, id } = source;
  const message = { job: 'crawlWebsite', uid: world.uid, agentId, websiteId: id, attempt };
  expect(await deliverMessage(crawlWebsite, message)).toBe(true);
  return (await findWebsite(source)) as WebsiteRecord;
};

/** Adds a website, crawls it, and returns it with what it was. */
const crawled = async (path: string) => {
  const source = await websites.get().add(websiteRecord(world, { url: site.origin + path }));
  const first = await crawl(source, 'first');
  expect(first.status).toBe('ready');
  site.requests.length = 0;
  return { source, first };
};

const readTexts = async ({ id, text }: WebsiteRecord) => text && websiteReads.get().wholeTexts(id, text);
const conditions = () =>
  site.requests
    .filter(({ path }) => path !== '/robots.txt')
    .map(({ path, headers }) => [path, headers['if-none-match'] ?? headers['if-modified-since']]);

it('a crawl that finds every page unchanged asks once for each, moves lastCrawledAt, and costs two write units', async () => {
  serve('/quiet', page('quiet', '/quiet/a', '/quiet/b'), { etag: '"1"' });
  serve('/quiet/a', page('a'), { etag: 'W/"a"' });
  serve('/quiet/b', page('b'), { lastModified: 'Sun, 01 Mar 2026 10:00:00 GMT' });
  const { source, first } = await crawled('/quiet');
  const changes = await sourceChanges.get().of(source.agentId);
  const restarted = await restartWebsite(source, 'second');
  const units = countUnits(table.get().client);
  const second = await crawl(restarted, 'second');
  expect(units.take().write).toBe(2);
  expect(conditions()).toEqual([
    ['/quiet', '"1"'],
    ['/quiet/a', 'W/"a"'],
    ['/quiet/b', 'Sun, 01 Mar 2026 10:00:00 GMT'],
  ]);
  expect([second.text, second.status, second.pages]).toEqual([first.text, 'ready', 3]);
  expect(second.lastUpdatedAt).toBe(restarted.lastUpdatedAt);
  expect(Date.parse(second.lastCrawledAt ?? '')).toBeGreaterThan(Date.parse(first.lastCrawledAt ?? ''));
  expect(await sourceChanges.get().of(source.agentId)).toBe(changes);
});

it('a crawl that finds the same text under new ETags makes no revision', async () => {
  serve('/deployed', page('home'), { etag: '"1"' });
  const { source, first } = await crawled('/deployed');
  serve('/deployed', page('home').replace('<main>', '<!-- build 2 --><main>'), { etag: '"2"' });
  const second = await crawl(source, 'second');
  expect([second.text, second.status]).toEqual([first.text, 'ready']);
  expect(second.lastCrawledAt).not.toBe(first.lastCrawledAt);
});

it('a crawl that finds one page changed makes a revision of it and of the pages that have not changed', async () => {
  serve('/shop', '<title>Shop</title><h1>Shop</h1><p>Welcome.</p><a href="/shop/a">a</a>', { etag: '"1"' });
  serve('/shop/a', page('a', '/shop/b'), { etag: '"1"' });
  const { source, first } = await crawled('/shop');
  const before = await readTexts(first);
  serve('/shop/a', page('the new a'), { etag: '"2"' });
  const second = await crawl(source, 'second');
  expect(second.text?.revision).not.toBe(first.text?.revision);
  expect(conditions()).toEqual([
    ['/shop', '"1"'],
    ['/shop/a', '"1"'],
  ]);
  const after = await readTexts(second);
  // The page that was not sent again has the text that it had.
  expect(JSON.parse(after?.content ?? '')[0]).toEqual(JSON.parse(before?.content ?? '')[0]);
  expect(after?.contentMD).toBe(
    `# Shop\n\n<${site.origin}/shop>\n\nWelcome.\n\n[a](${site.origin}/shop/a)\n\n---\n\n# the new a\n\n<${site.origin}/shop/a>\n\nThis is the new a.`,
  );
  // Each page has the time at which its text was first read.
  const times = (record: WebsiteRecord) => [0, 1].map((page) => record.text && timeOfReading(record.text, page));
  expect(times(second)[0]).toBe(times(first)[0]);
  expect(times(second)[1]).toBeGreaterThan(times(first)[1] as number);
  site.requests.length = 0;
  const third = await crawl(source, 'third');
  expect([third.text, conditions()]).toEqual([
    second.text,
    [
      ['/shop', '"1"'],
      ['/shop/a', '"2"'],
    ],
  ]);
});

it('a page that is unchanged leads to the pages that it linked to', async () => {
  serve('/menu', page('menu', '/menu/new'), { etag: '"1"' });
  const { source, first } = await crawled('/menu');
  expect(first.pages).toBe(1);
  serve('/menu/new', page('new'), { etag: '"1"' });
  expect((await crawl(source, 'second')).pages).toBe(2);
});

it('a website whose text has no visits, like that of a copied agent, is asked whole once, and from then on for changes', async () => {
  serve('/copied', page('home'), { etag: '"1"' });
  const { source, first } = await crawled('/copied');
  await table.get().delete(visitsKey(source.id, first.text?.revision ?? ''));
  expect((await crawl(source, 'second')).text).toEqual(first.text);
  expect((await crawl(source, 'third')).text).toEqual(first.text);
  expect(conditions()).toEqual([
    ['/copied', undefined],
    ['/copied', '"1"'],
  ]);
});

it('a server that answers 304 without being asked for a change fails the page', async () => {
  site.pages['/odd'] = { status: 304 };
  const source = await websites.get().add(websiteRecord(world, { url: `${site.origin}/odd` }));
  expect(await crawl(source, 'first')).toMatchObject({
    status: 'failed',
    error: 'The page answered with status 304.',
  });
});
