import type { ApiError } from './types.ts';

/** A failed request. Thrown where no `error` can be returned: in `for await` over items, and by `dataOf`. */
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
