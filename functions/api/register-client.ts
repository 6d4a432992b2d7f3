import * as z from 'zod/mini';
import { describedObject, integerField, listField, textField } from '../domain/describe.ts';
import { limits } from '../domain/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { requireRegistration } from '../oauth/metadata.ts';
import { respondToClient } from '../oauth/parameters.ts';
import { readRegistration, registerClient as register } from '../oauth/registrations.ts';
import { sealedValues } from '../oauth/sealed-values.ts';

const uris = ['https://client.example.com/callback'];

const Metadata = describedObject('The metadata of a client.', {
  redirect_uris: listField(
    z.string(),
    `Where people may return to: 1 to ${limits.redirectUris} addresses with https, or with http on the own machine.`,
    uris,
  ),
  client_name: z.optional(textField('Name of the client for people.', 'Example client')),
});

/** Registers an AI client that has no document of its own. */
export const registerClient = endpoint({
  name: 'registerClient',
  method: 'POST',
  path: '/register',
  summary: 'Register an AI client',
  description:
    'Dynamic client registration (RFC 7591), for clients that have no document. Nothing is stored: the `client_id` is the registration itself, sealed. A client has no secret, whatever it asks for.',
  caller: { kind: 'anyone' },
  namesPublicUrl: true,
  services: { sealedValues },
  body: z.custom<unknown>().check(z.meta({ description: 'The metadata of a client.', documentAs: Metadata })),
  response: describedObject('The registration.', {
    client_id: textField('Id of the client.', 'x8Qm…'),
    client_id_issued_at: integerField('When it was issued, in Unix seconds.', 1_767_225_600),
    client_name: z.optional(textField('As it was sent.', 'Example client')),
    redirect_uris: listField(z.string(), 'As they were sent.', uris),
    token_endpoint_auth_method: textField('`none`.', 'none'),
    grant_types: listField(z.string(), 'The types of grants.', ['authorization_code', 'refresh_token']),
    response_types: listField(z.string(), 'The types of responses.', ['code']),
  }),
  errors: ['not_found'],
  raw: {
    readBody: readRegistration,
    responds: 'custom',
    otherResponses: {
      201: { description: 'The client is registered.' },
      400: { description: 'An error of OAuth: `error` and `error_description` (RFC 7591, 3.2.2).' },
    },
  },

  async handle({ body }, { sealedValues }) {
    requireRegistration();
    return respondToClient(() => register(body, sealedValues), 201);
  },
});

export const handler = lambdaWithoutKey(registerClient);
