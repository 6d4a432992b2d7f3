import { ownApi } from '../clients/own-api.ts';
import { unauthorizedOrigin } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware } from './handler-types.ts';
import { keyInRequest } from './key-in-request.ts';

/**
 * Admits requests to endpoints that read no key from the table. An operation for the platform's own application requires its
 * exact `Origin`, before anything else is checked. One that forwards a key refuses any other `Origin`, so that no foreign page
 * reaches it from its user's browser. Where a key is optional, the API is asked whose it is.
 */
export const admit = ({ name, caller }: AnyEndpoint): ApiMiddleware => {
  const isForwarded = caller.kind === 'key' && caller.forwarded;
  if (caller.kind === 'key' && !isForwarded) throw new Error(`${name} needs an API key.`);
  const isOptional = caller.kind === 'anyone' && caller.key;
  const mayHaveOrigin = (origin: string | undefined) =>
    environment.appOrigins.includes(origin ?? '') || (isForwarded && origin === undefined);
  return {
    async before({ event, internal }) {
      if (caller.kind !== 'anyone' && !mayHaveOrigin(event.headers.origin)) throw unauthorizedOrigin();
      const takesKey = isForwarded || (isOptional && event.headers['x-authorization']?.trim());
      const apiKey = takesKey ? keyInRequest(caller, event).secret : undefined;
      if (apiKey && isOptional) internal.principal = await ownApi.get().ownerOf(apiKey);
      const { parsed, principal } = internal;
      if (parsed.error) throw parsed.error;
      internal.authorized = { input: parsed.input, ...(apiKey && { apiKey }), ...(principal && { principal }) };
    },
  };
};
