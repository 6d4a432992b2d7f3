import { AwsClient } from 'aws4fetch';
import { environment, type SecretSource } from '../environment.ts';
import { wholeService } from '../service.ts';

/** How long a secret that was read is used before it is read again, so that a changed one takes effect by itself. */
const keepMilliseconds = 5 * 60 * 1000;
const readMilliseconds = 2500;

/** A secret of the service, read from Secrets Manager at first use. While that cannot be reached, the one last read serves on. */
export class Secret {
  readonly #source: SecretSource;
  #kept: { value: string; until: number } | undefined;
  #reading: Promise<string> | undefined;

  constructor(source: SecretSource) {
    this.#source = source;
  }

  async read(): Promise<string> {
    if ('value' in this.#source) return this.#source.value;
    if (this.#kept && this.#kept.until > Date.now()) return this.#kept.value;
    this.#reading ??= this.#readAgain(this.#source.arn).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Has the secret read again at its next use: it was refused. */
  forget(): void {
    this.#kept = undefined;
  }

  async #readAgain(arn: string): Promise<string> {
    const signal = AbortSignal.timeout(readMilliseconds);
    // A second attempt, for a connection that died while the function was frozen.
    const value = await getSecretValue(arn, signal)
      .catch(() => getSecretValue(arn, signal))
      .catch((error: unknown) => {
        if (this.#kept) return this.#kept.value;
        throw error;
      });
    this.#kept = { value, until: Date.now() + keepMilliseconds };
    return value;
  }
}

/** One hand-signed call: the SDK's client for it would be a third of a function's bundle. */
const getSecretValue = async (arn: string, signal: AbortSignal): Promise<string> => {
  const client = new AwsClient({ ...environment.awsCredentials, service: 'secretsmanager', retries: 0 });
  const body = JSON.stringify({ SecretId: arn });
  const { url, headers } = await client.sign(environment.secretsManagerEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body,
  });
  // Not the signed request itself: between one and the signal Node holds on so weakly that the deadline may be lost.
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  const answer = (await response.json()) as { SecretString?: unknown; __type?: unknown };
  if (!response.ok) {
    const reason = String(answer.__type ?? '').replace(/^.*#/, '');
    throw new Error(`Secrets Manager answered ${response.status} ${/^\w{1,100}$/.test(reason) ? reason : ''}`.trim());
  }
  if (typeof answer.SecretString !== 'string') throw new Error('The secret in Secrets Manager is not a text.');
  return answer.SecretString.trim();
};

/** What the build chat signs with. */
export const chatSigningSecret = wholeService(
  () => new Secret(environment.chatSigningSecret),
  ['secretsmanager:GetSecretValue:chatSigning'],
);
