import { invalidApiKey } from '../domain/errors.ts';
import { credentials } from '../store/credentials.ts';
import { admit } from './admit.ts';
import { authorize, lookupFor, referenceIn } from './authorize.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';
import type { ApiMiddleware } from './handler-types.ts';
import { keyInRequest } from './key-in-request.ts';

/**
 * Authenticates a request by its API key, and authorizes it. The key and the access to the agent are read
 * together; with invalid input the key alone is read, and a malformed key costs no read.
 */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  if (caller.kind !== 'key' || caller.forwarded) return admit(endpoint);
  return {
    async before({ event, internal }) {
      const { secret: apiKey, isInQuery } = keyInRequest(caller, event);
      const { agentId } = referenceIn(caller, internal.parsed);
      const lookup = lookupFor(caller, internal.parsed);
      const { key, access, found } = await credentials.get().read(apiKey, agentId, lookup);
      if (!key) throw invalidApiKey();
      const principal: Principal = { uid: key.uid, keyId: key.keyId, scopes: key.scopes };
      if (isInQuery && principal.scopes?.join() !== 'hooks') throw invalidApiKey();
      internal.principal = principal;
      internal.authorized = { ...authorize(endpoint, principal, internal.parsed, access), found };
    },
  };
};
