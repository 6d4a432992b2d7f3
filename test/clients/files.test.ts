import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { defaultTimeoutMilliseconds, Files } from '../../functions/clients/files.ts';
import { emulatorHeaders, target, unique } from '../support/world.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const bucket = unique('files');
const openFiles = (endpoint: string | undefined, more: object = {}) =>
  new Files({ ...credentials, region: 'eu-central-1', sessionToken: undefined, endpoint, bucket, ...more });

describe('files', () => {
  let files: Files;
  beforeAll(async () => {
    files = openFiles(target.endpoints.s3, target.credentials);
    await fetch(`${target.endpoints.s3}/${bucket}`, { method: 'PUT', headers: emulatorHeaders });
  });

  it('files are stored, described, copied and deleted', async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    await files.put('documents/a', bytes);
    const { size, etag } = (await files.head('documents/a')) ?? {};
    expect([size, etag]).toEqual([4, createHash('md5').update(bytes).digest('hex')]);
    expect(await files.copy('documents/a', 'documents/b')).toBe(true);
    expect(await files.read('documents/b', 4)).toEqual({ bytes, etag });
    await files.delete('documents/a');
    await files.delete('documents/a');
    expect(await files.head('documents/a')).toBeUndefined();
    expect(await files.read('documents/a', 4)).toBeUndefined();
    expect(await files.copy('documents/a', 'documents/c')).toBe(false);
  });

  it('files larger than the requested maximum are not read', async () => {
    await files.put('documents/large', Buffer.alloc(100_000));
    expect(await files.read('documents/large', 99_999)).toEqual({ tooLarge: true, etag: expect.any(String) });
  });
});

