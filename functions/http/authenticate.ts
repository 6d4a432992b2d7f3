import { invalidApiKey } from '../domain/errors.ts';
import { type Access, credentials } from '../store/credentials.ts';
import type { ItemKey } from '../store/keys.ts';
import type { Item } from '../store/table.ts';
import { admit } from './admit.ts';
import { authorize, referenceIn } from './authorize.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';
import { keyInRequest } from './key-in-request.ts';
import type { ParsedInput } from './parse-request.ts';
import type { ApiMiddleware } from './pipeline.ts';

/**
 * Middleware that authenticates a request by its API key and authorizes it. The key and the access to the agent are read
 * together; with invalid input the key alone is read, and a malformed key costs no read.
 */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  const withoutKey = caller.kind === 'key' && !caller.forwarded ? undefined : admit(endpoint);
  return {
    async before(request) {
      const { event, internal } = request;
      const header = event.headers['x-authorization']?.trim();
      if (withoutKey && !(header && takesKey(endpoint))) return withoutKey.before?.(request);
      const { secret: apiKey, isInQuery } = keyInRequest(caller, event);
      const { agentId } = referenceIn(caller, internal.parsed);
      const { principal, access, items } = await authenticateKey(
        apiKey,
        agentId,
        keysToPrefetch(caller, internal.parsed),
      );
      if (isInQuery && principal.scopes?.join() !== 'hooks') throw invalidApiKey();
      internal.principal = principal;
      const authorized = { ...authorize(endpoint, principal, internal.parsed, access), prefetched: items };
      internal.authorized = caller.kind === 'anyone' ? { ...authorized, apiKey } : authorized;
    },
  };
};

/** Whether a key in a request to this endpoint counts. */
const takesKey = ({ caller }: AnyEndpoint) =>
  (caller.kind === 'key' && !caller.forwarded) || (caller.kind === 'anyone' && caller.key);

const keysToPrefetch = (caller: AnyEndpoint['caller'], { input }: ParsedInput): ItemKey[] =>
  input && 'prefetch' in caller ? (caller.prefetch?.(input) ?? []) : [];

/** The principal of a key, the access to an agent when one is named, and further items. Reads them together. */
export const authenticateKey = async (
  apiKey: string,
  agentId: string | undefined,
  more: ItemKey[] = [],
): Promise<{ principal: Principal; access: Access | undefined; items: Item[] }> => {
  const { key, access, items } = await credentials.get().read(apiKey, agentId, more);
  if (!key) throw invalidApiKey();
  return { principal: { uid: key.uid, keyId: key.keyId, scopes: key.scopes }, access, items };
};
