import { aborted } from 'node:util';
import { PageFetchError } from '../clients/public-web/page-fetch-error.ts';
import { crawlerName, type PageReader, type Validators } from '../clients/public-web/web-pages.ts';
import { limits } from '../domain/limits.ts';
import type { Page, SourceWarning } from '../domain/sources.ts';
import { withinSite } from '../domain/websites.ts';
import { type PageContent, pageReader, pageSeconds, type ReadPage, type ReceivedPage } from '../extraction/page.ts';
import { WorkerAbortedError } from '../extraction/sandboxed-worker.ts';
import { robotsFilter } from './robots.ts';

/** A page that was read, with what its server said of its version. `warnings` say what is missing in its text. */
export type CrawledPage = Page & {
  markdown: string;
  warnings?: SourceWarning[];
  content: PageContent;
  validators: Validators;
};

/** A page of the former crawl: its content, for when its server says that it has not changed. */
export type FormerPage = { content: PageContent; validators: Validators };

/** The pages of the former crawl whose servers can say whether they have changed, by their addresses. */
export type FormerPages = ReadonlyMap<string, FormerPage>;

/** A page that was tried, after redirects. `canonical` is the URL at which it wants to be found. */
export type PageResult = { url: URL; links: string[]; canonical?: URL; page?: CrawledPage; error?: PageFetchError };

/** A page that the robots.txt of its site forbids to read. */
export class RobotsError extends PageFetchError {
  override readonly name = 'RobotsError';
}

/** Reads single pages until a deadline (Unix milliseconds), as far as the robots.txt of each origin allows. */
export class PageVisitor {
  readonly #reader: PageReader;
  readonly #signal: AbortSignal;
  readonly #former: FormerPages;
  readonly #extractor: Pick<typeof pageReader, 'run'>;
  readonly #robots = new Map<string, Promise<(url: URL) => boolean>>();

  /** `former` are the pages that are asked for only if they have changed. */
  constructor(
    reader: PageReader,
    deadline: number,
    former: FormerPages = new Map(),
    extractor: Pick<typeof pageReader, 'run'> = pageReader,
  ) {
    this.#reader = reader;
    this.#former = former;
    this.#signal = AbortSignal.timeout(Math.max(0, deadline - Date.now()));
    this.#extractor = extractor;
  }

  /** Reads a page. `mayFollow` is called before a redirect is followed and throws if it must not be. */
  async visit(url: URL, mayFollow: (url: URL) => void): Promise<PageResult> {
    try {
      await this.#obeyRobots(url);
      return await this.#read(url, mayFollow, limits.pageRedirects);
    } catch (error) {
      return { url, links: [], error: this.#pageError(error as Error) };
    }
  }

  async #read(url: URL, mayFollow: (url: URL) => void, redirects: number): Promise<PageResult> {
    const checkTarget = async (target: URL) => {
      mayFollow(target);
      await this.#obeyRobots(target);
    };
    const received = await this.#reader.read(url, {
      signal: this.#signal,
      mayFollow: checkTarget,
      getValidators: ({ href }) => this.#former.get(href)?.validators,
    });
    const found = new URL(received.url);
    const { content: read, validators } = received.isUnchanged
      ? (this.#former.get(received.url) as FormerPage)
      : { content: await this.#extract(received), validators: received.isCutOff ? {} : received.validators };
    if ('failure' in read) throw new PageFetchError(read.failure);
    const { title, text, markdown, canonical, refresh } = read;
    const warnings = received.isCutOff
      ? [...(read.warnings ?? []), { code: 'cut' as const, message: cutOff }]
      : read.warnings;
    const links = [...read.links];
    const target = refresh && withinSite(found, new URL(refresh.url));
    if (target && target.href !== found.href) {
      if (refresh.seconds <= maxRefreshSeconds) {
        if (redirects === 0) throw new PageFetchError('The page redirects too often.');
        await checkTarget(target);
        return this.#read(target, mayFollow, redirects - 1);
      }
      links.push(target.href);
    }
    if (!text) {
      const reason = received.isCutOff ? cutOff : describeEmptyPage(read, found);
      return { url: found, links, error: new PageFetchError(reason) };
    }
    return {
      url: found,
      links,
      canonical: canonical === undefined ? undefined : withinSite(found, new URL(canonical)),
      page: { url: found.href, title: title || found.pathname, text, markdown, warnings, content: read, validators },
    };
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

  /** Extracts the content of a page. At the deadline it no longer waits for it. */
  #extract(page: ReceivedPage): Promise<ReadPage> {
    const deadline = aborted(this.#signal, page).then(() => Promise.reject(this.#signal.reason));
    return Promise.race([this.#extractor.run(page), deadline]);
  }

  #pageError(error: Error): PageFetchError {
    if (error instanceof PageFetchError) return error;
    if (this.#signal.aborted) return new PageFetchError('The crawl ran out of time before this page was read.');
    if (error instanceof WorkerAbortedError)
      return new PageFetchError(error.reason === 'time' ? tooSlow : tooIntricate);
    // An unexpected error fails only its page, so that the others are read.
    return new PageFetchError('The page could not be read.');
  }
}

/** A page that moves its visitors on later than this is read itself. */
const maxRefreshSeconds = 10;

const cutOff = 'The page arrived incomplete: its compressed text ends too early.';
const tooIntricate = 'The page is too large or too intricate to be read.';
const tooSlow = `The page was not read within ${pageSeconds} seconds.`;

const describeEmptyPage = ({ hasScripts, frames, warnings }: PageContent, page: URL): string => {
  if (warnings?.some(({ code }) => code === 'cut')) return tooIntricate;
  const shown = frames.map((address) => new URL(address));
  if (shown.some((frame) => withinSite(page, frame)))
    return 'The page has no text of its own. It shows other pages in frames, which count as its links.';
  if (shown[0])
    return `The page has no text of its own. It shows a page of another site in a frame, which is not read: ${shown[0].host}.`;
  if (hasScripts) return 'The page contains no text. Scripts, which may create some, are not run.';
  return 'The page contains no text.';
};
