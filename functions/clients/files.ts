import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { create as contentDisposition } from 'content-disposition';
import type { Download } from '../domain/documents.ts';
import { limits } from '../domain/limits.ts';
import { environment } from '../environment.ts';
import { service } from '../service.ts';
import { type AwsRequest, AwsRequests } from './aws-request.ts';

/** The content of a file; its `etag` changes with every byte of it. */
export type StoredFile = { bytes: Uint8Array; etag: string };

/** A part of a file, and the size of the whole. */
export type FilePart = StoredFile & { size: number };

/** A presigned form with which a browser or curl sends one file straight to the bucket. */
export type UploadForm = { url: string; fields: Record<string, string> };

type Settings = typeof environment.s3 & { bucket: string; timeoutMs?: number };

const maxAttempts = 3;
/** The timeout of a call, its retries included. */
export const defaultTimeoutMs = 9000;

/** The bucket of uploaded files. */
export class Files {
  readonly #requests: AwsRequests;
  readonly #settings: Settings;
  readonly #bucketUrl: string;

  constructor(settings: Settings) {
    this.#settings = settings;
    const { bucket, endpoint, region } = settings;
    this.#bucketUrl = endpoint ? `${endpoint}/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`;
    this.#requests = new AwsRequests('s3', settings);
  }

  async put(key: string, bytes: Uint8Array): Promise<{ etag: string }> {
    const response = await this.#send(key, { method: 'PUT', body: bytes });
    await readSuccess(response);
    return { etag: etagOf(response) };
  }

  /** Reads a file of at most `maxBytes`; undefined if there is no such file. */
  async read(key: string, maxBytes: number): Promise<StoredFile | { tooLarge: true; etag: string } | undefined> {
    const response = await this.#send(key, { method: 'GET' });
    if (response.status !== 200) return missing(response);
    const etag = etagOf(response);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) return { tooLarge: true, etag };
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), etag };
  }

  /**
   * Reads a part of a file, from `start` on and at most `length` bytes; undefined if there is no such file, `changed` if it
   * is no longer the one with this `etag`.
   */
  async readPart(
    key: string,
    { start, length, etag }: { start: number; length: number; etag?: string | undefined },
  ): Promise<FilePart | 'changed' | undefined> {
    const headers = { range: `bytes=${start}-${start + length - 1}`, ...(etag && { 'if-match': `"${etag}"` }) };
    const response = await this.#send(key, { method: 'GET', headers });
    const isPart = response.status === 206;
    if (!isPart) await response.body?.cancel();
    if (response.status === 412) return 'changed';
    if (response.status === 404) return undefined;
    // 416: the file ends before `start`.
    if (!isPart && response.status !== 416) throw new Error(`S3 answered ${response.status} to a part of a file.`);
    const size = Number(response.headers.get('content-range')?.split('/')[1]);
    const bytes = isPart ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array();
    return { bytes, etag: etagOf(response), size };
  }

  async head(key: string): Promise<{ size: number; etag: string } | undefined> {
    const response = await this.#send(key, { method: 'HEAD' });
    if (response.status !== 200) return missing(response);
    return { size: Number(response.headers.get('content-length')), etag: etagOf(response) };
  }

  /** Deletes a file, if it exists. */
  async delete(key: string): Promise<void> {
    const response = await this.#send(key, { method: 'DELETE' });
    if (response.status !== 404) await readSuccess(response);
  }

  /** Copies a file within S3. Returns false if there is no such file. */
  async copy(from: string, to: string): Promise<boolean> {
    const headers = { 'x-amz-copy-source': encodeURI(`/${this.#settings.bucket}/${from}`) };
    const response = await this.#send(to, { method: 'PUT', headers });
    if (response.status === 404) return false;
    const body = await readSuccess(response);
    // S3 sends the status before it copies: a later failure is an error in the body of a 200.
    if (body.includes('<Error>')) throw new Error(`S3 did not copy a file: ${body.slice(0, 300)}`);
    return true;
  }

  /** A presigned download link, valid for 15 minutes. The browser saves the file under its name, and never opens it. */
  async downloadUrl({ key, name, contentType }: Download): Promise<string> {
    const url = new URL(this.#urlOf(key));
    url.searchParams.set('X-Amz-Expires', String(limits.linkSeconds));
    url.searchParams.set('response-content-disposition', contentDisposition(name));
    url.searchParams.set('response-content-type', contentType);
    // The signature covers a space, and not every reader of a query reads a plus as one.
    return (await this.#requests.presign(url)).replaceAll('+', '%20');
  }

  /**
   * A form, valid for 15 minutes, that stores one file of 1 to `maxBytes` under this key alone.
   * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html
   */
  uploadForm(key: string, maxBytes: number, at = Date.now()): UploadForm {
    const { bucket, region, accessKeyId, secretAccessKey, sessionToken } = this.#settings;
    const time = new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
    const fields = {
      key,
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
      'x-amz-credential': [accessKeyId, ...scope].join('/'),
      'x-amz-date': time,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    };
    const conditions = [{ bucket }, ['content-length-range', 1, maxBytes], ...Object.entries(fields).map(equals)];
    const expiration = new Date(at + limits.linkSeconds * 1000).toISOString();
    const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64');
    const signingKey = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
    return {
      url: this.#bucketUrl,
      fields: { ...fields, policy, 'x-amz-signature': hmac(signingKey, policy).toString('hex') },
    };
  }

  #urlOf(key: string) {
    return `${this.#bucketUrl}/${key}`;
  }

  /** Sends a request, and retries lost responses and errors of S3: all requests of this class are idempotent. */
  async #send(key: string, request: AwsRequest): Promise<Response> {
    const signal = AbortSignal.timeout(this.#settings.timeoutMs ?? defaultTimeoutMs);
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#requests.send(this.#urlOf(key), request, signal);
        if (attempt === maxAttempts || !(response.status >= 500 || response.status === 429)) return response;
        await response.body?.cancel();
      } catch (error) {
        if (attempt === maxAttempts || signal.aborted) throw new Error('S3 did not answer.', { cause: error });
      }
      await sleep(Math.random() * 100 * 2 ** attempt);
    }
  }
}

const equals = ([field, value]: [string, string]) => ({ [field]: value });

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const etagOf = (response: Response) => (response.headers.get('etag') ?? '').replaceAll('"', '');

/** The body of a successful response. Throws an error with S3's reason otherwise. */
const readSuccess = async (response: Response): Promise<string> => {
  const body = await response.text();
  if (!response.ok) throw new Error(`S3 answered ${response.status}: ${body.slice(0, 300)}`);
  return body;
};

const missing = async (response: Response): Promise<undefined> => {
  if (response.status !== 404) await readSuccess(response);
  else await response.body?.cancel();
};

export const files = /* @__PURE__ */ service(() => new Files({ ...environment.s3, bucket: environment.filesBucket }), {
  put: ['s3:PutObject'],
  read: ['s3:GetObject', 's3:ListBucket'],
  head: ['s3:GetObject', 's3:ListBucket'],
  delete: ['s3:DeleteObject'],
  copy: ['s3:GetObject', 's3:ListBucket', 's3:PutObject'],
  downloadUrl: ['s3:GetObject'],
  uploadForm: ['s3:PutObject'],
});

/** The same for the files of imports, which are in a folder of their own. */
export const importFiles = /* @__PURE__ */ service(files.get, {
  delete: ['s3:DeleteObject:imports'],
  readPart: ['s3:GetObject:imports', 's3:ListBucket'],
  uploadForm: ['s3:PutObject:imports'],
});
