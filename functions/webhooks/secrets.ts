import { randomBytes } from 'node:crypto';
import type { SealedSecrets } from '../clients/sealed-secrets.ts';
import { ApiError } from '../domain/errors.ts';
import { activeSecrets, maxSecrets, replacedSecrets } from '../domain/rotating-secrets.ts';
import type { SealedSecret, StoredEndpoint } from './endpoint-state.ts';

/** Returns a new secret of an endpoint, in the format of Standard Webhooks. */
export const newEndpointSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Returns the endpoint with a new secret first, unless an earlier attempt made it. */
export const withNewSecret = (endpoint: StoredEndpoint, secret: SealedSecret, now = Date.now()): StoredEndpoint => {
  if (endpoint.secrets.some(({ createdBy }) => createdBy === secret.createdBy)) return endpoint;
  return { ...endpoint, secrets: [secret, ...replacedSecrets(endpoint.secrets, now)].slice(0, maxSecrets) };
};

/** Returns the secret that a request made, to its API key alone and while it is in use. */
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
) => Promise.all(activeSecrets(secrets).map(({ sealed }) => sealedSecrets.open(endpointId, sealed)));
