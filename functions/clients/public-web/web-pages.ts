import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { type Agent, type Dispatcher, request } from 'undici';
import { formatLimit } from '../../domain/format-limit.ts';
import { limits } from '../../domain/limits.ts';
import { isWebAddress } from '../../domain/websites.ts';
import { environment } from '../../environment.ts';
import { wholeService } from '../../service.ts';
import { connectionProblem, joinCodes, listCauses } from './connection-problem.ts';
import { PageFetchError } from './page-fetch-error.ts';
import { type FetchPolicy, openPublicConnections } from './public-connections.ts';

/** The crawler's name in its requests and in robots.txt. */
export const crawlerName = 'VoiceAgentPlatformBot';

const requestHeaders = {
  'user-agent': `${crawlerName}/1.0`,
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
};
const maxCodings = 2;

/** What a server says of the version of a page. With it, the next request asks for the page only if it has changed. */
export type Validators = { etag?: string; lastModified?: string };

/**
 * A page as it was received, without its compression; `url` is its address after all redirects. A page that is unchanged, as its
 * server says, has no bytes. `isCutOff`: its compressed text ends too early.
 */
export type WebPage = {
  url: string;
  contentType: string;
  bytes: Uint8Array;
  validators: Validators;
  isUnchanged: boolean;
  isCutOff: boolean;
};

export type FetchOptions = {
  signal: AbortSignal;
  /** Called before each redirect is followed; throws if it must not be. */
  mayFollow?: (url: URL) => void | Promise<void>;
  /** Returns the validators of a page that the caller has; undefined for other pages. */
  getValidators?: (url: URL) => Validators | undefined;
};

export type WebPagesOptions = FetchPolicy & { timeoutMilliseconds?: number };

type Response = Dispatcher.ResponseData;
type Body = { bytes: Uint8Array; isCutOff: boolean };
type Resource = Body & { url: URL; status: number; contentType: string; validators: Validators };

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
    const { url: found, status, ...page } = await this.#get(url, options);
    const isUnchanged = status === 304 && options.getValidators?.(found) !== undefined;
    if (!isUnchanged && !isSuccess(status)) throw new PageFetchError(`The page answered with status ${status}.`);
    return { ...page, url: found.href, isUnchanged };
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
        const response = await request(current, {
          dispatcher: this.#agent,
          headers: { ...requestHeaders, ...conditionalHeaders(options.getValidators?.(current)) },
          signal,
        });
        const location = readLocation(response);
        if (location === undefined) {
          const contentType = readHeader(response, 'content-type');
          const [etag, lastModified] = ['etag', 'last-modified'].map((name) => readValidator(response, name));
          const validators = { etag, lastModified };
          return { url: current, status: response.statusCode, contentType, validators, ...(await readBody(response)) };
        }
        discardBody(response);
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

const readHeader = ({ headers }: Response, name: string): string => [headers[name] ?? ''].flat().join(', ');

const readValidator = (response: Response, name: string): string | undefined => {
  const value = readHeader(response, name);
  return value !== '' && value.length <= maxValidatorCharacters ? value : undefined;
};

const isSuccess = (status: number) => status >= 200 && status <= 299;

const readLocation = (response: Response): string | undefined => {
  if (![301, 302, 303, 307, 308].includes(response.statusCode)) return undefined;
  // Sites send UTF-8 in this header, though headers are Latin-1.
  const bytes = Buffer.from(readHeader(response, 'location'), 'latin1');
  return (isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')) || undefined;
};

type Decode = (bytes: Uint8Array, options: zlib.ZlibOptions & zlib.BrotliOptions) => Promise<Uint8Array>;
const [inflate, inflateRaw] = [promisify(zlib.inflate) as Decode, promisify(zlib.inflateRaw) as Decode];
const gunzip: Decode = promisify(zlib.gunzip);

/** The codings of a body: how each is decoded, and the flag with which one that ends too early is. */
const codings: Record<string, { decode: Decode; flush: number }> = {
  gzip: { decode: gunzip, flush: zlib.constants.Z_SYNC_FLUSH },
  'x-gzip': { decode: gunzip, flush: zlib.constants.Z_SYNC_FLUSH },
  // Some servers send it without the header that it should have.
  deflate: {
    decode: (bytes, options) => (((bytes[0] as number) & 0x0f) === 8 ? inflate : inflateRaw)(bytes, options),
    flush: zlib.constants.Z_SYNC_FLUSH,
  },
  br: { decode: promisify(zlib.brotliDecompress) as Decode, flush: zlib.constants.BROTLI_OPERATION_FLUSH },
  zstd: { decode: promisify(zlib.zstdDecompress) as Decode, flush: zlib.constants.ZSTD_e_flush },
};

/** Reads the whole body, decoded. Reading stops at the maximum size of a page, so that a bomb is never inflated. */
const readBody = async (response: Response): Promise<Body> => {
  const named = readHeader(response, 'content-encoding').toLowerCase().split(',');
  const applied = named.map((coding) => coding.trim()).filter((coding) => coding !== '' && coding !== 'identity');
  const unknown = applied.find((coding) => !Object.hasOwn(codings, coding));
  if (named.length > maxCodings || unknown) discardBody(response);
  if (named.length > maxCodings) throw new PageFetchError('The page is compressed too many times.');
  if (unknown) throw new PageFetchError(`The page is compressed in a way that is not known (${unknown.slice(0, 20)}).`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > limits.pageBytes) throw tooLarge();
    chunks.push(chunk);
  }
  let body: Body = { bytes: Buffer.concat(chunks), isCutOff: false };
  for (const coding of applied.toReversed()) body = await decodeBody(body, coding);
  return body;
};

const decodeBody = async ({ bytes, isCutOff }: Body, coding: string): Promise<Body> => {
  if (bytes.length === 0) return { bytes, isCutOff };
  const { decode, flush } = codings[coding] as (typeof codings)[string];
  const options = { maxOutputLength: limits.pageBytes };
  try {
    return { bytes: await decode(bytes, options), isCutOff };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    if (code !== 'Z_BUF_ERROR') throw error;
    return { bytes: await decode(bytes, { ...options, finishFlush: flush }), isCutOff: true };
  }
};

const tooLarge = () => new PageFetchError(`The page is larger than ${formatLimit('pageBytes')}.`);

const discardBody = ({ body }: Response) => body.on('error', () => {}).destroy();

/** Returns the error that is shown to the owner of the page; undefined for errors that the site did not cause. */
const pageFetchError = (causes: NodeJS.ErrnoException[]): PageFetchError | undefined => {
  const known = causes.find((cause) => cause instanceof PageFetchError);
  if (known) return known;
  if (/\b(Z_|ZSTD_|ERR__)/.test(joinCodes(causes))) return new PageFetchError('The page is not compressed as it says.');
  const problem = connectionProblem(causes);
  return problem === undefined ? undefined : new PageFetchError(problem);
};

export const webPages = /* @__PURE__ */ wholeService(
  () => new WebPages({ trustedOrigins: environment.crawlTrustedOrigins }),
);
