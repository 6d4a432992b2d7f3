import { ApiError } from '../domain/errors.ts';
import type { ApiMiddleware, ApiResult } from './lambda.ts';

/** An answer with a JSON body. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): ApiResult => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Turns what was thrown into the error body of the contract. What is not an `ApiError` is answered 500 without detail. */
export const errorHandler = (): ApiMiddleware => ({
  onError(request) {
    request.response = answerOf(request.error);
  },
});

const answerOf = (error: unknown): ApiResult => {
  if (!(error instanceof ApiError)) {
    return json(500, { error: 'internal_error', message: 'The request could not be completed. Try again later.' });
  }
  const { status, code, message, details, retryAfterSeconds } = error;
  const retryAfter = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) };
  return json(status, { error: code, message, details }, retryAfter);
};
