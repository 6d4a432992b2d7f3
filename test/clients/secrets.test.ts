import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { Secret } from '../../functions/clients/secrets.ts';

const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:stripe-AbCdEf';
const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'the secret access key', sessionToken: 'the token' };

type Asked = { headers: IncomingHttpHeaders; body: string };
const asked: Asked[] = [];
const says = (status: number, body: object) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
};
let answer = says(200, {});

/** Secrets Manager on the wire. */
const server = createServer(async (request, response) => {
  asked.push({ headers: request.headers, body: await text(request) });
  answer(response);
});

beforeAll(async () => {
  const { endpoint, stop } = await listen(server);
  process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = endpoint;
  process.env.AWS_REGION = 'eu-central-1';
  process.env.AWS_ACCESS_KEY_ID = credentials.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey;
  process.env.AWS_SESSION_TOKEN = credentials.sessionToken;
  return stop;
});
beforeEach(() => {
  asked.length = 0;
  answer = says(200, { SecretString: 'first\n' });
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const minutes = (count: number) => vi.setSystemTime(Date.now() + count * 60_000);

it('a secret in Secrets Manager is requested with a signature that AWS accepts', async () => {
  expect(await new Secret({ arn }).read()).toBe('first');
  const [{ headers, body }] = asked as [Asked];
  expect(headers['x-amz-target']).toBe('secretsmanager.GetSecretValue');
  expect(JSON.parse(body)).toEqual({ SecretId: arn });
  expect(headers.authorization).toBe(await computeSignature(headers, body));
});

it('a secret in Secrets Manager is read once for concurrent callers, and kept for a few minutes', async () => {
  const secret = new Secret({ arn });
  expect(await Promise.all([secret.read(), secret.read(), secret.read()])).toEqual(['first', 'first', 'first']);
  minutes(4);
  await secret.read();
  expect(asked.length).toBe(1);
  answer = says(200, { SecretString: 'second' });
  minutes(2);
  expect(await secret.read()).toBe('second');
  expect(asked.length).toBe(2);
});

it('a secret in Secrets Manager stays in use while it cannot be read again', async () => {
  const secret = new Secret({ arn });
  await secret.read();
  answer = says(500, { __type: 'InternalServiceError' });
  minutes(6);
  expect(await secret.read()).toBe('first');
});

it('a secret in Secrets Manager is read again at once after it was rejected', async () => {
  const secret = new Secret({ arn });
  await secret.read();
  answer = says(200, { SecretString: 'second' });
  secret.forget();
  expect(await secret.read()).toBe('second');
});

it('a secret in Secrets Manager is requested a second time when the connection breaks', async () => {
  const working = answer;
  answer = (response) => {
    answer = working;
    response.socket?.resetAndDestroy();
  };
  expect(await new Secret({ arn }).read()).toBe('first');
});

it.each([
  [
    'is refused',
    says(400, { __type: 'com.amazon#AccessDeniedException', Message: arn }),
    'answered 400 AccessDeniedException',
  ],
  ['is not a text', says(200, { SecretBinary: 'AAAA' }), 'not a string'],
  ['does not come', () => {}, 'timeout'],
])(
  'a secret in Secrets Manager that %s is an error in time, and the next caller requests it again',
  async (_, behavior, message) => {
    const secret = new Secret({ arn });
    const working = answer;
    answer = behavior;
    const started = performance.now();
    await expect(secret.read()).rejects.toThrow(message);
    expect(performance.now() - started).toBeLessThan(15_000);
    answer = working;
    expect(await secret.read()).toBe('first');
  },
);

it('a secret in the environment is used as it is, without a request', async () => {
  expect(await new Secret({ value: 'given' }).read()).toBe('given');
  expect(asked).toEqual([]);
});

/** The signature as AWS's own package makes it, of the headers that were signed. */
const computeSignature = async (headers: IncomingHttpHeaders, body: string) => {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const url = new URL(process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER as string);
  const signer = new SignatureV4({
    credentials,
    region: 'eu-central-1',
    service: 'secretsmanager',
    sha256: Sha256,
    applyChecksum: false,
  });
  const date = String(headers['x-amz-date']).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const request = {
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: '/',
    query: {},
    headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
    body,
  };
  const signed = await signer.sign(request, { signingDate: new Date(date) });
  return signed.headers.authorization;
};

class Sha256 {
  readonly #hash;
  constructor(secret?: string | Uint8Array | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array);
  }
  update(data: Uint8Array) {
    this.#hash.update(data);
  }
  async digest() {
    return new Uint8Array(this.#hash.digest());
  }
  reset() {}
}
