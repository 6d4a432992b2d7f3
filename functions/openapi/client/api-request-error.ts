import { type RequestLimits, readLimits } from './limits.ts';
import type { ApiError } from './types.ts';

/** A failed request. Thrown where no `error` can be returned: in `for await` over items, and by `dataOf`. */
export class ApiRequestError extends Error {
  override readonly name = 'ApiRequestError';
  readonly code: ApiError['error'];
  readonly details: ApiError['details'];
  readonly status: number;
  /** The id of the request in the service's log. */
  readonly requestId: string | null;
  /** What the response says about the limit of the key, and about a wait. */
  readonly limits: RequestLimits;

  constructor({ error, message, details }: ApiError, response: Response) {
    super(message);
    this.code = error;
    this.details = details;
    this.status = response.status;
    this.requestId = response.headers.get('x-request-id');
    this.limits = readLimits(response);
  }
}
