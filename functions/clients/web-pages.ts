import { isUtf8 } from 'node:buffer';
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { legacyHookDecode, normalizeEncoding } from '@exodus/bytes/encoding.js';
import htmlEncodingSniffer from 'html-encoding-sniffer';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { limits } from '../domain/limits.ts';
import { isWebAddress } from '../domain/websites.ts';
import { environment } from '../environment.ts';
import { service } from '../service.ts';
import { isPublicAddress } from './addresses.ts';

/** The name under which the crawler goes, in its requests and in robots.txt. */
export const crawlerName = 'VoiceAgentPlatformBot';

const userAgent = `${crawlerName}/1.0`;
const connectSeconds = 5;

/** Why a page is not read, in a sentence for its owner. It never tells what an address stands for, or what answers there. */
export class PageFetchError extends Error {
  override readonly name = 'PageRefused';
}

/** A page as it came: `url` is where it was found after all redirects. */
export type WebPage = { url: string; kind: 'html' | 'text'; text: string };

export type Fetch = {
  signal: AbortSignal;
  /** Asked before each redirect is followed; throws where it may not be. */
  mayFollow?: (url: URL) => void | Promise<void>;
};

type Resource = { url: URL; status: number; contentType: string; bytes: Uint8Array };
type Resolve = (host: string) => Promise<LookupAddress[]>;

/** How far the pages reach that are read. */
export type Reach = { trustedOrigins?: ReadonlySet<string>; ports?: ReadonlySet<string>; resolve?: Resolve };

const webPorts: ReadonlySet<string> = new Set(['80', '443']);
const systemResolve: Resolve = (host) => dns.lookup(host, { all: true });

/**
 * Pages of the open internet. Whatever an address looks like and wherever a redirect or a name server leads, a
 * connection is made to public addresses alone, and to ports 80 and 443: each connection is checked where it is made,
 * and made to the very address that was checked. `trustedOrigins` are exempt.
 */
export class WebPages {
  readonly #trusted: ReadonlySet<string>;
  readonly #ports: ReadonlySet<string>;
  readonly #resolve: Resolve;

  constructor({ trustedOrigins, ports = webPorts, resolve = systemResolve }: Reach = {}) {
    this.#trusted = trustedOrigins ?? new Set();
    this.#ports = ports;
    this.#resolve = resolve;
  }

  /** Connections for the pages of one crawl, to be closed at its end. */
  open(): PageReader {
    const shared = { timeout: connectSeconds * 1000, allowH2: false, keepAlive: false };
    const trusted = buildConnector(shared);
    const checked = buildConnector({ ...shared, lookup: this.#lookup });
    const connect: buildConnector.connector = (options, callback) => {
      try {
        const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
        if (this.#trusted.has(url.origin)) return trusted(options, callback);
        if (!this.#ports.has(url.port || defaultPorts[url.protocol] || ''))
          throw new PageFetchError('Only the ports 80 and 443 are read.');
        // A host that is an address itself is never looked up.
        if (isIP(options.hostname) && !isPublicAddress(options.hostname)) throw notPublic();
      } catch (error) {
        return callback(error as Error, null);
      }
      checked(options, callback);
    };
    const milliseconds = limits.pageSeconds * 1000;
    return new PageReader(
      new Agent({ connect, connections: 4, headersTimeout: milliseconds, bodyTimeout: milliseconds }),
    );
  }

  /** Gives a connection the addresses of a host, after every one of them was found to be public. */
  readonly #lookup: LookupFunction = (host, options, callback) => {
    this.#resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) return callback(Object.assign(new Error('No address.'), { code: 'ENOTFOUND' }), []);
        if (!addresses.every(({ address }) => isPublicAddress(address))) return callback(notPublic(), []);
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error as NodeJS.ErrnoException, []),
    );
  };
}

/** Reads pages over connections of its own. */
export class PageReader {
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** Reads a page of HTML or plain text. Throws `PageRefused` with the reason when it is not to be had. */
  async read(url: URL, fetch: Fetch): Promise<WebPage> {
    const resource = await this.#get(url, fetch);
    if (resource.status < 200 || resource.status > 299) {
      throw new PageFetchError(`The page answered with status ${resource.status}.`);
    }
    return { url: resource.url.href, ...decoded(resource) };
  }

  /** Reads a site's robots.txt: what it says, or whether all or nothing is allowed when there is none to be had (RFC 9309, 2.3.1). */
  async readRobots(origin: string, fetch: Fetch): Promise<string | 'everything' | 'nothing'> {
    const { status, bytes } = await this.#get(new URL('/robots.txt', origin), fetch);
    if (status >= 200 && status <= 299) return new TextDecoder().decode(bytes.subarray(0, limits.robotsBytes));
    return status >= 500 || status === 429 ? 'nothing' : 'everything';
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #get(url: URL, fetch: Fetch): Promise<Resource> {
    const deadline = AbortSignal.timeout(limits.pageSeconds * 1000);
    const signal = AbortSignal.any([fetch.signal, deadline]);
    try {
      for (let at = url, redirects = 0; ; redirects++) {
        if (redirects > limits.pageRedirects) throw new PageFetchError('The page redirects too often.');
        const answer = await this.#ask(at, signal);
        const target = redirectOf(answer);
        if (target === undefined) {
          const contentType = headerOf(answer, 'content-type');
          return { url: at, status: answer.statusCode, contentType, bytes: await bodyOf(answer) };
        }
        dismiss(answer);
        const next = URL.parse(target, at.href);
        if (!isWebAddress(next)) throw new PageFetchError('The page redirects to something that is no web page.');
        next.hash = '';
        at = next;
        await fetch.mayFollow?.(at);
      }
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      // The connection has the same deadline for its head and its body: either may be the first to say so.
      if (deadline.aborted || ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].includes(code)) {
        throw new PageFetchError(`The page took longer than ${limits.pageSeconds} seconds.`);
      }
      throw refusalOf(error as NodeJS.ErrnoException) ?? error;
    }
  }

