import createClient, { type Client, type FetchOptions } from 'openapi-fetch';
import { type ChatPart, type ChatRequest, chatParts } from './client-chat.ts';
import { persistentFetch, type RetryOptions } from './client-fetch.ts';
import { formData, type NamedFile, namedBlob, presignedForm } from './client-files.ts';
import type { components, operations, paths } from './types.ts';

export type { ChatPart, ChatRequest, components, NamedFile, operations, paths };

/** A record of the interface by its name in the document: `Schema<'Call'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** What `error` is when a request fails; switch on its field `error`. */
export type ApiError = Schema<'Error'>;

export type ApiClientOptions = RetryOptions & {
  /** Where the service is: `https://….execute-api.eu-central-1.amazonaws.com`, without a slash at the end. */
  baseUrl: string;
  /** Sent as `X-Authorization` with every request. */
  apiKey?: string | undefined;
  /** Aborts all requests of the client, with their retries. */
  signal?: AbortSignal | undefined;
};

type GetResponse<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** The lists: every path whose response has a `nextCursor`. */
export type ListPath = {
  [Path in keyof paths]: GetResponse<Path> extends never
    ? never
    : 'nextCursor' extends keyof GetResponse<Path>
      ? Path
      : never;
}[keyof paths];
type ListOptions<Path extends ListPath> = FetchOptions<paths[Path]['get']>;

export type ListedPage<Path extends ListPath> =
  | { data: GetResponse<Path> & { nextCursor?: string }; error?: never; response: Response }
  | { data?: never; error: ApiError; response: Response };

export type UploadResult = {
  documents: { documentId: string; name: string }[];
  failed: Schema<'RefusedFile'>[];
  /** Why the rest was not uploaded. */
  error?: ApiError;
};

export type ApiClient = Client<paths> & {
  /** The pages of a list, one request each: `for await (const { data, error } of api.pages('/agents', …))`. It ends after an error. */
  pages<Path extends ListPath>(path: Path, options: ListOptions<Path>): AsyncGenerator<ListedPage<Path>>;
  /** The answer of the build assistant, part by part. A failure is a last part of type `error`; nothing is thrown. */
  chat(request: ChatRequest, options?: { signal?: AbortSignal }): AsyncGenerator<ChatPart>;
  /** Uploads up to 10 files of up to 10 MB each: small ones with one request, larger ones by presigned forms. */
  upload(agent: { uid: string; agentId: string }, files: NamedFile[]): Promise<UploadResult>;
};

/** What one request with files can carry; larger uploads go to the file store directly. */
const maxFormBytes = 4 * 1024 * 1024;

/**
 * A typed client of the service. A failure is not thrown but returned as `error`, beside the `response`:
 *
 *     const api = apiClient({ baseUrl, apiKey });
 *     const { data, error } = await api.GET('/agents', { params: { query: { uid } } });
 */
export const apiClient = ({ baseUrl, apiKey, signal, ...options }: ApiClientOptions): ApiClient => {
  const headers = { ...(apiKey !== undefined && { 'X-Authorization': apiKey }) };
  const send = persistentFetch(options);
  const client = createClient<paths>({ baseUrl, headers, fetch: send, bodySerializer, ...(signal && { signal }) });

  async function* pages<Path extends ListPath>(path: Path, options: ListOptions<Path>) {
    // The types of one path are known to the caller; here it is any list.
    const list = client.GET as unknown as (path: Path, options: object) => Promise<ListedPage<Path>>;
    const params = options.params as { query?: object };
    let cursor: string | undefined;
    do {
      const page = await list(path, {
        ...options,
        params: { ...params, query: { ...params.query, ...(cursor && { cursor }) } },
      });
      yield page;
      cursor = page.data?.nextCursor;
    } while (cursor !== undefined);
  }

  const upload = async (agent: { uid: string; agentId: string }, files: NamedFile[]): Promise<UploadResult> => {
    const blobs = await Promise.all(files.map(namedBlob));
    if (blobs.reduce((sum, { blob }) => sum + blob.size, 0) <= maxFormBytes) {
      const body = { ...agent, files: blobs.map(({ name, blob }) => new File([blob], name)) };
      const { data, error } = await client.POST('/agent-documents', { body });
      return data ? { documents: data.documents, failed: data.failed } : { documents: [], failed: [], error };
    }
    const body = { ...agent, files: blobs.map(({ name, blob }) => ({ name, size: blob.size })) };
    const { data, error } = await client.POST('/agent-documents/uploads', { body });
    if (error) return { documents: [], failed: [], error };
    const result: UploadResult = { documents: [], failed: data.failed };
    const waiting = [...blobs];
    for (const { documentId, name, url, fields } of data.uploads) {
      const place = Math.max(
        0,
        waiting.findIndex((one) => one.name === name),
      );
      const [{ blob } = { blob: new Blob([]) }] = waiting.splice(place, 1);
      const form = presignedForm(fields, name, blob);
      const response = await send(new Request(url, { method: 'POST', body: form, ...(signal && { signal }) }));
      if (!response.ok) return { ...result, error: (await response.json()) as ApiError };
      result.documents.push({ documentId, name });
    }
    return result;
  };

  // An answer that is streamed is a text here; `chat` has its parts.
  const POST = ((path: '/chat/build', init: object) =>
    client.POST(path, { ...(path === '/chat/build' && { parseAs: 'text' }), ...init } as never)) as ApiClient['POST'];

  return {
    ...client,
    POST,
    pages,
    chat: (body, { signal } = {}) =>
      chatParts(client.POST('/chat/build', { body, parseAs: 'stream', ...(signal && { signal }) })),
    upload,
  };
};

const bodySerializer = (body: unknown) => formData(body) ?? JSON.stringify(body);
