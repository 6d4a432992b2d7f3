import { isUtf8 } from 'node:buffer';
import { type Agent, fetch, type Response } from 'undici';
import { formatLimit } from '../../domain/format-limit.ts';
import { limits } from '../../domain/limits.ts';
import { isWebAddress } from '../../domain/websites.ts';
import { environment } from '../../environment.ts';
import { wholeService } from '../../service.ts';
import { connectionProblem, joinCodes, listCauses } from './connection-problem.ts';
import { PageFetchError } from './page-fetch-error.ts';
import { type FetchPolicy, openPublicConnections, otherPort } from './public-connections.ts';

/** The crawler's name in its requests and in robots.txt. */
export const crawlerName = 'VoiceAgentPlatformBot';

const requestHeaders = { 'user-agent': `${crawlerName}/1.0`, 'accept-encoding': 'gzip, deflate, br' };
const knownCodings = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'identity', '']);
const maxCodings = 2;

/** What a server says of the version of a page. With it, the next request asks for the page only if it has changed. */
export type Validators = { etag?: string; lastModified?: string };

/**
 * A page as it was received, without its compression; `url` is its address after all redirects. A page that is unchanged, as its
 * server says, has no bytes.
 */
export type WebPage = {
  url: string;
  contentType: string;
  bytes: Uint8Array;
  validators: Validators;
  isUnchanged: boolean;
};

export type FetchOptions = {
  signal: AbortSignal;
  /** Called before each redirect is followed; throws if it must not be. */
  mayFollow?: (url: URL) => void | Promise<void>;
  /** Returns the validators of a page that the caller has; undefined for other pages. */
  getValidators?: (url: URL) => Validators | undefined;
};

export type WebPagesOptions = FetchPolicy & { timeoutMilliseconds?: number };

type Resource = { url: URL; status: number; contentType: string; bytes: Uint8Array; validators: Validators };

/** Pages of the public internet. */
export class WebPages {
  readonly #policy: FetchPolicy;
  readonly #timeoutMilliseconds: number;

