import * as z from 'zod/mini';
import { describedObject, integerField, textField } from '../domain/describe.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { grants } from '../oauth/grants.ts';
import { requireOAuth } from '../oauth/metadata.ts';
import { rawForm, respondToClient } from '../oauth/parameters.ts';
import { sealedValues } from '../oauth/sealed-values.ts';
import { issueTokens } from '../oauth/tokens.ts';
import { apiKeys } from '../store/api-keys.ts';

const Form = describedObject('The request of a client.', {
  grant_type: textField('`authorization_code` or `refresh_token`.', 'authorization_code'),
  client_id: textField('Id of the client.', 'https://client.example.com/oauth.json'),
  code: z.optional(textField('The code of the redirect, within a minute and once.', 'kQ7x…')),
  code_verifier: z.optional(textField('The verifier of PKCE.', 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')),
  redirect_uri: z.optional(textField('That of the request.', 'https://client.example.com/callback')),
  refresh_token: z.optional(textField('The newest refresh token.', 'vor_9fKq…')),
  scope: z.optional(textField('Fewer scopes for this access token.', 'calls')),
  resource: z.optional(textField('The server of AI clients.', 'https://api.example.com/mcp')),
});

/** Issues the tokens of a grant to an AI client. */
export const issueToken = endpoint({
  name: 'issueToken',
  method: 'POST',
  path: '/token',
  summary: 'Get tokens for a code or a refresh token',
  description:
    'The token endpoint of OAuth 2.1. The access token is valid for an hour, at POST /mcp alone. Each refresh replaces the refresh token; the former one is valid for a minute more, and then its use ends the grant. The use of a code for a second time ends the grant, too.',
  caller: { kind: 'anyone' },
  namesPublicUrl: true,
  services: { sealedValues, grants: grants.for('make', 'refresh', 'find'), apiKeys: apiKeys.for('revoke') },
  body: z.custom<URLSearchParams>().check(z.meta({ description: 'The request of a client.', documentAs: Form })),
  response: describedObject('The tokens.', {
    access_token: textField('The access token. It begins with `voa_`.', 'voa_5tGh…'),
    token_type: textField('`Bearer`.', 'Bearer'),
    expires_in: integerField('Seconds for which the access token is valid.', 3600),
    refresh_token: textField('The refresh token. It begins with `vor_`.', 'vor_9fKq…'),
    scope: textField('The scopes of the access token, separated by spaces.', 'agents calls'),
  }),
  errors: ['not_found'],
  raw: rawForm,

  async handle({ body, requestId }, services) {
    requireOAuth();
    return respondToClient(() => issueTokens(body, requestId, services));
  },
});

export const handler = lambdaWithoutKey(issueToken);
