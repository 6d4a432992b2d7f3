import { environment, type SecretSource } from '../environment.ts';
import { wholeService } from '../service.ts';

/** A changed secret takes effect after this time. */
const cacheMilliseconds = 5 * 60 * 1000;
const timeoutMilliseconds = 2500;

/** A secret of the service, read from Secrets Manager at first use and cached. While that fails, the cached one stays in use. */
export class Secret {
  readonly #source: SecretSource;
  #cached: { value: string; expiresAt: number } | undefined;
  #reading: Promise<string> | undefined;

  constructor(source: SecretSource) {
    this.#source = source;
  }

  async read(): Promise<string> {
    if ('value' in this.#source) return this.#source.value;
    if (this.#cached && this.#cached.expiresAt > Date.now()) return this.#cached.value;
    this.#reading ??= this.#readAgain(this.#source.arn).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Removes the secret from the cache, after it was refused. */
  forget(): void {
    this.#cached = undefined;
  }

  async #readAgain(arn: string): Promise<string> {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    // A connection may have died while the function was frozen.
    const value = await getSecretValue(arn, signal)
      .catch(() => getSecretValue(arn, signal))
      .catch((error: unknown) => {
        if (this.#cached) return this.#cached.value;
        throw error;
      });
    this.#cached = { value, expiresAt: Date.now() + cacheMilliseconds };
    return value;
  }
}

const getSecretValue = async (arn: string, signal: AbortSignal): Promise<string> => {
  // Most requests of most functions need no secret.
  const { AwsRequests } = await import('./aws-request.ts');
  const requests = new AwsRequests('secretsmanager', environment.awsCredentials);
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' };
  const request = { method: 'POST', headers, body: JSON.stringify({ SecretId: arn }) };
  const response = await requests.send(environment.secretsManagerEndpoint, request, signal);
  const result = (await response.json()) as { SecretString?: unknown; __type?: unknown };
  if (!response.ok) {
    const reason = String(result.__type ?? '').replace(/^.*#/, '');
    throw new Error(`Secrets Manager answered ${response.status} ${/^\w{1,100}$/.test(reason) ? reason : ''}`.trim());
  }
  if (typeof result.SecretString !== 'string') throw new Error('The secret in Secrets Manager is not a string.');
  return result.SecretString.trim();
};

/** The secret with which the build chat signs. */
export const chatSigningSecret = /* @__PURE__ */ wholeService(
  () => new Secret(environment.chatSigningSecret),
  ['secretsmanager:GetSecretValue:chatSigning'],
);

/** The secret that keys the hashes of erased numbers, and of requests with an Idempotency-Key. */
export const hashingSecret = /* @__PURE__ */ wholeService(
  () => new Secret(environment.erasureSecret),
  ['secretsmanager:GetSecretValue:erasure'],
);
