import { unauthorizedOrigin } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware } from './pipeline.ts';

/**
 * Middleware for requests without a key. An operation for the platform's own application needs its exact `Origin`, which
 * is checked before anything else (contract 4.7).
 */
export const admit = ({ name, caller }: AnyEndpoint): ApiMiddleware => {
  if (caller.kind === 'key') throw new Error(`${name} needs an API key.`);
  return {
    before({ event, internal }) {
      if (caller.kind === 'application' && !environment.appOrigins.includes(event.headers.origin ?? '')) {
        throw unauthorizedOrigin();
      }
      const { parsed } = internal;
      if (parsed.error) throw parsed.error;
      internal.authorized = { input: parsed.input };
    },
  };
};
