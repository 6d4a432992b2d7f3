import { isApiKey } from '../domain/api-keys.ts';
import { invalidApiKey, missingApiKey } from '../domain/errors.ts';
import { type Access, credentials } from '../store/credentials.ts';
import { admit } from './admit.ts';
import { authorize, referenceIn } from './authorize.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';
import type { ApiMiddleware } from './pipeline.ts';

/**
 * Middleware that authenticates a request by its API key and authorizes it. The key and the access to the agent are read
 * together; with invalid input the key alone is read, and a malformed key costs no read.
 */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  const withoutKey = caller.kind === 'key' ? undefined : admit(endpoint);
  return {
    async before(request) {
      const { event, internal } = request;
      const header = event.headers['x-authorization']?.trim();
      if (withoutKey && !(header && takesKey(endpoint))) return withoutKey.before?.(request);
      const { principal, access } = await authenticated(header, referenceIn(caller, internal.parsed).agentId);
      internal.principal = principal;
      internal.authorized = authorize(endpoint, principal, internal.parsed, access);
    },
  };
};

/** Whether a key in a request to this endpoint counts. */
const takesKey = ({ caller }: AnyEndpoint) => caller.kind === 'key' || (caller.kind === 'anyone' && caller.key);

const authenticated = async (
  header: string | undefined,
  agentId: string | undefined,
): Promise<{ principal: Principal; access: Access | undefined }> => {
  if (!header) throw missingApiKey();
  const secret = header.replace(/^Bearer\s+/i, '');
  if (!isApiKey(secret)) throw invalidApiKey();
  const { key, access } = await credentials.get().read(secret, agentId);
  if (!key) throw invalidApiKey();
  return { principal: { uid: key.uid, keyId: key.keyId, scopes: key.scopes }, access };
};
