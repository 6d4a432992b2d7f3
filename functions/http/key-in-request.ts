import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { isAccessToken } from '../domain/access-tokens.ts';
import { isApiKey } from '../domain/api-keys.ts';
import { accessTokenElsewhere, invalidApiKey, missingApiKey } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint } from './endpoint.ts';

export type KeyInRequest = { secret: string; isInQuery: boolean };

/** Returns the key of a request: in the query if a platform cannot set headers. */
export const keyInRequest = (caller: AnyEndpoint['caller'], event: APIGatewayProxyEventV2): KeyInRequest => {
  const { headers, queryStringParameters } = event;
  const header = headers['x-authorization']?.trim() || headers.authorization?.trim();
  const mayBeInQuery = 'signature' in caller && environment.hookKeysInAddress;
  const secret = header ? header.replace(/^Bearer\s+/i, '') : mayBeInQuery ? queryStringParameters?.key : undefined;
  if (!secret) throw missingApiKey();
  if (isAccessToken(secret)) {
    if (!('accessTokens' in caller)) throw accessTokenElsewhere();
  } else if (!isApiKey(secret)) throw invalidApiKey();
  return { secret, isInQuery: !header };
};
