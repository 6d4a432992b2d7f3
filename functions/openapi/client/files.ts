/** A file to upload. The name of a `File` is its own. */
export type NamedFile =
  | File
  | { name: string; content: Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string };

/** The progress of an upload. */
export type UploadProgress = { sentBytes: number; totalBytes: number };

/** Returns a file as a blob. Buffers a stream, because the service needs the size before the upload. */
export const namedBlob = async (file: NamedFile): Promise<{ name: string; blob: Blob }> =>
  file instanceof File
    ? { name: file.name, blob: file }
    : { name: file.name, blob: await new Response(file.content).blob() };

/** Returns the form of a presigned upload: its fields first, the file last. */
export const presignedForm = (fields: Record<string, string>, name: string, blob: Blob): FormData => {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', blob, name);
  return form;
};

/** The part of a browser's `XMLHttpRequest` that is used here. */
type Xhr = {
  upload: { onprogress: (event: { loaded: number }) => void };
  onload: () => void;
  onerror: () => void;
  status: number;
  statusText: string;
  responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob): void;
  abort(): void;
};

/**
 * A `fetch` that reports how many bytes of a file have been sent: continually in a browser, where only `XMLHttpRequest` reports
 * progress, and elsewhere once the response has arrived.
 */
export const fetchWithProgress =
  (fileBytes: number, onProgress: (sentBytes: number) => void, fetch: Fetch | undefined): Fetch =>
  async (request) => {
    const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Xhr };
    const response =
      XMLHttpRequest && !fetch
        ? await sendByXhr(new XMLHttpRequest(), request, await request.blob(), (sent) =>
            onProgress(Math.min(sent, fileBytes)),
          )
        : await (fetch ?? globalThis.fetch)(request);
    if (response.ok) onProgress(fileBytes);
    return response;
  };

type Fetch = (request: Request) => Promise<Response>;

const sendByXhr = (
  xhr: Xhr,
  { method, url, headers, signal }: Request,
  body: Blob,
  onProgress: (sent: number) => void,
) =>
  new Promise<Response>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => {
      xhr.abort();
      reject(signal.reason);
    });
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded);
    xhr.onerror = () => reject(new TypeError('Failed to fetch'));
    xhr.onload = () => {
      const { status, statusText, responseText } = xhr;
      const lines = xhr.getAllResponseHeaders().trim().split('\r\n').filter(Boolean);
      const headers = lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string]);
      resolve(new Response(status === 204 ? null : responseText, { status, statusText, headers }));
    };
    xhr.open(method, url);
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.send(body);
  });
