import robotsParser from 'robots-parser';
import { PageFetchError } from '../clients/page-fetch-error.ts';
import { crawlerName, type PageReader, type WebPages } from '../clients/web-pages.ts';
import { type CrawlControls, pathFilter } from '../domain/crawl-controls.ts';
import type { Page } from '../domain/sources.ts';
import { type FailedPage, pageKey, withinSite } from '../domain/websites.ts';
import { htmlReader, type ReadHtml } from '../extraction/html.ts';
import { WorkerAbortedError } from '../extraction/sandboxed-worker.ts';

/** What a crawl came to. Without a page that could be read, `failure` says why, in a sentence. */
export type Crawled = { pages: CrawledPage[]; failedPages: FailedPage[]; failure?: string };
export type CrawledPage = Page & { markdown: string };

type Site = CrawlControls & { url: string };

/** Whose robots.txt forbids it. */
class Forbidden extends PageFetchError {}

/** A page that was tried: where it was found and where it leads, and what it says, or why that is nothing. */
type Visit = { url: URL; links: string[]; page?: CrawledPage; refusal?: PageFetchError };

/** Its types tell of a default export that the module does not have. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

const pagesInFlight = 3;

/** Reads the pages of a site from its start page on, nearest first, until `until` (Unix milliseconds) at the latest. */
export const crawl = async (webPages: WebPages, site: Site, until: number): Promise<Crawled> => {
  const reader = webPages.open();
  try {
    return await crawlWith(new Visitor(reader, until), site, until);
  } finally {
    await reader.close();
  }
};

const crawlWith = async (visitor: Visitor, site: Site, until: number): Promise<Crawled> => {
  const { limit, maxDepth } = site;
  const pages: CrawledPage[] = [];
  const failedPages: FailedPage[] = [];
  const isWanted = pathFilter(site);
  const start = new URL(site.url);
  start.hash = '';

  const first = await visitor.visit(start, () => {});
  if (first.refusal && first.links.length === 0) {
    const reason = first.refusal.message;
    return { pages, failedPages: [{ url: start.href, reason }], failure: reason };
  }
  // Where the start page redirects to another host, that one is the site.
  const home = first.url;
  const stay = (url: URL) => {
    if (withinSite(home, url)?.href !== url.href) throw new PageFetchError('The page redirects to another site.');
  };
  const queued = new Set([pageKey(start), pageKey(home)]);
  const read = new Set<string>();
  const queue: { url: URL; depth: number }[] = [];
  const take = ({ url, links, page, refusal }: Visit, asked: URL, depth: number) => {
    // Two addresses may lead to one page.
    if (read.has(pageKey(url))) return;
    read.add(pageKey(url)).add(pageKey(asked));
    if (page) pages.push(page);
    if (refusal && failedPages.length < limit * 4) failedPages.push({ url: asked.href, reason: refusal.message });
    if (depth === maxDepth) return;
    for (const link of links) {
      const target = withinSite(home, new URL(link));
      if (!target || queued.has(pageKey(target))) continue;
      queued.add(pageKey(target));
      queue.push({ url: target, depth: depth + 1 });
    }
  };

  let tried = 1;
  take(first, start, 0);
  for (;;) {
    const room = Math.min(pagesInFlight, limit - pages.length, limit * 2 - tried);
    const batch: typeof queue = [];
    while (batch.length < room && queue.length > 0 && Date.now() < until) {
      const next = queue.shift() as (typeof queue)[number];
      if (isWanted(next.url) && !read.has(pageKey(next.url))) batch.push(next);
    }
    if (batch.length === 0) break;
    const visits = await Promise.all(batch.map(({ url }) => visitor.visit(url, stay)));
    for (const [index, { url, depth }] of batch.entries()) {
      const visit = visits[index] as Visit;
      // What robots.txt forbids was not tried.
      if (!(visit.refusal instanceof Forbidden)) tried += 1;
      take(visit, url, depth);
    }
  }
  if (pages.length > 0) return { pages, failedPages };
  return { pages, failedPages, failure: failedPages[0]?.reason ?? 'No page could be read.' };
};

/** Reads one page after the other, as far as the robots.txt of its origin allows. */
class Visitor {
  readonly #reader: PageReader;
  readonly #signal: AbortSignal;
  readonly #robots = new Map<string, Promise<(url: URL) => boolean>>();

  constructor(reader: PageReader, until: number) {
    this.#reader = reader;
    this.#signal = AbortSignal.timeout(Math.max(0, until - Date.now()));
  }

  async visit(url: URL, mayFollow: (url: URL) => void): Promise<Visit> {
    try {
      await this.#obey(url);
      const found = await this.#reader.read(url, {
        signal: this.#signal,
        mayFollow: async (target) => {
          mayFollow(target);
          await this.#obey(target);
        },
      });
      const at = new URL(found.url);
      const { title, text, markdown, links } =
        found.kind === 'html' ? await this.#readHtml({ html: found.text, url: found.url }) : plain(found.text);
      if (text) return { url: at, links, page: { url: found.url, title: title || at.pathname, text, markdown } };
      const refusal = new PageFetchError('The page has no text of its own; scripts, which may make some, are not run.');
      return { url: at, links, refusal };
    } catch (error) {
      return { url, links: [], refusal: this.#refusalOf(error) };
    }
  }

  async #obey(url: URL): Promise<void> {
    const { origin } = url;
    const known = this.#robots.get(origin) ?? this.#readRobots(origin);
    this.#robots.set(origin, known);
    const isAllowed = await known;
    if (!isAllowed(url)) throw new Forbidden('The site’s robots.txt does not allow this page to be read.');
  }

  async #readRobots(origin: string): Promise<(url: URL) => boolean> {
    const robots = await this.#reader.readRobots(origin, { signal: this.#signal });
    if (robots === 'everything') return () => true;
    if (robots === 'nothing') {
      throw new PageFetchError('The site’s robots.txt could not be read, and without it no page may be.');
    }
    const parsed = parseRobots(`${origin}/robots.txt`, robots);
    return (url) => parsed.isAllowed(url.href, crawlerName) !== false;
  }

  /** The crawl's end does not wait for a page that is being read. */
  async #readHtml(page: { html: string; url: string }): Promise<ReadHtml> {
    const ended = Promise.withResolvers<never>();
    const end = () => ended.reject(this.#signal.reason);
    if (this.#signal.aborted) end();
    this.#signal.addEventListener('abort', end);
    try {
      return await Promise.race([htmlReader.run(page), ended.promise]);
    } finally {
      this.#signal.removeEventListener('abort', end);
    }
  }

  #refusalOf(error: unknown): PageFetchError {
    if (error instanceof PageFetchError) return error;
    if (this.#signal.aborted) return new PageFetchError('The crawl ran out of time before this page was read.');
    // The stack ends where the nesting of a page does not.
    if (error instanceof WorkerAbortedError || (error as Error).name === 'RangeError') {
      return new PageFetchError('The page is too large or too intricate to be read.');
    }
    // Whatever else a page brings about, the others are read.
    return new PageFetchError('The page could not be read.');
  }
}

const plain = (sent: string): ReadHtml => {
  const text = sent.replace(/\r\n?/g, '\n').trim();
  return { title: '', text, markdown: text, links: [] };
};
