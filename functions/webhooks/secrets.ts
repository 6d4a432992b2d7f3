import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Secret } from '../clients/secrets.ts';
import { ApiError } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import type { SealedSecret, StoredEndpoint } from './webhook-endpoints.ts';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Returns a new secret of an endpoint, in the format of Standard Webhooks. */
export const newEndpointSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** A replaced secret signs beside its successor for this time. */
const overlapMilliseconds = 24 * 60 * 60 * 1000;
const maxSecrets = 5;

/** Returns the endpoint with a new secret before its former ones; the endpoint itself when a repeated request made its secret before. */
export const withNewSecret = (endpoint: StoredEndpoint, secret: SealedSecret, now = Date.now()): StoredEndpoint => {
  if (endpoint.secrets.some(({ createdBy }) => createdBy === secret.createdBy)) return endpoint;
  const former = endpoint.secrets
    .map((one) => ({ ...one, endsAt: one.endsAt ?? now + overlapMilliseconds }))
    .filter(({ endsAt }) => endsAt > now);
  return { ...endpoint, secrets: [secret, ...former].slice(0, maxSecrets) };
};

/** Returns the secret that a request made. A repeated request gets it with the same API key alone, and while it is in use. */
export const secretMadeBy = (
  { secrets }: StoredEndpoint,
  request: { creationId: string; keyId: string },
): SealedSecret => {
  const made = secrets.find(({ createdBy }) => createdBy === request.creationId);
  if (made?.keyId === request.keyId) return made;
  throw new ApiError(
    'idempotency_conflict',
    'The secret that the first request with this Idempotency-Key made is returned to the API key of that request alone, and while the secret is in use.',
  );
};

/**
 * Encrypts the secrets of endpoints with a key of the deployment, so that the table, its backups and its stream hold none
 * that could sign. A sealed secret opens for its own endpoint alone.
 */
export class EndpointSecrets {
  readonly #key: Pick<Secret, 'read'>;

  constructor(key: Pick<Secret, 'read'>) {
    this.#key = key;
  }

  async seal(endpointId: string, secret: string): Promise<string> {
    const nonce = randomBytes(nonceBytes);
    const encryption = createCipheriv(cipher, await this.#keyBytes(), nonce).setAAD(Buffer.from(endpointId));
    const sealed = [encryption.update(secret, 'utf8'), encryption.final()];
    return Buffer.concat([nonce, ...sealed, encryption.getAuthTag()]).toString('base64');
  }

  /** Throws when it was sealed for another endpoint, with another key, or was changed. */
  async open(endpointId: string, sealed: string): Promise<string> {
    const bytes = Buffer.from(sealed, 'base64');
    const decryption = createDecipheriv(cipher, await this.#keyBytes(), bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(endpointId))
      .setAuthTag(bytes.subarray(-tagBytes));
    return decryption.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decryption.final('utf8');
  }

  async #keyBytes() {
    return createHash('sha256')
      .update(await this.#key.read())
      .digest();
  }
}

/** Returns the secrets of an endpoint that sign now, the newest first. */
export const secretsInForce = (
  { endpointId, secrets }: StoredEndpoint,
  endpointSecrets: Pick<EndpointSecrets, 'open'>,
) => {
  const inForce = secrets.filter(({ endsAt = Number.POSITIVE_INFINITY }) => endsAt > Date.now());
  return Promise.all(inForce.map(({ sealed }) => endpointSecrets.open(endpointId, sealed)));
};

export const endpointSecrets = /* @__PURE__ */ wholeService(
  () => new EndpointSecrets(new Secret(environment.webhookEncryptionKey)),
  ['secretsmanager:GetSecretValue:webhookEncryption'],
);
