import { isIdentifier } from '../domain/identifiers.ts';
import { admit } from './admit.ts';
import { authorize, prefetchLookup, readReference } from './authorize.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware } from './handler-types.ts';
import { identify, readCredentials } from './identify.ts';
import { parseRequest } from './parse-request.ts';
import { needsKey } from './request-body.ts';

/**
 * Authenticates a request by its API key or, at endpoints that take one, its signature, and authorizes it. A missing or
 * malformed key is rejected before the body is parsed. For a large body, so is an unknown key. One read gets the key, or
 * the secrets of signatures, and the access to the agent.
 */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  if (caller.kind !== 'key' || caller.forwarded) return admit(endpoint);
  return {
    async before({ event, internal }) {
      const proof = readCredentials(caller, event);
      internal.isUnsigned = proof.isUnsigned;
      if (needsKey(event)) await (await identify(proof)).pendingWrite;
      const parsed = await parseRequest(endpoint, event);
      internal.parsed = parsed;
      const { agentId } = readReference(caller, parsed);
      const { principal, access, found, pendingWrite } = await identify(proof, agentId, prefetchLookup(caller, parsed));
      internal.principal = principal;
      internal.pendingWrite = pendingWrite;
      if (agentId !== undefined && isIdentifier(agentId)) internal.agentId = agentId;
      internal.authorized = { ...authorize(endpoint, principal, parsed, access), found };
    },
    async after({ internal }) {
      await internal.pendingWrite;
    },
  };
};
