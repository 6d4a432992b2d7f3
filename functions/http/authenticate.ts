import { admit } from './admit.ts';
import { authorize, prefetchLookup } from './authorize.ts';
import { beginCounting } from './count-requests.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiEvent, ApiMiddleware } from './handler-types.ts';
import { type Identified, identify, readCredentials } from './identify.ts';
import { parseRequest } from './parse-request.ts';
import { readInnerCall } from './read-inner-call.ts';
import { needsKey } from './request-body.ts';

/** Authenticates and authorizes a request in one read. A large body waits until the key is known. */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  if (caller.kind !== 'key' || caller.forwarded) return admit(endpoint);
  return {
    async before({ event, internal }) {
      const credentials = readCredentials(caller, event);
      internal.credentials = credentials;
      const { key } = credentials;
      if (key && isCounted(endpoint, event))
        internal.counted = beginCounting(key.secret, event.requestContext.requestId);
      const count = async (identified: Identified) => {
        internal.identified = identified;
        internal.allowance = await internal.counted?.admit(identified.principal.requestsPerMinute);
      };
      if (needsKey(event)) {
        const identified = await identify(credentials);
        await identified.pendingWrite;
        await count(identified);
      }
      const parsed = await parseRequest(endpoint, event);
      internal.parsed = parsed;
      const identified = await identify(credentials, parsed.reference?.agentId, prefetchLookup(caller, parsed));
      await count(identified);
      internal.authorized = authorize(endpoint, identified, parsed);
    },
    async after({ internal }) {
      await internal.identified?.pendingWrite;
      await internal.counted?.written;
    },
    async onError({ internal }) {
      await internal.counted?.written;
    },
  };
};

/** Checks whether a request counts against the limit of its key: a ringing call does not, and of inner requests only the first. */
const isCounted = ({ atCallTime }: AnyEndpoint, event: ApiEvent): boolean =>
  readInnerCall(event)?.counts ?? !atCallTime;
