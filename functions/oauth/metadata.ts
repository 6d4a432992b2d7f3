import { defaultGrantScopes, grantableScopes } from '../domain/access-tokens.ts';
import type { CustomResponse } from '../domain/custom-response.ts';
import { ApiError, type ErrorCode } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import { jsonResponse } from '../http/response.ts';

export const resourceMetadataPath = '/.well-known/oauth-protected-resource/mcp';

/** Returns the resource that access tokens are for: the server of AI clients. */
const findResource = (): string => `${environment.publicUrl}/mcp`;

/** Checks that a client means this resource. Clients add a slash, or the query of their address. */
export const isOwnResource = (resource: string): boolean =>
  (resource.split('?')[0] as string).replace(/\/$/, '') === findResource();

/** Throws a 404 where the operator has switched OAuth off. */
export const requireOAuth = (): void => {
  if (!environment.mcpOauth) throw switchedOff();
};

/** Throws a 404 where clients must have a document. */
export const requireRegistration = (): void => {
  if (!environment.mcpOauth || !environment.mcpRegistration) throw switchedOff();
};

const switchedOff = () => new ApiError('not_found', 'AI clients cannot sign in to this service.');

/** Returns the challenge of a 401 of the server of AI clients (RFC 9728, 5.1), by which they find the way to sign in. */
export const buildChallenge = (code: ErrorCode): string | undefined => {
  if (!environment.mcpOauth) return undefined;
  const url = `${environment.publicUrl}${resourceMetadataPath}`;
  // Clients ask for these scopes. offline_access is not among them: a refresh token comes without it.
  const challenge = `Bearer resource_metadata="${url}", scope="${defaultGrantScopes.join(' ')}"`;
  return code === 'missing_api_key' ? challenge : `${challenge}, error="invalid_token"`;
};

/** Returns the metadata of the protected resource (RFC 9728). */
export const buildResourceMetadata = () => ({
  resource: findResource(),
  authorization_servers: [environment.publicUrl],
  scopes_supported: grantableScopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Voice Agent Platform',
  resource_documentation: `${environment.publicUrl}/docs/mcp`,
});

/** Returns the metadata of the authorization server (RFC 8414). Its endpoints are at the root, where some clients expect them anyway. */
export const buildServerMetadata = () => {
  const host = environment.publicUrl;
  return {
    issuer: host,
    authorization_endpoint: `${host}/authorize`,
    token_endpoint: `${host}/token`,
    revocation_endpoint: `${host}/revoke`,
    ...(environment.mcpRegistration && { registration_endpoint: `${host}/register` }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: [...grantableScopes, 'offline_access'],
    service_documentation: `${host}/docs/mcp`,
  };
};

/** Returns a metadata document, which any page may read. */
export const respondWithMetadata = (metadata: object): CustomResponse => ({
  ...jsonResponse(metadata),
  headers: { 'access-control-allow-origin': '*' },
});
