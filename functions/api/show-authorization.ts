import * as z from 'zod/mini';
import { describe, textField } from '../domain/describe.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { showAuthorization as show } from '../oauth/authorization.ts';
import { clientDocuments } from '../oauth/client-documents.ts';
import { requireOAuth } from '../oauth/metadata.ts';
import { sealedValues } from '../oauth/sealed-values.ts';

/** Faults of a request are told by a page or a redirect, so that nothing here is refused. */
const Query = z.object({
  response_type: z.optional(textField('`code`.', 'code')),
  client_id: z.optional(
    textField(
      'Id of the client: the https URL of its document, or the id from POST /register.',
      'https://client.example.com/oauth.json',
    ),
  ),
  redirect_uri: z.optional(
    textField(
      'Where the person returns to: an address of the client’s document.',
      'https://client.example.com/callback',
    ),
  ),
  code_challenge: z.optional(
    textField('The challenge of PKCE (RFC 7636).', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
  ),
  code_challenge_method: z.optional(textField('`S256`.', 'S256')),
  state: z.optional(textField('Comes back unchanged.', 'af0ifjsldkj')),
  scope: z.optional(textField('The scopes that are ticked at first, separated by spaces.', 'agents calls')),
  resource: z.optional(textField('The server of AI clients.', 'https://api.example.com/mcp')),
});

/** Shows a person who wants to connect, and asks for an API key. */
export const showAuthorization = endpoint({
  name: 'showAuthorization',
  method: 'GET',
  path: '/authorize',
  summary: 'Show the page on which a person connects an AI client',
  description:
    'The authorization endpoint of OAuth 2.1 (RFC 6749, 4.1) with PKCE. A browser opens it for an AI client. The page names the client, the host to which the person returns and the scopes, and asks for an API key.',
  caller: { kind: 'anyone' },
  namesPublicUrl: true,
  services: { clientDocuments, sealedValues },
  query: Query,
  response: z.string().check(describe('The page.', '<!doctype html>')),
  errors: ['not_found'],
  limitsAddresses: true,
  raw: {
    responds: 'custom',
    mediaTypes: ['text/html'],
    otherResponses: {
      303: { description: 'Another fault of the request, which the client is told by `error`.' },
      400: { description: 'The client or its redirect_uri is not known. The page says why.' },
      429: { description: 'Too many clients were looked up from this address in this minute.' },
    },
  },

  async handle({ rawQuery, address }, services) {
    requireOAuth();
    return show(new URLSearchParams(rawQuery), address, services);
  },
});

export const handler = lambdaWithoutKey(showAuthorization);
