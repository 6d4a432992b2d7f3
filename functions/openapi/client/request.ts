import { ApiRequestError } from './api-request-error.ts';
import { errorResponse, type PersistentFetch, type RetryOptions, type SendOptions } from './fetch.ts';
import type { ApiError } from './types.ts';

/** The request of an operation: its path, and where its parameters go. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** The parameters that go into the query. The path names its own; the others are the body. */
  query?: string[];
  body?: 'json' | 'form';
  takesUid?: true;
  /** The field of a list's response that holds the items. When it is empty, a page is an item. */
  items?: string;
  /** The items of a page of a list whose request does not say how many. */
  limit?: number;
  /** The response is a stream of the parts of an answer. */
  stream?: true;
};

/** The options of one request. */
export type RequestOptions = {
  /** Aborts the request with its retries. Only an abort is thrown. */
  signal?: AbortSignal | undefined;
  /** The timeout of one attempt. Default: that of the client. */
  timeoutSeconds?: number | undefined;
  /** The maximum number of retries of the request. Default: that of the client. */
  retries?: number | undefined;
  /** Set your own to repeat a request from another process. Default: a random one for every POST and PATCH. */
  idempotencyKey?: string | undefined;
  /** The version that you have read. The request fails with `version_conflict` when there is a newer one. */
  ifMatch?: number | '*' | undefined;
  /** Further headers. */
  headers?: Record<string, string> | undefined;
  /** Parses the response instead of `JSON.parse`, which rounds large numbers. */
  parse?: ((text: string) => unknown) | undefined;
};

/** The result of a request: `data`, or `error`, whose field `error` is a code of a closed list. */
export type Result<Data> =
  | { data: Data; error?: undefined; response: Response }
  | { data?: undefined; error: ApiError; response: Response };

/**
 * A request for a list: the result of its first page when it is awaited, and every item of all pages in `for await`, which
 * throws an `ApiRequestError` when a page fails.
 */
export interface ListRequest<Page, Item> extends Promise<Result<Page>>, AsyncIterable<Item, void> {
  /** The result of each page. It ends after an error. */
  pages(): AsyncGenerator<Result<Page>, void>;
}

/** Returns the data of a result. Throws an `ApiRequestError` when the request failed. */
export const dataOf = <Data>({ data, error, response }: Result<Data>): Data => {
  if (error) throw new ApiRequestError(error, response);
  return data;
};

/** The settings that all requests of a client share. */
export type Connection = {
  baseUrl: string;
  apiKey?: string | undefined;
  uid?: string | undefined;
  signal?: AbortSignal | undefined;
  fetch: RetryOptions['fetch'];
  send: PersistentFetch;
};

export type Params = Record<string, unknown>;

/** Sends the request of an operation. Only an abort is thrown. */
export const respond = async (
  connection: Connection,
  name: string,
  operation: Operation,
  params: Params,
  options: RequestOptions & Pick<SendOptions, 'fetch'> = {},
): Promise<Response> => {
  let request: Request;
  try {
    request = toRequest(connection, operation, params, options);
  } catch (error) {
    return errorResponse(400, 'misconfigured', (error as Error).message);
  }
  const { timeoutSeconds, retries, fetch } = options;
  const { stream } = operation;
  return connection.send(request, { operation: name, timeoutSeconds, retries: stream ? 0 : retries, fetch, stream });
};

/** Returns the result of a response. */
export const readResult = async <Data>(response: Response, options: RequestOptions = {}): Promise<Result<Data>> => {
  if (!response.ok) return { error: (await response.json()) as ApiError, response };
  const { parse = JSON.parse } = options;
  try {
    return { data: parse(await response.text()) as Data, response };
  } catch {
    const type = response.headers.get('content-type') ?? 'without a type';
    const message = `The response is not JSON (${type}). Is baseUrl the address of the service?`;
    return { error: { error: 'unexpected_response', message }, response };
  }
};

/** Returns the pages of a list, starting with the result of the first page. */
export const listRequest = <Page, Item>(
  { items }: Operation,
  getPage: (cursor?: string) => Promise<Result<Page>>,
): ListRequest<Page, Item> => {
  const first = getPage();
  async function* pages() {
    for (let page: Result<Page> | undefined = await first; page; ) {
      yield page;
      const { nextCursor } = (page.data ?? {}) as { nextCursor?: string };
      page = nextCursor === undefined ? undefined : await getPage(nextCursor);
    }
  }
  return Object.assign(first, {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) {
        const data = dataOf(page) as Page & Record<string, Item[]>;
        if (items) yield* data[items] ?? [];
        else yield data as unknown as Item;
      }
    },
  });
};

