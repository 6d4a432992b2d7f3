import type { CustomResponse } from '../domain/custom-response.ts';
import { ApiError } from '../domain/errors.ts';
import type { ApiMiddleware, ApiResult } from './handler-types.ts';

export const headersOfEveryResponse = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Returns a response with a JSON body. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): ApiResult => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Returns a response with a body that is not an operation's JSON. */
export const custom = ({ status, contentType, body }: CustomResponse): ApiResult => ({
  statusCode: status,
  headers: { 'content-type': contentType },
  body,
});

/** Turns a thrown error into an error response. Anything but an `ApiError` is a 500 without details. */
export const errorHandler = (): ApiMiddleware => ({
  onError(request) {
    request.response = toResponse(request.error);
  },
});

const toResponse = (error: unknown): ApiResult => {
  if (!(error instanceof ApiError)) {
    return json(500, { error: 'internal_error', message: 'The request could not be completed. Try again later.' });
  }
  const { status, code, message, details, retryAfterSeconds } = error;
  const retryAfter = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) };
  return json(status, { error: code, message, details }, retryAfter);
};
