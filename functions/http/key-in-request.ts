import { isApiKey } from '../domain/api-keys.ts';
import { invalidApiKey, missingApiKey } from '../domain/errors.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiEvent } from './handler-types.ts';

/**
 * Returns the key of a request. Voice platforms and AI clients may also send it as their `Authorization`, and a platform in
 * the query where it can set no header. Throws for a malformed key, before any read.
 */
export const keyInRequest = (caller: AnyEndpoint['caller'], { headers, queryStringParameters }: ApiEvent) => {
  const isPlatform = 'platform' in caller && caller.platform;
  const takesAuthorization = isPlatform || ('forwarded' in caller && caller.forwarded);
  const header = headers['x-authorization']?.trim() || (takesAuthorization && headers.authorization?.trim());
  const inQuery = (isPlatform && queryStringParameters?.key) || undefined;
  const secret = header ? header.replace(/^Bearer\s+/i, '') : inQuery;
  if (!secret) throw missingApiKey();
  if (!isApiKey(secret)) throw invalidApiKey();
  return { secret, isInQuery: !header };
};
