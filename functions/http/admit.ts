import { withCause } from '../cause.ts';
import { ownApiOfMcp } from '../clients/own-api.ts';
import { isAccessToken } from '../domain/access-tokens.ts';
import type { Scope } from '../domain/api-keys.ts';
import { unauthorizedOrigin } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiEvent, ApiMiddleware } from './handler-types.ts';
import { keyInRequest } from './key-in-request.ts';
import { parseRequest } from './parse-request.ts';
import { needsKey } from './request-body.ts';

/** Admits requests to endpoints that read no key. Any `Origin` but the configured is refused. */
export const admit = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { name, caller } = endpoint;
  const isForwarded = caller.kind === 'key' && caller.forwarded;
  if (caller.kind === 'key' && !isForwarded) throw new Error(`${name} needs an API key.`);
  const isOptional = caller.kind === 'anyone' && caller.key;
  const mayHaveOrigin = (origin: string | undefined) =>
    (caller.kind === 'anyone' && !isOptional) ||
    (caller.kind !== 'application' && origin === undefined) ||
    environment.appOrigins.includes(origin ?? '');
  const accessTokens = isForwarded ? caller.accessTokens : undefined;
  const readKey = async (event: ApiEvent): Promise<{ apiKey: string; scopes?: Scope[] }> => {
    const { secret } = keyInRequest(caller, event);
    return accessTokens && isAccessToken(secret) ? accessTokens.get().exchange(secret) : { apiKey: secret };
  };
  return {
    async before({ event, internal }) {
      const { headers } = event;
      if (!mayHaveOrigin(headers.origin)) throw unauthorizedOrigin();
      const hasKey = isForwarded || (isOptional && (headers['x-authorization'] ?? headers.authorization)?.trim());
      const { apiKey, scopes: tokenScopes } = hasKey ? await readKey(event) : {};
      const checkKey = async () =>
        apiKey && isForwarded && (await withCause(internal.cause, () => ownApiOfMcp.get().findKeyOwner(apiKey)));
      if (needsKey(event)) await checkKey();
      const parsed = await parseRequest(endpoint, event);
      internal.parsed = parsed;
      if (parsed.error) {
        await checkKey();
        throw parsed.error;
      }
      internal.authorized = { input: parsed.input, apiKey, tokenScopes };
    },
  };
};
