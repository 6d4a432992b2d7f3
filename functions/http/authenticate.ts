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
      const apiKey = secretIn(header);
      const { principal, access } = await authenticateKey(apiKey, referenceIn(caller, internal.parsed).agentId);
      internal.principal = principal;
      const authorized = authorize(endpoint, principal, internal.parsed, access);
      internal.authorized = caller.kind === 'anyone' ? { ...authorized, apiKey } : authorized;
    },
  };
};

/** Whether a key in a request to this endpoint counts. */
const takesKey = ({ caller }: AnyEndpoint) => caller.kind === 'key' || (caller.kind === 'anyone' && caller.key);

const secretIn = (header: string | undefined): string => {
  if (!header) throw missingApiKey();
  const secret = header.replace(/^Bearer\s+/i, '');
  if (!isApiKey(secret)) throw invalidApiKey();
  return secret;
};

/** The principal of a key, and the access to an agent when one is named. Reads both together. */
export const authenticateKey = async (
  apiKey: string,
  agentId: string | undefined,
): Promise<{ principal: Principal; access: Access | undefined }> => {
  const { key, access } = await credentials.get().read(apiKey, agentId);
  if (!key) throw invalidApiKey();
  return { principal: { uid: key.uid, keyId: key.keyId, scopes: key.scopes }, access };
};
