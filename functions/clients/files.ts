import { createHash, createHmac } from 'node:crypto';
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

type Settings = typeof environment.s3 & { bucket: string; timeoutMilliseconds?: number };

const algorithm = 'AWS4-HMAC-SHA256';
const maxAttempts = 3;
/** The timeout of a call, its retries included. */
export const defaultTimeoutMilliseconds = 9000;

/** The bucket of uploaded files. The SDK's presigners would nearly double a bundle. */
export class Files {
  readonly #requests: AwsRequests;
  readonly #settings: Settings;
  readonly #bucketUrl: string;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#bucketUrl = bucketUrl(settings);
    this.#requests = new AwsRequests('s3', settings);
  }

  async put(key: string, bytes: Uint8Array): Promise<{ etag: string }> {
    const response = await this.#send(key, { method: 'PUT', body: bytes });
    await readSuccess(response);
    return { etag: readEtag(response) };
  }

  /**
   * Stores a file whose parts are made while it is written, each but the last of at least 5 MB. Returns its size; a file without
   * bytes is not stored. S3 deletes the parts of one that is never completed after a day.
   * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
   */
  async putParts(key: string, parts: AsyncIterable<Uint8Array>): Promise<number> {
    let size = 0;
    let last: Uint8Array | undefined;
    let uploadId: string | undefined;
    const etags: string[] = [];
    const putPart = async (bytes: Uint8Array) => {
      uploadId ??= await this.#beginParts(key);
      const place = `${key}?partNumber=${etags.length + 1}&uploadId=${encodeURIComponent(uploadId)}`;
      etags.push((await this.put(place, bytes)).etag);
    };
    for await (const bytes of parts) {
      if (last) await putPart(last);
      size += bytes.length;
      last = bytes;
    }
    if (!last || size === 0) return 0;
    if (etags.length === 0) await this.put(key, last);
    else {
      await putPart(last);
      await this.#completeParts(key, uploadId ?? '', etags);
    }
    return size;
  }

  async #beginParts(key: string): Promise<string> {
    const body = await readSuccess(await this.#send(`${key}?uploads=`, { method: 'POST' }));
    const [, uploadId] = /<UploadId>([^<]+)</.exec(body) ?? [];
    if (!uploadId) throw new Error(`S3 began no upload: ${body.slice(0, 300)}`);
    return uploadId;
  }

  async #completeParts(key: string, uploadId: string, etags: string[]): Promise<void> {
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const response = await this.#send(`${key}?uploadId=${encodeURIComponent(uploadId)}`, { method: 'POST', body });
    // An attempt whose response was lost has completed the upload, which S3 then no longer knows.
    if (response.status === 404 && (await this.head(key))) return void (await response.body?.cancel());
    const result = await readSuccess(response);
    // S3 sends the status before it joins the parts: a later failure is an error in the body of a 200.
    if (result.includes('<Error>')) throw new Error(`S3 did not complete a file: ${result.slice(0, 300)}`);
  }

  /** Reads a file of at most `maxBytes`; undefined if there is no such file. */
  async read(key: string, maxBytes: number): Promise<StoredFile | { tooLarge: true; etag: string } | undefined> {
    const response = await this.#send(key, { method: 'GET' });
    if (response.status !== 200) return missing(response);
    const etag = readEtag(response);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) return { tooLarge: true, etag };
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), etag };
  }

  /** Reads a part of a file; undefined without the file, `changed` if it no longer has this `etag`. */
  async readPart(
    key: string,
    { start, length, etag }: { start: number; length: number; etag?: string },
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
    return { bytes, etag: readEtag(response), size };
  }

  async head(key: string): Promise<{ size: number; etag: string } | undefined> {
    const response = await this.#send(key, { method: 'HEAD' });
    if (response.status !== 200) return missing(response);
    return { size: Number(response.headers.get('content-length')), etag: readEtag(response) };
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

  /**
   * Returns a presigned download link, valid for 15 minutes by default. The browser saves the file under its name, and never opens it.
   * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
   */
  downloadUrl({ key, name, contentType }: Download, seconds: number = limits.linkSeconds): string {
    const { origin, host, pathname } = new URL(this.#fileUrl(key));
    const { scope, time, credential, sessionToken } = this.#describeSignature(Date.now());
    // The parameters are in the order in which a signature covers them.
    const query = Object.entries({
      'X-Amz-Algorithm': algorithm,
      'X-Amz-Credential': credential,
      'X-Amz-Date': time,
      'X-Amz-Expires': String(seconds),
      ...(sessionToken && { 'X-Amz-Security-Token': sessionToken }),
      'X-Amz-SignedHeaders': 'host',
      'response-content-disposition': contentDisposition(name),
      'response-content-type': contentType,
    })
      .map((field) => field.map(escapeUrlPart).join('='))
      .join('&');
    const path = pathname.split('/').map(escapeUrlPart).join('/');
    const request = ['GET', path, query, `host:${host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n');
    const digest = createHash('sha256').update(request).digest('hex');
    const signature = this.#sign(scope, [algorithm, time, scope.join('/'), digest].join('\n'));
    return `${origin}${pathname}?${query}&X-Amz-Signature=${signature}`;
  }

  /**
   * Returns a presigned form, valid for 15 minutes, that stores one file of 1 to `maxBytes` only under this key.
   * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html
   */
  uploadForm(key: string, maxBytes: number, at = Date.now()): UploadForm {
    const { bucket } = this.#settings;
    const { scope, time, credential, sessionToken } = this.#describeSignature(at);
    const fields = {
      key,
      'x-amz-algorithm': algorithm,
      'x-amz-credential': credential,
      'x-amz-date': time,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    };
    const conditions = [{ bucket }, ['content-length-range', 1, maxBytes], ...Object.entries(fields).map(equals)];
    const expiration = new Date(at + limits.linkSeconds * 1000).toISOString();
    const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64');
    return { url: this.#bucketUrl, fields: { ...fields, policy, 'x-amz-signature': this.#sign(scope, policy) } };
  }

  /** Returns the parts of a signature at a time (Unix milliseconds). */
  #describeSignature(at: number) {
    const { region, accessKeyId, sessionToken } = this.#settings;
    const time = new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
    return { scope, time, credential: [accessKeyId, ...scope].join('/'), sessionToken };
  }

  #sign(scope: string[], text: string): string {
    const hmac = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
    const signingKey = scope.reduce<string | Buffer>(hmac, `AWS4${this.#settings.secretAccessKey}`);
    return hmac(signingKey, text).toString('hex');
  }

  #fileUrl(key: string) {
    return `${this.#bucketUrl}/${key}`;
  }

  /** Sends a request, and retries lost responses and errors of S3: all requests of this class are idempotent. */
  async #send(key: string, request: AwsRequest): Promise<Response> {
    const signal = AbortSignal.timeout(this.#settings.timeoutMilliseconds ?? defaultTimeoutMilliseconds);
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#requests.send(this.#fileUrl(key), request, signal);
        if (attempt === maxAttempts || !(response.status >= 500 || response.status === 429)) return response;
        await response.body?.cancel();
      } catch (error) {
        if (attempt === maxAttempts || signal.aborted) throw new Error('S3 did not answer.', { cause: error });
      }
      await sleep(Math.random() * 100 * 2 ** attempt);
    }
  }
}

