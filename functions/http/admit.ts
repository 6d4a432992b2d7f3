import { unauthorizedOrigin } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { keyInRequest } from './key-in-request.ts';
import type { ApiMiddleware } from './pipeline.ts';

/**
 * Middleware for requests without a key, or with one that is forwarded. An operation for the platform's own application
 * needs its exact `Origin`, which is checked before anything else (contract 4.7); one that forwards a key refuses any
 * other `Origin`, so that no foreign page reaches it from its user's browser.
 */
export const admit = ({ name, caller }: AnyEndpoint): ApiMiddleware => {
  const isForwarded = caller.kind === 'key' && caller.forwarded;
  if (caller.kind === 'key' && !isForwarded) throw new Error(`${name} needs an API key.`);
  const mayHaveOrigin = (origin: string | undefined) =>
    environment.appOrigins.includes(origin ?? '') || (isForwarded && origin === undefined);
  return {
    before({ event, internal }) {
      if (caller.kind !== 'anyone' && !mayHaveOrigin(event.headers.origin)) throw unauthorizedOrigin();
      const apiKey = isForwarded ? keyInRequest(caller, event).secret : undefined;
      const { parsed } = internal;
      if (parsed.error) throw parsed.error;
      internal.authorized = { input: parsed.input, ...(apiKey && { apiKey }) };
    },
  };
};
