import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { create as contentDisposition } from 'content-disposition';
import type { Download } from '../domain/documents.ts';
import { limits } from '../domain/limits.ts';
import { environment } from '../environment.ts';
import { service } from '../service.ts';

/** A file as it is read: `etag` is S3's name for exactly these bytes. */
export type StoredFile = { bytes: Uint8Array; etag: string };

/** A form by which a browser, or curl, sends one file straight to the bucket. */
export type UploadForm = { url: string; fields: Record<string, string> };

type Settings = typeof environment.s3 & { bucket: string };
type Call = { headers?: Record<string, string>; body?: Uint8Array };

const attempts = 3;
/** No call takes longer than this, its retries included. */
const callSeconds = 9;

/** The bucket of uploaded files. Calls are signed by a library of 8 KiB: S3's own client would be half of each function. */
export class Files {
  readonly #client: AwsClient;
  readonly #settings: Settings;
  readonly #bucketUrl: string;

  constructor(settings: Settings) {
    this.#settings = settings;
    const { bucket, endpoint, region } = settings;
    this.#bucketUrl = endpoint ? `${endpoint}/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`;
    this.#client = new AwsClient({ ...settings, service: 's3', retries: 0 });
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await answerOf(await this.#send('PUT', key, { body: bytes }));
  }

  /** Reads a file of at most `most` bytes; of a larger one, nothing more than tells so. */
  async read(key: string, most: number): Promise<StoredFile | { tooLarge: true; etag: string } | undefined> {
    const response = await this.#send('GET', key);
    if (response.status !== 200) return missing(response);
    const etag = etagOf(response);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > most) return { tooLarge: true, etag };
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), etag };
  }

  async head(key: string): Promise<{ size: number; etag: string } | undefined> {
    const response = await this.#send('HEAD', key);
    if (response.status !== 200) return missing(response);
    return { size: Number(response.headers.get('content-length')), etag: etagOf(response) };
  }

  /** Deletes a file, whether it is there or not. */
  async delete(key: string): Promise<void> {
    const response = await this.#send('DELETE', key);
    if (response.status !== 404) await answerOf(response);
  }

  /** Copies a file within the bucket; its bytes do not pass here. False when there is no such file. */
  async copy(from: string, to: string): Promise<boolean> {
    const headers = { 'x-amz-copy-source': encodeURI(`/${this.#settings.bucket}/${from}`) };
    const response = await this.#send('PUT', to, { headers });
    if (response.status === 404) return false;
    const answer = await answerOf(response);
    // S3 sends the head before it copies: a failure after that is an error in the body of a 200.
    if (answer.includes('<Error>')) throw new Error(`S3 did not copy a file: ${answer.slice(0, 300)}`);
    return true;
  }

  /** A link to a download, good for 15 minutes. No name can make it open in the browser, or as another file. */
  async downloadUrl({ key, name, contentType }: Download): Promise<string> {
    const url = new URL(this.#urlOf(key));
    url.searchParams.set('X-Amz-Expires', String(limits.linkSeconds));
    url.searchParams.set('response-content-disposition', contentDisposition(name));
    url.searchParams.set('response-content-type', contentType);
    const { url: signed } = await this.#client.sign(url, { method: 'GET', aws: { signQuery: true } });
    // Signed as a space; a plus would be one to some readers of a query, and not to others.
    return signed.replaceAll('+', '%20');
  }

  /**
   * A form good for 15 minutes that stores one file of 1 to `most` bytes under this key and nowhere else.
   * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html
   */
  uploadForm(key: string, most: number, at = Date.now()): UploadForm {
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
    const conditions = [{ bucket }, ['content-length-range', 1, most], ...Object.entries(fields).map(equals)];
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

  /** Every call here can be made twice: a lost answer or a fault of S3's is tried again. */
  async #send(method: string, key: string, call: Call = {}): Promise<Response> {
    const signal = AbortSignal.timeout(callSeconds * 1000);
    for (let attempt = 1; ; attempt++) {
      try {
        const { url, headers } = await this.#client.sign(this.#urlOf(key), { method, ...call } as RequestInit);
        // Not the signed request itself: between one and the signal Node holds on so weakly that the deadline may be lost.
        const response = await fetch(url, { method, headers, signal, ...(call.body && { body: call.body }) });
        if (attempt === attempts || !(response.status >= 500 || response.status === 429)) return response;
        await response.body?.cancel();
      } catch (error) {
        if (attempt === attempts || signal.aborted) throw new Error('S3 did not answer.', { cause: error });
      }
      await sleep(Math.random() * 100 * 2 ** attempt);
    }
  }
}

const equals = ([field, value]: [string, string]) => ({ [field]: value });

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const etagOf = (response: Response) => (response.headers.get('etag') ?? '').replaceAll('"', '');

/** What S3 says when a call has succeeded; otherwise an error with the reason it gives. */
const answerOf = async (response: Response): Promise<string> => {
  const answer = await response.text();
  if (!response.ok) throw new Error(`S3 answered ${response.status}: ${answer.slice(0, 300)}`);
  return answer;
};

const missing = async (response: Response): Promise<undefined> => {
  if (response.status !== 404) await answerOf(response);
  else await response.body?.cancel();
};

export const files = service(() => new Files({ ...environment.s3, bucket: environment.filesBucket }), {
  put: ['s3:PutObject'],
  read: ['s3:GetObject', 's3:ListBucket'],
  head: ['s3:GetObject', 's3:ListBucket'],
  delete: ['s3:DeleteObject'],
  copy: ['s3:GetObject', 's3:ListBucket', 's3:PutObject'],
  downloadUrl: ['s3:GetObject'],
  uploadForm: ['s3:PutObject'],
});