/** Returns the address of a bucket at AWS, or at the endpoint of another S3. */
export const bucketUrl = ({ bucket, endpoint, region }: Pick<Settings, 'bucket' | 'endpoint' | 'region'>): string =>
  endpoint ? `${endpoint}/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`;

const equals = ([field, value]: [string, string]) => ({ [field]: value });

/** Escapes a part of a URL as AWS does: everything but letters, digits and `-._~`. */
const escapeUrlPart = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const escapeKey = (key: string) => key.split('/').map(escapeUrlPart).join('/');

const readEtag = (response: Response) => (response.headers.get('etag') ?? '').replaceAll('"', '');

/** Returns the body of a successful response. Throws an error with S3's reason otherwise. */
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

/** The same for the files of imports, which are in a separate folder. */
export const importFiles = /* @__PURE__ */ service(files.get, {
  delete: ['s3:DeleteObject:imports'],
  readPart: ['s3:GetObject:imports', 's3:ListBucket'],
  uploadForm: ['s3:PutObject:imports'],
});

/** The same for the files of exports, which are in a separate folder. */
export const exportFiles = /* @__PURE__ */ service(files.get, {
  put: ['s3:PutObject:exports'],
  putParts: ['s3:GetObject:exports', 's3:ListBucket', 's3:PutObject:exports'],
  delete: ['s3:DeleteObject:exports'],
  downloadUrl: ['s3:GetObject:exports'],
});

/** The same for the lake. Its keys have signs that an address must escape. */
export const lakeFiles = /* @__PURE__ */ service(
  () => {
    const all = files.get();
    return {
      put: (key: string, bytes: Uint8Array) => all.put(escapeKey(key), bytes),
      delete: (key: string) => all.delete(escapeKey(key)),
      has: async (key: string) => (await all.head(escapeKey(key))) !== undefined,
    };
  },
  {
    put: ['s3:PutObject:lake'],
    delete: ['s3:DeleteObject:lake'],
    has: ['s3:GetObject:lake', 's3:ListBucket'],
  },
);