  #ask(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return request(url, {
      dispatcher: this.#agent,
      signal,
      headers: {
        'user-agent': userAgent,
        accept: 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1',
        'accept-encoding': 'gzip, deflate, br',
      },
    });
  }
}

const defaultPorts: Record<string, string> = { 'http:': '80', 'https:': '443' };

const notPublic = () => new PageFetchError('The address is not a public one.');

const redirectOf = (answer: Dispatcher.ResponseData): string | undefined => {
  if (![301, 302, 303, 307, 308].includes(answer.statusCode)) return undefined;
  // Sites send addresses in UTF-8, though a header is Latin-1 by rights.
  const bytes = Buffer.from(headerOf(answer, 'location'), 'latin1');
  return (isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')) || undefined;
};

const headerOf = ({ headers }: Dispatcher.ResponseData, name: string): string => {
  const value = headers[name] ?? '';
  return typeof value === 'string' ? value : (value[0] ?? '');
};

/** The whole body, inflated; never more bytes of either than a page may have. */
const bodyOf = async (answer: Dispatcher.ResponseData): Promise<Uint8Array> => {
  const most = limits.pageBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) break;
    }
  } finally {
    dismiss(answer);
  }
  if (size > most) throw tooLarge();
  const codings = headerOf(answer, 'content-encoding')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding && coding !== 'identity');
  if (codings.length > 2) throw new PageFetchError('The page is compressed too many times.');
  let bytes = Buffer.concat(chunks);
  for (const coding of codings.reverse()) bytes = await inflated(bytes, coding);
  return bytes;
};

const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotliDecompress = promisify(zlib.brotliDecompress);

/** Inflates: the bytes are counted while they come, not afterwards. A cut-off end is taken as it is, as browsers do. */
const inflated = async (bytes: Buffer, coding: string): Promise<Buffer<ArrayBuffer>> => {
  const most = limits.pageBytes;
  const options = { maxOutputLength: most, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return await gunzip(bytes, options);
    if (coding === 'br') {
      const finishFlush = zlib.constants.BROTLI_OPERATION_FLUSH;
      return await brotliDecompress(bytes, { maxOutputLength: most, finishFlush });
    }
    // Servers send both, with and without zlib's header, under this name.
    if (coding === 'deflate') return await ((bytes[0] ?? 8) % 16 === 8 ? inflate : inflateRaw)(bytes, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new PageFetchError('The page is not compressed as it says.');
  }
  throw new PageFetchError(`The page is compressed in a way that is not known (${coding.slice(0, 20)}).`);
};

/** Lets go of an answer that is not, or no longer, read. */
const dismiss = ({ body }: Dispatcher.ResponseData) => {
  body.on('error', () => {});
  body.destroy();
};

const tooLarge = () => new PageFetchError(`The page is larger than ${limits.pageBytes / 1024 / 1024} MB.`);

/** The text of a page in the character set that its BOM, its header or its markup names. */
const decoded = ({ contentType, bytes }: Resource): Pick<WebPage, 'kind' | 'text'> => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const mediaType = type.trim() || sniffed(bytes);
  const label = parameters
    .map((parameter) => /^\s*charset\s*=\s*["']?([^"']+)/.exec(parameter)?.[1]?.trim())
    .find((charset) => charset && normalizeEncoding(charset));
  const byDefault = isUtf8(bytes) ? 'utf-8' : 'windows-1252';
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') {
    const encoding = htmlEncodingSniffer(bytes, { transportLayerEncodingLabel: label, defaultEncoding: byDefault });
    return { kind: 'html', text: legacyHookDecode(bytes, encoding.toLowerCase()) };
  }
  if (mediaType === 'text/plain') {
    const text = legacyHookDecode(bytes, label ? (normalizeEncoding(label) ?? byDefault) : byDefault);
    if (text.includes('\0')) throw new PageFetchError('The page is not text, though it says so.');
    return { kind: 'text', text };
  }
  throw new PageFetchError(`The page is neither HTML nor plain text but ${mediaType.slice(0, 60)}.`);
};

/** What a page without a content type is: HTML when it begins like it. */
const sniffed = (bytes: Uint8Array) =>
  /^\s*</.test(Buffer.from(bytes.subarray(0, 512)).toString('latin1')) ? 'text/html' : 'text/plain';

/** What a fault of the connection is to the page's owner; nothing for faults of ours. */
const refusalOf = (error: NodeJS.ErrnoException): PageFetchError | undefined => {
  if (error instanceof PageFetchError) return error;
  if (error.name === 'AggregateError' || error.cause instanceof PageFetchError) {
    return (error.cause as PageFetchError | undefined) ?? unreachable();
  }
  const code = error.code ?? '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA' || code === 'ESERVFAIL')
    return new PageFetchError('The host was not found.');
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code))
    return new PageFetchError('The site’s certificate is not valid.');
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError')
    return new PageFetchError('The site does not answer in HTTP.');
  return /^(UND_ERR|E[A-Z]+$)/.test(code) ? unreachable() : undefined;
};

const unreachable = () => new PageFetchError('The connection to the site failed.');

export const webPages = service(() => new WebPages({ trustedOrigins: environment.crawlTrustedOrigins }));
