import { admit } from './admit.ts';
import { authorize, prefetchLookup } from './authorize.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware } from './handler-types.ts';
import { identify, readCredentials } from './identify.ts';
import { parseRequest } from './parse-request.ts';
import { needsKey } from './request-body.ts';

/** Authenticates and authorizes a request in one read. A large body waits until the key is known. */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  if (caller.kind !== 'key' || caller.forwarded) return admit(endpoint);
  return {
    async before({ event, internal }) {
      const credentials = readCredentials(caller, event);
      internal.credentials = credentials;
      if (needsKey(event)) await (await identify(credentials)).pendingWrite;
      const parsed = await parseRequest(endpoint, event);
      internal.parsed = parsed;
      const identified = await identify(credentials, parsed.reference?.agentId, prefetchLookup(caller, parsed));
      internal.identified = identified;
      internal.authorized = authorize(endpoint, identified, parsed);
    },
    async after({ internal }) {
      await internal.identified?.pendingWrite;
    },
  };
};
