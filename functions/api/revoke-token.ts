import * as z from 'zod/mini';
import { describedObject, textField } from '../domain/describe.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { requireOAuth } from '../oauth/metadata.ts';
import { rawForm, respondToClient } from '../oauth/parameters.ts';
import { sealedValues } from '../oauth/sealed-values.ts';
import { revokeToken as revoke } from '../oauth/tokens.ts';
import { apiKeys } from '../store/api-keys.ts';

const Form = describedObject('The request of a client.', {
  token: textField('An access token or a refresh token.', 'vor_9fKq…'),
  client_id: z.optional(textField('Id of the client.', 'https://client.example.com/oauth.json')),
  token_type_hint: z.optional(textField('Ignored.', 'refresh_token')),
});

/** Ends the grant of a token. */
export const revokeToken = endpoint({
  name: 'revokeToken',
  method: 'POST',
  path: '/revoke',
  summary: 'End the grant of a token',
  description:
    'The revocation endpoint of OAuth 2.0 (RFC 7009). It ends the grant with all its tokens, and responds the same to a token that is unknown.',
  caller: { kind: 'anyone' },
  namesPublicUrl: true,
  services: { sealedValues, apiKeys: apiKeys.for('revoke') },
  body: z.custom<URLSearchParams>().check(z.meta({ description: 'The request of a client.', documentAs: Form })),
  response: describedObject('Nothing: the grant has ended, or there was none.', {}),
  errors: ['not_found'],
  raw: rawForm,

  async handle({ body, requestId }, services) {
    requireOAuth();
    return respondToClient(() => revoke(body, requestId, services));
  },
});

export const handler = lambdaWithoutKey(revokeToken);
