import * as z from 'zod/mini';
import { describe, describedObject, listField, textField } from '../domain/describe.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { buildServerMetadata, requireOAuth, respondWithMetadata } from '../oauth/metadata.ts';

const texts = (description: string, example: string[]) => listField(z.string(), description, example);

/** Says where AI clients sign in, and how. */
export const getAuthorizationServer = endpoint({
  name: 'getAuthorizationServer',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Get the metadata of the authorization server',
  description: 'Returns the OAuth 2.0 Authorization Server Metadata (RFC 8414) for AI clients. Any page may read it.',
  caller: { kind: 'anyone' },
  namesPublicUrl: true,
  response: describedObject('The metadata of the authorization server.', {
    issuer: textField('The issuer, which is also `iss` of its redirects.', 'https://api.example.com'),
    authorization_endpoint: textField('Where a person permits a client.', 'https://api.example.com/authorize'),
    token_endpoint: textField('Where a client gets tokens.', 'https://api.example.com/token'),
    revocation_endpoint: textField('Where a client ends its grant.', 'https://api.example.com/revoke'),
    registration_endpoint: z.optional(
      textField('Where a client without a document registers.', 'https://api.example.com/register'),
    ),
    response_types_supported: texts('The types of responses.', ['code']),
    response_modes_supported: texts('Where the parameters of a redirect are.', ['query']),
    grant_types_supported: texts('The types of grants.', ['authorization_code', 'refresh_token']),
    code_challenge_methods_supported: texts('The methods of PKCE.', ['S256']),
    token_endpoint_auth_methods_supported: texts('How a client authenticates.', ['none']),
    revocation_endpoint_auth_methods_supported: texts('How it does so to end a grant.', ['none']),
    client_id_metadata_document_supported: z
      .boolean()
      .check(describe('The id of a client may be the https URL of its document.', true)),
    authorization_response_iss_parameter_supported: z.boolean().check(describe('Redirects have `iss`.', true)),
    scopes_supported: texts('The scopes that a client may name.', ['agents', 'calls', 'offline_access']),
    service_documentation: textField('Address of the guide.', 'https://api.example.com/docs/mcp'),
  }),
  errors: ['not_found'],
  raw: {
    responds: 'custom',
    isPublicDocument: true,
    // Clients look beside the path of the resource, and under the name that OpenID has.
    otherPaths: ['/.well-known/oauth-authorization-server/mcp', '/.well-known/openid-configuration'],
  },

  async handle() {
    requireOAuth();
    return respondWithMetadata(buildServerMetadata());
  },
});

export const handler = lambdaWithoutKey(getAuthorizationServer);
