import { isApiKey } from '../domain/api-keys.ts';
import { invalidApiKey, missingApiKey } from '../domain/errors.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiEvent } from './handler-types.ts';

/**
 * Returns the key of a request: its `X-Authorization`, or its `Authorization`, or that in the query of a voice platform which
 * can set no header. Throws for a missing or malformed key.
 */
export const keyInRequest = (caller: AnyEndpoint['caller'], { headers, queryStringParameters }: ApiEvent) => {
  const isPlatform = 'platform' in caller && caller.platform;
  const header = headers['x-authorization']?.trim() || headers.authorization?.trim();
  const inQuery = (isPlatform && queryStringParameters?.key) || undefined;
  const secret = header ? header.replace(/^Bearer\s+/i, '') : inQuery;
  if (!secret) throw missingApiKey();
  if (!isApiKey(secret)) throw invalidApiKey();
  return { secret, isInQuery: !header };
};
