import { PageFetchError } from '../clients/public-web/page-fetch-error.ts';
import type { WebPages } from '../clients/public-web/web-pages.ts';
import type { CrawlControls } from '../domain/crawl-controls.ts';
import type { SourceWarning } from '../domain/sources.ts';
import { type FailedPage, pageKey, removeTracking, withinSite } from '../domain/websites.ts';
import { type CrawledPage, type FormerPages, type PageResult, PageVisitor, RobotsError } from './page-visitor.ts';
import { wantedUrls } from './path-filter.ts';

/** The result of a crawl. If no page could be read, `failure` is the reason in a sentence. */
export type CrawlResult = {
  pages: CrawledPage[];
  failedPages: FailedPage[];
  /** What is missing in the texts of the pages. */
  warnings?: SourceWarning[];
  failure?: string;
};

type Site = CrawlControls & { url: string };
type QueuedPage = { url: URL; depth: number };

/** A page with the key of its address, and of the address that it says it should be found at. */
type KeptPage = { page: CrawledPage; key: string; canonicalKey: string };

const concurrency = 3;

/** Reads a site breadth-first, until a deadline (Unix milliseconds). `former` pages are asked for only if changed. */
export const crawl = async (
  webPages: WebPages,
  site: Site,
  deadline: number,
  former?: FormerPages,
): Promise<CrawlResult> => {
  const reader = webPages.open();
  try {
    return await visitPages(new PageVisitor(reader, deadline, former), site, deadline);
  } finally {
    await reader.close();
  }
};

const visitPages = async (visitor: PageVisitor, site: Site, deadline: number): Promise<CrawlResult> => {
  const { limit, maxDepth } = site;
  const kept: KeptPage[] = [];
  const failedPages: FailedPage[] = [];
  const start = new URL(site.url);
  start.hash = '';

  const first = await visitor.visit(start, () => {});
  if (first.error && first.links.length === 0) {
    const reason = first.error.message;
    return { pages: [], failedPages: [{ url: start.href, reason }], failure: reason };
  }
  // If the start page redirects to another host, that host is the site.
  const home = first.url;
  const mayFollow = (url: URL) => {
    if (withinSite(home, url)?.href !== url.href) throw new PageFetchError('The page redirects to another site.');
  };
  const seen = new Set([pageKey(start), pageKey(home)]);
  const read = new Set<string>();
  const queue: QueuedPage[] = [];
  const fail = (url: URL, reason: string) => {
    if (failedPages.length < limit * 4) failedPages.push({ url: url.href, reason });
  };
  const enqueue = async (links: string[], depth: number) => {
    const found: string[] = [];
    for (const link of links) {
      const target = withinSite(home, removeTracking(new URL(link)));
      if (!target || seen.has(pageKey(target))) continue;
      seen.add(pageKey(target));
      found.push(target.href);
    }
    for (const href of await wantedUrls(site, found)) queue.push({ url: new URL(href), depth });
  };
  const keepPage = (page: KeptPage) => {
    const copy = kept.findIndex((other) => areCopies(other, page));
    if (copy < 0) kept.push(page);
    else if (page.key === page.canonicalKey) kept[copy] = page;
  };
  const collect = async ({ url, links, canonical, page, error }: PageResult, requested: QueuedPage) => {
    // Two URLs may lead to the same page.
    if (read.has(pageKey(url))) return;
    read.add(pageKey(url)).add(pageKey(requested.url));
    if (canonical) links.unshift(canonical.href);
    if (page) keepPage({ page, key: pageKey(url), canonicalKey: pageKey(canonical ?? url) });
    if (error) fail(requested.url, error.message);
    if (requested.depth < maxDepth)
      await enqueue(links, requested.depth + 1).catch(() => fail(requested.url, slowPatterns));
  };

  let tried = 1;
  await collect(first, { url: start, depth: 0 });
  for (;;) {
    const room = Math.min(concurrency, limit - kept.length, limit * 2 - tried);
    const batch: QueuedPage[] = [];
    while (batch.length < room && queue.length > 0 && Date.now() < deadline) {
      const next = queue.shift() as QueuedPage;
      if (!read.has(pageKey(next.url))) batch.push(next);
    }
    if (batch.length === 0) break;
    const results = await Promise.all(batch.map(({ url }) => visitor.visit(url, mayFollow)));
    for (const [index, requested] of batch.entries()) {
      const result = results[index] as PageResult;
      // A page that robots.txt forbids does not count as tried.
      if (!(result.error instanceof RobotsError)) tried += 1;
      await collect(result, requested);
    }
  }
  const pages = kept.map(({ page }) => page);
  const warnings = pages.flatMap(({ url, warnings = [] }) =>
    warnings.map(({ code, message }) => ({ code, message: `${url}: ${message}` })),
  );
  if (pages.length > 0) return { pages, failedPages, warnings };
  return { pages, failedPages, failure: failedPages[0]?.reason ?? 'No page could be read.' };
};

const slowPatterns =
  'The links of this page were not followed: matching their paths takes too long. Use fewer or shorter path patterns.';

/** Two pages are copies if they name the same canonical address, and agree: sites name that of another page by mistake. */
const areCopies = (one: KeptPage, other: KeptPage): boolean =>
  one.canonicalKey === other.canonicalKey && haveSameLines(one.page.text, other.page.text);

/** Returns true if nine tenths of the shorter text are lines of the longer one. */
const haveSameLines = (one: string, other: string): boolean => {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  const lines = new Set(longer.split('\n'));
  let common = 0;
  for (const line of shorter.split('\n')) if (lines.has(line)) common += line.length + 1;
  return common >= shorter.length * 0.9;
};
