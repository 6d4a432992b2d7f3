import { isApiKey } from '../domain/api-keys.ts';
import { invalidApiKey, missingApiKey } from '../domain/errors.ts';
import { type Access, credentials } from '../store/credentials.ts';
import type { ItemKey } from '../store/keys.ts';
import type { Item } from '../store/table.ts';
import { admit } from './admit.ts';
import { authorize, referenceIn } from './authorize.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';
import type { ParsedInput } from './parse-request.ts';
import type { ApiEvent, ApiMiddleware } from './pipeline.ts';

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
      const { secret: apiKey, isInQuery } = secretOf(caller, event);
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
const takesKey = ({ caller }: AnyEndpoint) => caller.kind === 'key' || (caller.kind === 'anyone' && caller.key);

/**
 * The key of a request. A voice platform may also send it as its `Authorization`, or in the query where it can set no
 * header; a key in the query must have no scope but `hooks`, since addresses are stored and shown in many places.
 */
const secretOf = (caller: AnyEndpoint['caller'], { headers, queryStringParameters }: ApiEvent) => {
  const isPlatform = 'platform' in caller && caller.platform;
  const header = headers['x-authorization']?.trim() || (isPlatform && headers.authorization?.trim());
  const inQuery = (isPlatform && queryStringParameters?.key) || undefined;
  const secret = header ? header.replace(/^Bearer\s+/i, '') : inQuery;
  if (!secret) throw missingApiKey();
  if (!isApiKey(secret)) throw invalidApiKey();
  return { secret, isInQuery: !header };
};

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
