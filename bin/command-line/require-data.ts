import type { ApiError } from '../../functions/openapi/client/client.ts';
import { hasNoResponse } from '../../functions/openapi/client/fetch.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

/** Returns the data of a response, or throws its error as one sentence. */
export const requireData = <T>({ data, error, response }: Result<T>): T => {
  if (data === undefined) throw serviceError(response, error);
  return data;
};

type Result<T> = { data?: T; error?: ApiError; response: Response };

/** Returns the error of a response. An invalid request is a usage error: nothing was changed. */
export const serviceError = (response: Response, error: ApiError | undefined) =>
  new CommandError(
    hasNoResponse(error)
      ? error.message
      : `The service responded ${response.status}: ${error?.message ?? response.statusText}`,
    error?.error === 'invalid_request' ? exitCodes.usage : exitCodes.failed,
    error?.error,
  );
