import { randomBytes } from 'node:crypto';
import type { SealedSecrets } from '../clients/sealed-secrets.ts';
import { ApiError } from '../domain/errors.ts';
import type { SealedSecret, StoredEndpoint } from './webhook-endpoints.ts';

/** Returns a new secret of an endpoint, in the format of Standard Webhooks. */
export const newEndpointSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** The time for which a replaced secret signs together with its successor. */
const overlapMilliseconds = 24 * 60 * 60 * 1000;
const maxSecrets = 5;

/**
 * Returns the endpoint with a new secret before its former ones; the unchanged endpoint when an earlier attempt of the same
 * request made the secret.
 */
export const withNewSecret = (endpoint: StoredEndpoint, secret: SealedSecret, now = Date.now()): StoredEndpoint => {
  if (endpoint.secrets.some(({ createdBy }) => createdBy === secret.createdBy)) return endpoint;
  const former = endpoint.secrets
    .map((one) => ({ ...one, endsAt: one.endsAt ?? now + overlapMilliseconds }))
    .filter(({ endsAt }) => endsAt > now);
  return { ...endpoint, secrets: [secret, ...former].slice(0, maxSecrets) };
};

/** Returns the secret that a request made. A repeated request gets it only with the same API key, and only while the secret is in use. */
export const deriveSecret = (
  { secrets }: StoredEndpoint,
  request: { creationId: string; keyId: string },
): SealedSecret => {
  const made = secrets.find(({ createdBy }) => createdBy === request.creationId);
  if (made?.keyId === request.keyId) return made;
  throw new ApiError(
    'idempotency_conflict',
    'The secret that the first request with this Idempotency-Key made is returned only to the API key of that request, and only while the secret is in use.',
  );
};

/** Returns the secrets of an endpoint that sign now, the newest first. */
export const openActiveSecrets = (
  { endpointId, secrets }: StoredEndpoint,
  sealedSecrets: Pick<SealedSecrets, 'open'>,
) => {
  const inForce = secrets.filter(({ endsAt = Number.POSITIVE_INFINITY }) => endsAt > Date.now());
  return Promise.all(inForce.map(({ sealed }) => sealedSecrets.open(endpointId, sealed)));
};
