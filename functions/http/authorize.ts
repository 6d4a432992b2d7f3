import { unauthorizedOrigin } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware, Form } from './lambda.ts';

/**
 * Lets a request in that needs no key, or tells what keeps it out. What only the platform's own application may call
 * needs its `Origin`, to the letter, before anything else is looked at (contract 4.7).
 */
export const admit = ({ name, caller }: AnyEndpoint): ApiMiddleware => {
  if (caller.kind === 'key') throw new Error(`${name} takes a key: nobody is admitted to it without one.`);
  return {
    before({ event, context }) {
      if (caller.kind === 'application' && event.headers.origin !== environment.appOrigin) throw unauthorizedOrigin();
      const form = context.form as Form;
      if ('refusal' in form) throw form.refusal;
    },
  };
};
