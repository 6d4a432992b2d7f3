import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { CustomResponse } from '../domain/custom-response.ts';
import { limits } from '../domain/limits.ts';
import { decodeRequestBody } from '../http/request-body.ts';
import { jsonResponse } from '../http/response.ts';

const readForm = (event: APIGatewayProxyEventV2): URLSearchParams =>
  new URLSearchParams(decodeRequestBody(event, limits.oauthBodyBytes).toString());

/** How a form is read, and answered in the form of its standard. */
export const rawForm = {
  readBody: readForm,
  requestMediaType: 'application/x-www-form-urlencoded',
  responds: 'custom' as const,
  otherResponses: { 400: { description: 'An error of OAuth: `error` and `error_description` (RFC 6749, 5.2).' } },
};

/** The codes of errors of RFC 6749 (5.2), RFC 7591 (3.2.2) and RFC 8707. */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata';

/** An error that a client gets in the form of its standard, instead of the service's own. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the only value of a parameter. Throws if it is there twice; undefined if it is missing or empty. */
export const readParameter = (parameters: URLSearchParams, name: string): string | undefined => {
  const [value, second] = parameters.getAll(name);
  if (second !== undefined) throw new OAuthError('invalid_request', `${name} is there twice.`);
  return value || undefined;
};

/** Returns the value of a parameter. Throws if it is missing. */
export const requireParameter = (parameters: URLSearchParams, name: string): string => {
  const value = readParameter(parameters, name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
};

/** Returns the response of a request in the form of its standard, its errors included. */
export const respondToClient = async (work: () => Promise<object>, status = 200): Promise<CustomResponse> => {
  try {
    return jsonResponse(await work(), status);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return jsonResponse({ error: error.code, error_description: error.message, message: error.message }, 400);
  }
};