  constructor({ timeoutMilliseconds = limits.pageSeconds * 1000, ...policy }: WebPagesOptions = {}) {
    this.#policy = policy;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** Opens connections for the pages of one crawl. The caller closes them. */
  open(): PageReader {
    return new PageReader(openPublicConnections(this.#policy, this.#timeoutMilliseconds), this.#timeoutMilliseconds);
  }
}

/** Reads pages over separate connections. */
export class PageReader {
  readonly #agent: Agent;
  readonly #timeoutMilliseconds: number;

  constructor(agent: Agent, timeoutMilliseconds: number) {
    this.#agent = agent;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** Reads a page. Throws a `PageFetchError` with the reason if that is not possible. */
  async read(url: URL, options: FetchOptions): Promise<WebPage> {
    const { url: found, status, contentType, bytes, validators } = await this.#get(url, options);
    const isUnchanged = status === 304 && options.getValidators?.(found) !== undefined;
    if (!isUnchanged && !isSuccess(status)) throw new PageFetchError(`The page answered with status ${status}.`);
    return { url: found.href, contentType, bytes, validators, isUnchanged };
  }

  /** Reads a site's robots.txt: its text, or what applies without one (RFC 9309, 2.3.1). */
  async readRobots(origin: string, options: FetchOptions): Promise<string | 'everything' | 'nothing'> {
    const { status, bytes } = await this.#get(new URL('/robots.txt', origin), options);
    if (isSuccess(status)) return decodeRobots(bytes.subarray(0, limits.robotsBytes));
    return status >= 500 || status === 429 ? 'nothing' : 'everything';
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #get(url: URL, options: FetchOptions): Promise<Resource> {
    const timeout = AbortSignal.timeout(this.#timeoutMilliseconds);
    const signal = AbortSignal.any([options.signal, timeout]);
    try {
      for (let current = url, redirects = 0; ; redirects++) {
        if (redirects > limits.pageRedirects) throw new PageFetchError('The page redirects too often.');
        const response = await fetch(current, {
          dispatcher: this.#agent,
          headers: { ...requestHeaders, ...conditionalHeaders(options.getValidators?.(current)) },
          redirect: 'manual',
          signal,
        });
        const location = readLocation(response);
        if (location === undefined) {
          const contentType = response.headers.get('content-type') ?? '';
          const [etag, lastModified] = ['etag', 'last-modified'].map((name) => readValidator(response, name));
          const validators = { etag, lastModified };
          return { url: current, status: response.status, contentType, bytes: await readBody(response), validators };
        }
        await discardBody(response);
        const target = URL.parse(location, current.href);
        if (!isWebAddress(target)) throw new PageFetchError('The page redirects to something that is no web page.');
        target.hash = '';
        current = target;
        await options.mayFollow?.(current);
      }
    } catch (error) {
      const causes = listCauses(error);
      // The connection has the same timeout for head and body: either may be the first to report it.
      if (timeout.aborted || /UND_ERR_(HEADERS|BODY)_TIMEOUT/.test(joinCodes(causes)))
        throw new PageFetchError(`The page took longer than ${this.#timeoutMilliseconds / 1000} seconds.`);
      throw pageFetchError(causes) ?? error;
    }
  }
}

/** Decodes a robots.txt: UTF-8, or UTF-16 with a byte order mark, as editors save it. */
const decodeRobots = (bytes: Uint8Array): string => {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  // A part of a byte order mark is ignored as the whole is.
  return new TextDecoder(encoding).decode(bytes).replace(/^\ufffd/, '');
};

/** Returns the headers of a request for a page that has changed since it had these validators. */
const conditionalHeaders = ({ etag, lastModified }: Validators = {}) => ({
  ...(etag !== undefined && { 'if-none-match': etag }),
  ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
});

/** Longer validators are not sent back. */
const maxValidatorCharacters = 1000;

const readValidator = ({ headers }: Response, name: string): string | undefined => {
  const value = headers.get(name) ?? '';
  return value !== '' && value.length <= maxValidatorCharacters ? value : undefined;
};

const isSuccess = (status: number) => status >= 200 && status <= 299;

const readLocation = ({ status, headers }: Response): string | undefined => {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  // Sites send UTF-8 in this header, though headers are Latin-1.
  const bytes = Buffer.from(headers.get('location') ?? '', 'latin1');
  return (isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')) || undefined;
};

/** Reads the whole body, decoded. Reading stops at the maximum size of a page, so that a bomb is never inflated. */
const readBody = async (response: Response): Promise<Uint8Array> => {
  const codings = (response.headers.get('content-encoding') ?? '').toLowerCase().split(',');
  const unknown = codings.map((coding) => coding.trim()).find((coding) => !knownCodings.has(coding));
  if (codings.length > maxCodings || unknown) await discardBody(response);
  if (codings.length > maxCodings) throw new PageFetchError('The page is compressed too many times.');
  if (unknown) throw new PageFetchError(`The page is compressed in a way that is not known (${unknown.slice(0, 20)}).`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limits.pageBytes) throw new PageFetchError(`The page is larger than ${formatLimit('pageBytes')}.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const discardBody = async (response: Response) => response.body?.cancel().catch(() => {});

/** Returns the error that is shown to the owner of the page; undefined for errors that the site did not cause. */
const pageFetchError = (causes: NodeJS.ErrnoException[]): PageFetchError | undefined => {
  const known = causes.find((cause) => cause instanceof PageFetchError);
  if (known) return known;
  // The library itself refuses the ports of mail, SSH and the like.
  if (causes.some(({ message }) => message === 'bad port'))
    return new PageFetchError(`${otherPort} The Fetch standard blocks this one, also where its origin is trusted.`);
  if (/\b(Z_|ZSTD_|ERR__)/.test(joinCodes(causes))) return new PageFetchError('The page is not compressed as it says.');
  const problem = connectionProblem(causes);
  return problem === undefined ? undefined : new PageFetchError(problem);
};

export const webPages = /* @__PURE__ */ wholeService(
  () => new WebPages({ trustedOrigins: environment.crawlTrustedOrigins }),
);
