import type { ApiError } from './types.ts';

/** A request that failed, where there is no place for an `error` as a value: in `for await` over items, and from `dataOf`. */
export class ApiRequestError extends Error {
  override readonly name = 'ApiRequestError';
  readonly code: ApiError['error'];
  readonly details: ApiError['details'];
  readonly status: number;
  /** The id of the request in the service's log. */
  readonly requestId: string | null;

  constructor({ error, message, details }: ApiError, { status, headers }: Response) {
    super(message);
    this.code = error;
    this.details = details;
    this.status = status;
    this.requestId = headers.get('x-request-id');
  }
}
