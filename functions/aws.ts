import { createHash, createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { constructStack } from '@smithy/core/client';
import { HttpRequest } from '@smithy/core/protocols';
import { getRetryPlugin, StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { type AwsCredentialIdentity, type Provider, SMITHY_CONTEXT_KEY, type SourceData } from '@smithy/types';

/** Where a service of AWS is, and who asks it. */
export type AwsSettings = {
  endpoint: string;
  region: string;
  credentials: AwsCredentialIdentity | Provider<AwsCredentialIdentity>;
};

/** By the name of an operation, what it takes and what it answers. */
type Operations = Record<string, [input: object, output: object]>;

const attempts = 3;

/**
 * A service of AWS that speaks its JSON protocol, called by the SDK’s own parts: its connections, signatures, retries
 * and middleware. Its generated clients add nothing that we use, and are three quarters of a function’s code.
 */
export class AwsService<O extends Operations> {
  /** Between the retries and the wire, at the step `deserialize`, is where a fault can be put. */
  readonly middlewareStack = constructStack<object, object>();
  readonly #endpoint: URL;
  readonly #target: string;
  readonly #signer: SignatureV4;
  readonly #wire = new NodeHttpHandler({
    connectionTimeout: 1000,
    requestTimeout: 2000,
    throwOnRequestTimeout: true,
  });

  /** `name` is what the service is called in a signature, `target` what its operations begin with on the wire. */
  constructor(name: string, target: string, { endpoint, region, credentials }: AwsSettings) {
    this.#endpoint = new URL(endpoint);
    this.#target = target;
    this.#signer = new SignatureV4({ service: name, region, credentials, sha256: Sha256 });
    const strategy = new StandardRetryStrategy(attempts);
    const retries = { retryStrategy: async () => strategy, maxAttempts: async () => attempts };
    this.middlewareStack.use(getRetryPlugin(retries as Parameters<typeof getRetryPlugin>[0]));
  }

  /** Has an operation done, in several attempts where that can help. What AWS refuses is thrown as an `AwsError`. */
  async call<Name extends keyof O & string>(
    operation: Name,
    input: O[Name][0],
    options: { abortSignal: AbortSignal },
  ): Promise<O[Name][1]> {
    const context = { commandName: `${operation}Command`, [SMITHY_CONTEXT_KEY]: options };
    const send = this.middlewareStack.resolve(() => this.#send(operation, input, options), context);
    return (await send({ input })).output;
  }

  async #send(operation: string, input: object, options: { abortSignal: AbortSignal }) {
    const { protocol, hostname, port, host } = this.#endpoint;
    const request = new HttpRequest({
      method: 'POST',
      protocol,
      hostname,
      ...(port && { port: Number(port) }),
      path: '/',
      headers: {
        host,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `${this.#target}.${operation}`,
      },
      body: JSON.stringify(input),
    });
    const { response } = await this.#wire.handle((await this.#signer.sign(request)) as HttpRequest, options);
    const body = parsed(await text(response.body));
    const $metadata = { httpStatusCode: response.statusCode };
    if (response.statusCode !== 200) throw new AwsError(body, response.statusCode);
    return { response, output: { ...body, $metadata } };
  }
}

/** What AWS says when it refuses, under AWS's own name for it, with every field that came along. */
export class AwsError extends Error {
  readonly $fault: 'client' | 'server';
  readonly $metadata: { httpStatusCode: number };

  constructor({ __type, message, Message, ...fields }: Record<string, unknown>, status: number) {
    super(String(message ?? Message ?? `AWS answered ${status}.`));
    this.name = String(__type ?? 'UnknownError').replace(/^.*#/, '');
    this.$fault = status < 500 ? 'client' : 'server';
    this.$metadata = { httpStatusCode: status };
    Object.assign(this, fields);
  }
}

/** An answer that is no JSON is a gateway’s between us and AWS: its status says what is to be known of it. */
const parsed = (body: string): Record<string, unknown> => {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
};

const bytes = (data: SourceData) => (data instanceof ArrayBuffer ? new Uint8Array(data) : data) as string | Uint8Array;

/** The hash a signature is made with, as the signer wants it. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: SourceData) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytes(secret));
  }

  update(data: SourceData) {
    this.#hash.update(bytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset() {
    throw new Error('A signature never begins anew.');
  }
}
