import * as z from 'zod/mini';
import { describe, describedObject, textField } from '../domain/describe.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { decideAuthorization } from '../oauth/authorization.ts';
import { requireOAuth } from '../oauth/metadata.ts';
import { rawForm } from '../oauth/parameters.ts';
import { refusedKeys } from '../oauth/refused-keys.ts';
import { sealedValues } from '../oauth/sealed-values.ts';

const Form = describedObject('The form of the page.', {
  request: textField('What the client asked for, sealed for ten minutes.', 'mPq3…'),
  scope: z.optional(textField('A scope that is ticked. The form has one for each.', 'agents')),
  key: z.optional(textField('The API key.', 'vap_4fQ2Zr8mTn0bXc6vLk1pWs9dGh3jYa')),
  decision: textField('`allow` or `deny`.', 'allow'),
});

/** Answers the form of the page: with a code for the client, or with the page again. */
export const authorizeClient = endpoint({
  name: 'authorizeClient',
  method: 'POST',
  path: '/authorize',
  summary: 'Permit an AI client',
  description:
    'The form of the page sends it. A key in force sends the browser back to the client with a `code`, any other shows the page again. After ten refused keys of an address in a minute, no key is read until the minute is over.',
  caller: { kind: 'anyone' },
  namesPublicUrl: true,
  services: { sealedValues, refusedKeys: refusedKeys.for('judge') },
  body: z.custom<URLSearchParams>().check(z.meta({ description: 'The form of the page.', documentAs: Form })),
  response: z.string().check(describe('The page, again.', '<!doctype html>')),
  errors: ['not_found'],
  limitsAddresses: true,
  raw: {
    ...rawForm,
    mediaTypes: ['text/html'],
    otherResponses: {
      303: { description: 'Back to the client, with `code` or `error`.' },
      400: { description: 'The page is older than ten minutes, or nothing is ticked that the key may do.' },
      401: { description: 'The key is not valid here.' },
      429: { description: 'Ten keys of this address were refused in this minute.' },
    },
  },

  async handle({ body, address }, services) {
    requireOAuth();
    return decideAuthorization(body, address, services);
  },
});

export const handler = lambdaWithoutKey(authorizeClient);
