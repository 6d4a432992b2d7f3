import { aborted } from 'node:util';
import { PageFetchError } from '../clients/public-web/page-fetch-error.ts';
import { crawlerName, type PageReader } from '../clients/public-web/web-pages.ts';
import type { Page, SourceWarning } from '../domain/sources.ts';
import { htmlReader, type ReadHtml } from '../extraction/html.ts';
import { WorkerAbortedError } from '../extraction/sandboxed-worker.ts';
import { robotsFilter } from './robots.ts';

/** A page that was read. `warnings` say what is missing in its text. */
export type CrawledPage = Page & { markdown: string; warnings?: SourceWarning[] };

/** A page that was tried: its URL after redirects, its links, and its content or the error. */
export type PageResult = { url: URL; links: string[]; page?: CrawledPage; error?: PageFetchError };

/** A page that the robots.txt of its site forbids to read. */
export class RobotsError extends PageFetchError {
  override readonly name = 'RobotsError';
}

/** Reads single pages until a deadline (Unix milliseconds), as far as the robots.txt of each origin allows. */
export class PageVisitor {
  readonly #reader: PageReader;
  readonly #signal: AbortSignal;
  readonly #htmlReader: Pick<typeof htmlReader, 'run'>;
  readonly #robots = new Map<string, Promise<(url: URL) => boolean>>();

  constructor(reader: PageReader, deadline: number, html: Pick<typeof htmlReader, 'run'> = htmlReader) {
    this.#reader = reader;
    this.#signal = AbortSignal.timeout(Math.max(0, deadline - Date.now()));
    this.#htmlReader = html;
  }

  /** Reads a page. `mayFollow` is called before a redirect is followed and throws if it must not be. */
  async visit(url: URL, mayFollow: (url: URL) => void): Promise<PageResult> {
    try {
      await this.#obeyRobots(url);
      const found = await this.#reader.read(url, {
        signal: this.#signal,
        mayFollow: async (target) => {
          mayFollow(target);
          await this.#obeyRobots(target);
        },
      });
      const foundUrl = new URL(found.url);
      const { title, text, markdown, links } =
        found.kind === 'html' ? await this.#readHtml({ html: found.text, url: found.url }) : readPlainText(found.text);
      if (text) {
        return { url: foundUrl, links, page: { url: found.url, title: title || foundUrl.pathname, text, markdown } };
      }
      const error = new PageFetchError('The page contains no text. Scripts, which may create some, are not run.');
      return { url: foundUrl, links, error };
    } catch (error) {
      return { url, links: [], error: this.#pageError(error as Error) };
    }
  }

  async #obeyRobots(url: URL): Promise<void> {
    const { origin } = url;
    const filter = this.#robots.get(origin) ?? this.#readRobots(origin);
    this.#robots.set(origin, filter);
    const isAllowed = await filter;
    if (!isAllowed(url)) throw new RobotsError('The site’s robots.txt does not allow this page to be read.');
  }

  async #readRobots(origin: string): Promise<(url: URL) => boolean> {
    const robots = await this.#reader.readRobots(origin, { signal: this.#signal });
    if (robots === 'everything') return () => true;
    if (robots === 'nothing') {
      throw new PageFetchError('The site’s robots.txt could not be read, and without it no page may be.');
    }
    return robotsFilter(robots, crawlerName);
  }

  /** Reads HTML; at the deadline it no longer waits for the page being read. */
  #readHtml(page: { html: string; url: string }): Promise<ReadHtml> {
    const deadline = aborted(this.#signal, page).then(() => Promise.reject(this.#signal.reason));
    return Promise.race([this.#htmlReader.run(page), deadline]);
  }

  #pageError(error: Error): PageFetchError {
    if (error instanceof PageFetchError) return error;
    if (this.#signal.aborted) return new PageFetchError('The crawl ran out of time before this page was read.');
    // A RangeError comes from a page that nests deeper than the stack.
    if (error instanceof WorkerAbortedError || error.name === 'RangeError') {
      return new PageFetchError('The page is too large or too intricate to be read.');
    }
    // An unexpected error fails only its page, so that the others are read.
    return new PageFetchError('The page could not be read.');
  }
}

const readPlainText = (sent: string): ReadHtml => {
  const text = sent.replace(/\r\n?/g, '\n').trim();
  return { title: '', text, markdown: text, links: [] };
};