describe('links and forms', () => {
  const at = Date.UTC(2026, 2, 1, 10, 0, 0);

  it('presigned links and forms name the bucket as AWS does, with the key as one path and the name as it is', async () => {
    const link = new URL(
      openFiles(undefined).downloadUrl({
        key: 'documents/agent:1.doc_1',
        name: 'a b+c "d"\r\nx: y/ü.pdf',
        contentType: 'application/pdf',
      }),
    );
    expect([link.host, link.pathname]).toEqual([`${bucket}.s3.eu-central-1.amazonaws.com`, '/documents/agent:1.doc_1']);
    expect(link.searchParams.get('X-Amz-Expires')).toBe('900');
    expect(link.searchParams.get('response-content-type')).toBe('application/pdf');
    expect(link.searchParams.get('response-content-disposition')).toBe(
      `attachment; filename="a b+c \\"d\\"??x: y/?.pdf"; filename*=UTF-8''a%20b%2Bc%20%22d%22%0D%0Ax%3A%20y%2F%C3%BC.pdf`,
    );
    expect(link.search).not.toContain('+');
  });

  it('presigned links and forms are signed as by AWS’s own signer', async () => {
    const name = 'a b+c*(1)!.pdf';
    const signed = new URL(
      openFiles(undefined, { sessionToken: 'token/+=' }).downloadUrl({
        key: 'documents/a:b.doc',
        name,
        contentType: 'text/plain',
      }),
    );
    const { searchParams } = signed;
    const query = Object.fromEntries([...searchParams].filter(([field]) => !/^X-Amz-(?!Expires)/.test(field)));
    const signer = new SignatureV4({
      credentials: { ...credentials, sessionToken: 'token/+=' },
      region: 'eu-central-1',
      service: 's3',
      uriEscapePath: false,
      applyChecksum: false,
      sha256: Sha256,
    });
    const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(
      searchParams.get('X-Amz-Date') ?? '',
    ) as string[];
    const presigned = await signer.presign(
      {
        method: 'GET',
        protocol: 'https:',
        hostname: signed.host,
        path: '/documents/a%3Ab.doc',
        query,
        headers: { host: signed.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      },
      {
        expiresIn: 900,
        signingDate: new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
        unhoistableHeaders: new Set(['x-amz-content-sha256']),
        unsignableHeaders: new Set(['x-amz-content-sha256']),
      },
    );
    expect(searchParams.get('X-Amz-Signature')).toBe(presigned.query?.['X-Amz-Signature']);
  });

  it('a presigned form stores one file under one key, of a bounded size, for 15 minutes', async () => {
    const { url, fields } = openFiles(undefined, { sessionToken: 'token' }).uploadForm('documents/a', 1000, at);
    expect(url).toBe(`https://${bucket}.s3.eu-central-1.amazonaws.com`);
    expect(JSON.parse(Buffer.from(fields.policy ?? '', 'base64').toString())).toEqual({
      expiration: '2026-03-01T10:15:00.000Z',
      conditions: [
        { bucket },
        ['content-length-range', 1, 1000],
        { key: 'documents/a' },
        { 'x-amz-algorithm': 'AWS4-HMAC-SHA256' },
        { 'x-amz-credential': 'AKIDEXAMPLE/20260301/eu-central-1/s3/aws4_request' },
        { 'x-amz-date': '20260301T100000Z' },
        { 'x-amz-security-token': 'token' },
      ],
    });
    const signer = new SignatureV4({ credentials, region: 'eu-central-1', service: 's3', sha256: Sha256 });
    expect(fields['x-amz-signature']).toBe(await signer.sign(fields.policy ?? '', { signingDate: new Date(at) }));
  });
});

/** An S3 that fails in several ways. */
describe('S3', () => {
  let stop: (() => Promise<void>) | undefined;
  afterEach(() => stop?.());
  const s3 = async (
    answer: (response: ServerResponse, call: number, request: IncomingMessage) => void,
    settings: { timeoutMilliseconds?: number } = {},
  ) => {
    let calls = 0;
    const server = createServer((request, response) => {
      request.resume().on('end', () => answer(response, ++calls, request));
    });
    const listening = await listen(server);
    stop = listening.stop;
    return { files: openFiles(listening.endpoint, settings), calls: () => calls };
  };

  it('a request to S3 that fails or is cut off once is retried', async () => {
    const { files, calls } = await s3((response, call) => {
      if (call === 1) response.writeHead(503).end('SlowDown');
      else if (call === 2) response.destroy();
      else response.end();
    });
    await files.put('documents/a', Buffer.from('a'));
    expect(calls()).toBe(3);
  });

  it('repeated failures of S3 are an error with the reason', async () => {
    const { files, calls } = await s3((response) => response.writeHead(500).end('<Code>InternalError</Code>'));
    await expect(files.delete('documents/a')).rejects.toThrow('S3 answered 500: <Code>InternalError</Code>');
    expect(calls()).toBe(3);
  });

  it('a denial by S3 is an error, not a missing file', async () => {
    const { files } = await s3((response) => response.writeHead(403).end('<Code>AccessDenied</Code>'));
    await expect(files.read('documents/a', 1)).rejects.toThrow('S3 answered 403');
    await expect(files.copy('documents/a', 'documents/b')).rejects.toThrow('S3 answered 403');
  });

  it('a copy in S3 that fails after the head of its response is an error', async () => {
    const { files } = await s3((response) => response.end('<Error><Code>InternalError</Code></Error>'));
    await expect(files.copy('documents/a', 'documents/b')).rejects.toThrow('S3 did not copy a file');
  });

  it('S3 that never responds is an error within the timeout, which is below 10 seconds', async () => {
    expect(defaultTimeoutMilliseconds).toBeLessThan(10_000);
    const { files } = await s3(() => {}, { timeoutMilliseconds: 600 });
    const started = performance.now();
    // A deadline that is held only by a weak reference is lost at the next garbage collection.
    setFlagsFromString('--expose-gc');
    const collecting = setInterval(runInNewContext('gc') as () => void, 200);
    await expect(files.put('documents/a', Buffer.from('a'))).rejects.toThrow('S3 did not answer.');
    clearInterval(collecting);
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});

/** The hash that AWS's signer uses. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string);
  }
  update(data: Uint8Array | string) {
    this.#hash.update(data);
  }
  async digest() {
    return new Uint8Array(this.#hash.digest());
  }
  reset() {}
}
