import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { isJsonObject } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { characters } from '../domain/text.ts';
import { decodeRequestBody } from '../http/request-body.ts';
import { readClientName } from './client.ts';
import type { Registration } from './clients.ts';
import { OAuthError } from './parameters.ts';
import { isRedirectUri } from './redirects.ts';
import type { SealedValues } from './sealed-values.ts';

/** Reads the body of a registration; undefined if it is no JSON. */
export const readRegistration = (event: APIGatewayProxyEventV2): unknown => {
  const text = decodeRequestBody(event, limits.oauthBodyBytes).toString();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Registers a client that has no document (RFC 7591). Nothing is stored: its id is the registration, sealed. */
export const registerClient = async (metadata: unknown, sealedValues: Pick<SealedValues, 'seal'>): Promise<object> => {
  if (!isJsonObject(metadata))
    throw new OAuthError('invalid_client_metadata', 'The body must be a JSON object in UTF-8.');
  const { redirect_uris: uris, client_name: name } = metadata;
  if (!isListOfUris(uris))
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must be 1 to ${limits.redirectUris} addresses with https, or with http on the own machine.`,
    );
  if (name !== undefined && (typeof name !== 'string' || characters(name) > limits.nameCharacters))
    throw new OAuthError(
      'invalid_client_metadata',
      `client_name must have at most ${limits.nameCharacters} characters.`,
    );
  const registration: Registration = { redirectUris: uris, name: readClientName(name) };
  return {
    client_id: await sealedValues.seal('client', registration),
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name: name,
    redirect_uris: uris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
};

/** They travel in the id of the client, so that all together are bounded. */
const isListOfUris = (uris: unknown): uris is string[] =>
  Array.isArray(uris) &&
  uris.length > 0 &&
  uris.length <= limits.redirectUris &&
  uris.every(isRedirectUri) &&
  uris.join('').length <= limits.redirectUriUnits;
