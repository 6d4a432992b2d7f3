import { type ChatPart, chatParts } from './chat.ts';
import { persistentFetch, type RetryOptions } from './fetch.ts';
import type { Operations } from './groups.ts';
import { operations } from './operations.ts';
import {
  type Connection,
  listRequest,
  type Operation,
  type Params,
  type RequestOptions,
  type Result,
  readResult,
  respond,
} from './request.ts';
import { type BlockListUploads, blockListUploads, type DocumentUploads, documentUploads } from './uploads.ts';
import {
  type BlockListWaits,
  blockListWaits,
  type DocumentWaits,
  documentWaits,
  type ErasureWaits,
  erasureWaits,
  type WebsiteWaits,
  websiteWaits,
} from './waiting.ts';

export { ApiRequestError } from './api-request-error.ts';
export type { ChatPart } from './chat.ts';
export type { LogEntry } from './fetch.ts';
export type { NamedFile, UploadProgress } from './files.ts';
export type * from './groups.ts';
export { type RequestLimits, readLimits } from './limits.ts';
export { dataOf, type ListRequest, type RequestOptions, type Result } from './request.ts';
export type * from './types.ts';
export type { UploadOptions, UploadResult } from './uploads.ts';
export type { WaitOptions } from './waiting.ts';
export { verifyWebhook } from './webhooks.ts';

/** In Node, the address, the key and the user default to `VAP_BASE_URL`, `VAP_API_KEY` and `VAP_USER`. */
export type ApiClientOptions = RetryOptions & {
  /** The address of the service: `https://….execute-api.eu-central-1.amazonaws.com`, or in a page `/` for its own origin. */
  baseUrl?: string | undefined;
  /** Sent as `X-Authorization` with every request. */
  apiKey?: string | undefined;
  /** The user of every request that does not name one. */
  uid?: string | undefined;
  /** Aborts all requests of the client, with their retries. */
  signal?: AbortSignal | undefined;
};

export type ApiClient = Operations & {
  documents: DocumentUploads & DocumentWaits;
  websites: WebsiteWaits;
  blockList: BlockListUploads & BlockListWaits;
  erasures: ErasureWaits;
};

/**
 * A client of the service. A failure is not thrown but returned as `error`, together with the `response`:
 *
 *     const api = apiClient();
 *     const { data, error } = await api.calls.list({ agentId, limit: 2 });
 *
 * The items of all pages of a list: `for await (const call of api.calls.list({ agentId })) …`.
 */
export const apiClient = (options: ApiClientOptions = {}): ApiClient => {
  const { env = {} } = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process ?? {};
  const connection: Connection = {
    // What was copied into a file of settings often has a space or a line break around it.
    baseUrl: (options.baseUrl ?? env.VAP_BASE_URL ?? '').trim(),
    apiKey: (options.apiKey ?? env.VAP_API_KEY)?.trim(),
    uid: (options.uid ?? env.VAP_USER)?.trim(),
    signal: options.signal,
    fetch: options.fetch,
    send: persistentFetch(options),
  };
  const groups = mapValues(operations, (group, verbs) =>
    mapValues(verbs, (verb, operation) => buildMethod(connection, `${group}.${verb}`, operation)),
  ) as unknown as Operations;
  const { documents, websites, blockList, erasures } = groups;
  return {
    ...groups,
    documents: { ...documents, ...documentUploads(connection, groups), ...documentWaits(connection, groups) },
    websites: { ...websites, ...websiteWaits(connection, groups) },
    blockList: { ...blockList, ...blockListUploads(connection, groups), ...blockListWaits(connection, groups) },
    erasures: { ...erasures, ...erasureWaits(connection, groups) },
  };
};

type Method = (params?: Params, options?: RequestOptions) => Promise<Result<unknown>> | AsyncGenerator<ChatPart, void>;

const buildMethod = (connection: Connection, name: string, operation: Operation): Method => {
  const send = (params: Params, options?: RequestOptions) => respond(connection, name, operation, params, options);
  if (operation.stream) return (params = {}, options) => chatParts(send(params, options));
  const call = async (params: Params, options?: RequestOptions) => readResult(await send(params, options), options);
  if (operation.items === undefined) return (params = {}, options) => call(params, options);
  const { limit } = operation;
  return (params = {}, options) =>
    listRequest(operation, (cursor) => call({ limit, ...params, ...(cursor !== undefined && { cursor }) }, options));
};

const mapValues = <Value, Mapped>(
  record: Record<string, Value>,
  map: (name: string, value: Value) => Mapped,
): Record<string, Mapped> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));