/** Returns the request of an operation. Throws an error with the reason if it cannot be sent. */
const toRequest = (connection: Connection, operation: Operation, params: Params, options: RequestOptions): Request => {
  const { method, path, query = [], body, takesUid } = operation;
  const rest = new Map(Object.entries({ ...(takesUid && { uid: connection.uid }), ...withoutUndefined(params) }));
  const take = (name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const url = resolveAddress(
    connection.baseUrl,
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = toText(name, take(name) ?? '');
      if (value === '') throw new TypeError(`${name} is missing.`);
      // No encoding keeps them: the request would go to the path above.
      if (value === '.' || value === '..')
        throw new TypeError(`${name} must not be ${value}, which no path can carry.`);
      return encodeURIComponent(value);
    }),
  );
  for (const name of query) {
    const value = take(name);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) url.searchParams.append(name, toText(name, one));
    }
  }
  const headers = buildHeaders(connection, operation, options);
  const content = Object.fromEntries(rest);
  if (body === 'json') headers.set('content-type', 'application/json');
  return new Request(url, {
    method,
    headers,
    // A redirect would take the API key to another address.
    redirect: 'manual',
    signal: anySignal(connection.signal, options.signal),
    ...(body && { body: body === 'json' ? toJson(content) : toForm(content) }),
  });
};

/** Throws for a value that a request would lose: JSON writes NaN as `null`, which clears a field. */
const refuseLost = (name: string, value: unknown) => {
  const refuse = (is: string) => new TypeError(`${name} is ${is}, which a request cannot carry.`);
  if (typeof value === 'number' && !Number.isFinite(value)) throw refuse(String(value));
  if (value instanceof Date && Number.isNaN(value.getTime())) throw refuse('an invalid date');
  if (value instanceof Map || value instanceof Set) throw refuse(`a ${value.constructor.name}`);
};

const toJson = (content: Params): string =>
  JSON.stringify(content, function (this: Params, name: string, value: unknown) {
    refuseLost(name, this[name]);
    return value;
  });

/** Returns a value of a path, a query or a form. */
const toText = (name: string, value: unknown): string => {
  refuseLost(name, value);
  return String(value);
};

/** Returns the form of a body that has files. */
const toForm = (content: Params): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(content)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one instanceof Blob) form.append(name, one);
      else if (one !== null) form.append(name, toText(name, one));
    }
  }
  return form;
};

const buildHeaders = (
  { apiKey }: Connection,
  { method, stream }: Operation,
  { idempotencyKey, ifMatch, headers }: RequestOptions,
) => {
  const isKeyed = apiKey !== undefined && !stream && (method === 'POST' || method === 'PATCH');
  const all: Record<string, string | undefined> = {
    'x-authorization': apiKey,
    'idempotency-key': idempotencyKey ?? (isKeyed ? randomKey() : undefined),
    'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch,
  };
  const result = new Headers();
  for (const [name, value] of Object.entries({ ...withoutUndefined(all), ...headers })) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value as string)) {
      const option = name === 'x-authorization' ? 'apiKey' : name;
      throw new TypeError(`${option} has a character that a header cannot carry. Was it copied from an example?`);
    }
    result.set(name, value as string);
  }
  return result;
};

/** Returns the address of a path. A `baseUrl` that begins with a slash is relative to the page's own origin. */
export const resolveAddress = (baseUrl: string, path: string): URL => {
  const { location } = globalThis as { location?: { origin: string } };
  const base = baseUrl.startsWith('/') && location ? location.origin + baseUrl : baseUrl;
  if (!/^https?:\/\/./i.test(base)) {
    throw new TypeError(
      base === ''
        ? 'baseUrl is missing: give the address of the service, or set VAP_BASE_URL.'
        : 'baseUrl must begin with http:// or https://.',
    );
  }
  const url = new URL(base.replace(/\/+$/, '') + path);
  if (url.username || url.password) throw new TypeError('baseUrl must not contain a user name or a password.');
  // A baseUrl that is relative has the origin of the page, which was loaded from there.
  if (base === baseUrl && isOpenHttp(url)) {
    throw new TypeError(
      `baseUrl must begin with https://, unlike ${url.origin}: the API key would be sent unencrypted. Only a loopback address, such as 127.0.0.1, may begin with http://.`,
    );
  }
  return url;
};

const isOpenHttp = ({ protocol, hostname }: URL) =>
  protocol === 'http:' && !/^(127\.\d+\.\d+\.\d+|\[::1\]|(.+\.)?localhost)$/.test(hostname);

export const anySignal = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined));

const withoutUndefined = (record: Params): Params =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

/** Returns a random UUID. Browsers have `crypto.randomUUID` only on secure origins. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
