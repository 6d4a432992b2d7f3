import type { SendOptions } from './fetch.ts';
import { fetchWithProgress, type NamedFile, namedBlob, presignedForm, type UploadProgress } from './files.ts';
import type { Operations } from './groups.ts';
import { anySignal, type Connection, type RequestOptions, type Result, readResult } from './request.ts';
import type { ApiError, CreateBlockListImportParams, CreateBlockListImportResponse, RefusedFile } from './types.ts';

export type UploadOptions = RequestOptions & {
  /** Called while files are sent: continually in a browser, elsewhere after each request. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
};

export type UploadResult = {
  documents: { documentId: string; name: string }[];
  failed: RefusedFile[];
  /** The reason why the rest was not uploaded. */
  error?: ApiError;
};

export interface DocumentUploads {
  /** Uploads files: small ones with one request, larger ones by presigned forms. */
  uploadFiles(
    agent: { uid?: string; agentId: string },
    files: NamedFile[],
    options?: UploadOptions,
  ): Promise<UploadResult>;
}

export interface BlockListUploads {
  /** Creates an import and uploads its file. `waitUntilImported` waits for its end. */
  importFile(
    params: Omit<CreateBlockListImportParams, 'size'>,
    file: Blob,
    options?: UploadOptions,
  ): Promise<Result<CreateBlockListImportResponse>>;
}

/** The maximum size of a request with files. Larger uploads go directly to the file store. */
export const maxFormBytes = 4 * 1024 * 1024;
/** The validity of a presigned form. */
const formSeconds = 15 * 60;

export const documentUploads = (connection: Connection, { documents }: Operations): DocumentUploads => ({
  async uploadFiles(agent, files, options = {}) {
    const blobs = await Promise.all(files.map(namedBlob));
    const totalBytes = blobs.reduce((sum, { blob }) => sum + blob.size, 0);
    if (totalBytes <= maxFormBytes) {
      const form = { ...agent, files: blobs.map(({ name, blob }) => new File([blob], name)) };
      const { data, error } = await documents.upload(form, reporting(connection, options, { totalBytes }));
      return data ? { documents: data.documents, failed: data.failed } : { documents: [], failed: [], error };
    }
    const sizes = blobs.map(({ name, blob }) => ({ name, size: blob.size }));
    const { data, error } = await documents.createUploads({ ...agent, files: sizes }, options);
    if (error) return { documents: [], failed: [], error };
    const result: UploadResult = { documents: [], failed: data.failed };
    const waiting = [...blobs];
    let sentBefore = 0;
    for (const { documentId, name, ...form } of data.uploads) {
      const index = waiting.findIndex((one) => one.name === name);
      const [{ blob } = { blob: new Blob([]) }] = waiting.splice(Math.max(0, index), 1);
      const sending = reporting(connection, options, { totalBytes, sentBefore, fileBytes: blob.size });
      const response = await sendForm(connection, 'documents.uploadFiles', form, { name, blob }, sending);
      if (!response.ok) return { ...result, error: (await response.json()) as ApiError };
      sentBefore += blob.size;
      result.documents.push({ documentId, name });
    }
    return result;
  },
});

export const blockListUploads = (connection: Connection, { blockList }: Operations): BlockListUploads => ({
  async importFile(params, blob, options = {}) {
    const created = await blockList.createImport({ ...params, size: blob.size }, options);
    if (!created.data) return created;
    const sending = reporting(connection, options, { totalBytes: blob.size });
    const response = await sendForm(
      connection,
      'blockList.importFile',
      created.data,
      { name: 'numbers', blob },
      sending,
    );
    return response.ok ? created : readResult(response);
  },
});

type SendingOptions = RequestOptions & Pick<SendOptions, 'fetch'>;

/** Returns the options of a request that sends a part of an upload and reports its progress. */
const reporting = (
  { fetch }: Connection,
  { onProgress, ...options }: UploadOptions,
  {
    totalBytes,
    sentBefore = 0,
    fileBytes = totalBytes,
  }: { totalBytes: number; sentBefore?: number; fileBytes?: number },
): SendingOptions => ({
  ...options,
  ...(onProgress && {
    fetch: fetchWithProgress(fileBytes, (sent) => onProgress({ sentBytes: sentBefore + sent, totalBytes }), fetch),
  }),
});

/** Sends a file with a presigned form. Repeating it is safe, because it always stores the same file. */
const sendForm = (
  connection: Connection,
  operation: string,
  { url, fields }: { url: string; fields: Record<string, string> },
  { name, blob }: { name: string; blob: Blob },
  { signal, retries, timeoutSeconds = formSeconds, fetch }: SendingOptions,
): Promise<Response> => {
  const body = presignedForm(fields, name, blob);
  const request = new Request(url, { method: 'POST', body, signal: anySignal(connection.signal, signal) });
  return connection.send(request, { operation, retries, timeoutSeconds, fetch });
};
