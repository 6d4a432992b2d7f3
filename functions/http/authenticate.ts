import { invalidApiKey } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { credentials } from '../store/credentials.ts';
import { admit } from './admit.ts';
import { authorize, lookupFor, referenceIn } from './authorize.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';
import type { ApiMiddleware } from './handler-types.ts';
import { keyInRequest } from './key-in-request.ts';
import { parseRequest } from './parse-request.ts';
import { needsKey } from './request-body.ts';

/**
 * Authenticates a request by its API key, and authorizes it. A missing or malformed key is refused before anything is read or
 * parsed, and an unknown one before a large body is. The key and the access to the agent are read together.
 */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  if (caller.kind !== 'key' || caller.forwarded) return admit(endpoint);
  return {
    async before({ event, internal }) {
      const { secret: apiKey, isInQuery } = keyInRequest(caller, event);
      if (needsKey(event) && !(await credentials.get().read(apiKey)).key) throw invalidApiKey();
      const parsed = await parseRequest(endpoint, event);
      internal.parsed = parsed;
      const { agentId } = referenceIn(caller, parsed);
      const { key, access, found } = await credentials.get().read(apiKey, agentId, lookupFor(caller, parsed));
      if (!key) throw invalidApiKey();
      const principal: Principal = { uid: key.uid, keyId: key.keyId, scopes: key.scopes };
      if (isInQuery && principal.scopes?.join() !== 'hooks') throw invalidApiKey();
      internal.principal = principal;
      if (agentId !== undefined && isIdentifier(agentId)) internal.agentId = agentId;
      internal.authorized = { ...authorize(endpoint, principal, parsed, access), found };
    },
  };
};
