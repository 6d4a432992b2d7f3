import type { CustomResponse } from '../domain/custom-response.ts';
import { ApiError, type ErrorDetail } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware, ApiResult } from './handler-types.ts';

export const headersOfEveryResponse = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Names the ignored fields of a request, URL-encoded for the header. */
export const ignoredFieldsHeader = (names: string[]): Record<string, string> => {
  const shown = names.slice(0, limits.ignoredFields).map((name) => {
    const start = name.slice(0, limits.ignoredFieldCharacters).toWellFormed();
    return encodeURIComponent(start);
  });
  return shown.length === 0 ? {} : { 'x-ignored-fields': shown.join(', ') };
};

/** Returns a response with a JSON body. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): ApiResult => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Returns a response with a body that is not an operation's JSON. */
export const custom = ({ status, contentType, body, headers }: CustomResponse): ApiResult => ({
  statusCode: status,
  headers: { 'content-type': contentType, ...headers },
  body,
});

/** Returns a JSON body that is not an operation's, but in the form of a protocol, a standard or a voice platform. */
export const jsonResponse = (body: object, status = 200): CustomResponse => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

/** Turns an error into a response: a 500 without details unless an `ApiError`. */
export const errorHandler = ({ raw }: Pick<AnyEndpoint, 'raw'>): ApiMiddleware => ({
  onError(request) {
    request.response = toResponse(request.error);
    if (request.error instanceof ApiError && request.error.status === 401) {
      const challenge = raw?.challenge?.(request.error.code);
      if (challenge) request.response.headers = { ...request.response.headers, 'www-authenticate': challenge };
    }
    if (request.error instanceof ApiError) request.internal.errorCode = request.error.code;
  },
});

const toResponse = (error: unknown): ApiResult => {
  if (!(error instanceof ApiError)) {
    return json(500, { error: 'internal_error', message: 'The request could not be completed. Try again later.' });
  }
  const { status, code, message, details, retryAfterSeconds, version } = error;
  const retryAfter = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) };
  return json(status, { error: code, message, version, details: details && withinLimit(details) }, retryAfter);
};

/** Shortens long details. The last one then gives the number of the others. */
const withinLimit = (details: ErrorDetail[]): ErrorDetail[] => {
  if (details.length <= limits.errorDetails) return details;
  const shown = details.slice(0, limits.errorDetails - 1);
  return [...shown, { path: '', message: `and ${details.length - shown.length} more` }];
};
