import { parseJson } from '../../../functions/domain/json.ts';
import {
  type ApiClient,
  dataOf,
  type ListRequest,
  type RequestOptions,
  type Result,
} from '../../../functions/openapi/client/client.ts';
import { CommandError } from '../../command-line/exit-codes.ts';
import { count, say } from '../../command-line/output.ts';
import { type ApiOperation, apiOperations } from './operations.ts';

export type Params = Record<string, unknown>;
export type Response = Record<string, unknown>;

type Method = (params: Params, options: RequestOptions) => ListRequest<Response, unknown> | AsyncGenerator<object>;

/** The most items of one page. */
const maxPageItems = 100;

/** Calls an operation. Reads the pages of a list until it has `limit` items; `more` says whether there are others. */
export const runOperation = async (
  api: ApiClient,
  { group, verb, list, responseType, arguments: known }: ApiOperation,
  { limit, ...params }: Params,
  settings: RequestOptions,
): Promise<Response> => {
  // JSON.parse would round large numbers.
  const parse = (text: string) => (params.format === 'csv' ? { csv: text } : parseJson(text));
  const options = { ...settings, parse };
  const method = (api as unknown as Record<string, Record<string, Method>>)[group]?.[verb] as Method;
  if (!responseType) return { parts: await Array.fromAsync(method(params, options) as AsyncGenerator<object>) };
  if (!list) return dataOf(await (method({ ...params, limit }, options) as Promise<Result<Response>>));
  const max = (limit as number | undefined) ?? Number.POSITIVE_INFINITY;
  const pageLimit = known.some(({ name }) => name === 'limit') ? Math.min(max, maxPageItems) : undefined;
  const content = known.some(({ name }) => name === 'content') ? (params.content ?? false) : undefined;
  const request = method({ ...params, limit: pageLimit, content }, options) as ListRequest<Response, unknown>;
  let all: Response = {};
  for await (const page of request.pages()) {
    const { nextCursor, ...response } = dataOf(page);
    all = joinPages(all, response);
    const items = Object.values(all).find(Array.isArray) ?? [];
    const more = items.length > max || (items.length === max && nextCursor !== undefined);
    if (items.length > max) items.length = max;
    all.more = more || undefined;
    if (more) break;
  }
  return all;
};

/** Joins the lists of two pages, and the texts of which they are parts. */
const joinPages = (former: Response, next: Response): Response => {
  const joined = Object.entries(next).map(([name, value]): [string, unknown] => {
    const before = former[name];
    if (Array.isArray(before)) return [name, [...before, ...(value as unknown[])]];
    return [name, /^content/.test(name) && before !== undefined ? `${before}${value}` : value];
  });
  return { ...former, ...Object.fromEntries(joined) };
};

/** Returns the first operation whose required arguments are given, or the first one. */
export const chooseOperation = (operations: ApiOperation[], params: Params): ApiOperation => {
  const fits = (operation: ApiOperation) =>
    operation.arguments.every(({ name, isRequired }) => !isRequired || params[name] !== undefined);
  return operations.find(fits) ?? (operations[0] as ApiOperation);
};

/** Returns what a deletion would delete, if an operation reads it; otherwise the arguments that name it. */
export const previewDeletion = async (
  api: ApiClient,
  { path }: ApiOperation,
  { uid, ...params }: Params,
  options: RequestOptions,
): Promise<Response> => {
  const reader = apiOperations.find((one) => one.method === 'GET' && one.path === path && path.includes('{'));
  const namesUser = reader && (reader.takesUid || reader.path.includes('{uid}'));
  return reader ? runOperation(api, reader, namesUser ? { uid, ...params } : params, options) : params;
};

/** Waits until the website or the document of a response is read. */
export const waitUntilRead = async (api: ApiClient, params: Params, response: Response): Promise<Response> => {
  const { uid, agentId } = params as { uid: string; agentId: string };
  const { websiteId, documentId } = { ...params, ...response } as { websiteId: string; documentId: string };
  const id = websiteId ?? documentId;
  say(`Waiting until ${id} is read …`);
  const options = { maxWaitSeconds: Number.POSITIVE_INFINITY };
  const ended = websiteId
    ? await api.websites.waitUntilReady({ uid, agentId, websiteId }, options)
    : await api.documents.waitUntilReady({ uid, agentId, documentId }, options);
  const { content: _content, contentMD: _contentMD, ...rest } = dataOf<Response>(ended as Result<Response>);
  return rest;
};

/** Ends the command if some of its items failed, or what it waited for. */
export const throwFailures = (response: Response, { waited, unit }: { waited: boolean; unit: string }): void => {
  const { failed, status, id } = response;
  if (Array.isArray(failed) && failed.length > 0) throw new CommandError(`${count(failed.length, unit)} failed.`);
  const kind = String(id).startsWith('web') ? 'Website' : 'Document';
  if (waited && status === 'failed') throw new CommandError(`${kind} ${id} failed.`);
};
