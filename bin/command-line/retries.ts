import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { CommandError } from './exit-codes.ts';

const retries = 4;
/** A service that asks to wait longer is not waited for. */
const maxWaitSeconds = 60;

/** A response for which the request may be sent again, after the time it names. */
class RetryableError extends Error {
  readonly response: Response;
  constructor(response: Response) {
    super(`The service responded ${response.status}.`);
    this.response = response;
  }
}

/** There was no response: the request may have been processed or not. */
export class UnreachableError extends CommandError {}

type RetryOptions = { origin: string; seconds: number; stop: AbortSignal };

/** Retries transient failures with exponential backoff, honouring `Retry-After`. Returns the last response. */
export const withRetries = async (
  { origin, seconds, stop }: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> => {
  const once = async () => {
    const response = await attempt(AbortSignal.any([stop, AbortSignal.timeout(seconds * 1000)])).catch(
      (error: Error) => {
        stop.throwIfAborted();
        throw new UnreachableError(`${origin} cannot be reached (${reasonOf(error, seconds)}).`);
      },
    );
    const isRunning = response.status === 409 && (await response.clone().text()).includes('idempotency_in_progress');
    if (isRunning || response.status === 429 || response.status >= 500) throw new RetryableError(response);
    return response;
  };
  try {
    return await pRetry(once, {
      retries,
      signal: stop,
      minTimeout: 250,
      randomize: true,
      shouldRetry: ({ error }) =>
        error instanceof UnreachableError ||
        (error instanceof RetryableError && retryAfterSeconds(error.response) <= maxWaitSeconds),
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (error instanceof RetryableError && retriesLeft > 0)
          await sleep(retryAfterSeconds(error.response) * 1000, undefined, { signal: stop });
      },
    });
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof RetryableError) return error.response;
    throw error;
  }
};

const reasonOf = (error: Error, seconds: number): string =>
  error.name === 'TimeoutError' ? `no response within ${seconds} s` : causeOf(error);

/** The seconds that a response asks to wait. `Retry-After` is a number of seconds or a date. */
export const retryAfterSeconds = (response: Response): number => {
  const value = response.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : Math.max(0, (date - Date.now()) / 1000);
};

/** Why there was no response. `fetch` puts it into the cause of its error. */
export const causeOf = (error: Error): string => {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? error.message;
};
