import * as z from 'zod/mini';
import { describedObject, listField, textField } from '../domain/describe.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { buildResourceMetadata, requireOAuth, resourceMetadataPath, respondWithMetadata } from '../oauth/metadata.ts';

/** Says which authorization server issues tokens for the server of AI clients. */
export const getProtectedResource = endpoint({
  name: 'getProtectedResource',
  method: 'GET',
  path: resourceMetadataPath,
  summary: 'Get the metadata of the server of AI clients',
  description:
    'Returns the OAuth 2.0 Protected Resource Metadata (RFC 9728) of POST /mcp, by which AI clients find the authorization server. Any page may read it.',
  caller: { kind: 'anyone' },
  namesPublicUrl: true,
  response: describedObject('The metadata of the protected resource.', {
    resource: textField('The resource that access tokens are for.', 'https://api.example.com/mcp'),
    authorization_servers: listField(z.string(), 'The authorization servers.', ['https://api.example.com']),
    scopes_supported: listField(z.string(), 'The scopes that a client can get.', ['agents', 'calls']),
    bearer_methods_supported: listField(z.string(), 'How a client sends its token.', ['header']),
    resource_name: textField('Name of the resource for people.', 'Voice Agent Platform'),
    resource_documentation: textField('Address of its guide.', 'https://api.example.com/docs/mcp'),
  }),
  errors: ['not_found'],
  raw: { responds: 'custom', isPublicDocument: true, otherPaths: ['/.well-known/oauth-protected-resource'] },

  async handle() {
    requireOAuth();
    return respondWithMetadata(buildResourceMetadata());
  },
});

export const handler = lambdaWithoutKey(getProtectedResource);
