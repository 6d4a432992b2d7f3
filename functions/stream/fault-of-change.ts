import { ApiError, errorStatuses } from '../domain/errors.ts';
import { isThrottled } from '../store/write-failures.ts';

type AnyError = Error & { code?: string; $fault?: string; $metadata?: { httpStatusCode?: number } };

/** Connections that fail, and time that is over. */
const faultsOfService = /Timeout|^AbortError$|^ECONN|^EPIPE$|^ENOTFOUND$|^EAI_AGAIN$|^UND_ERR_|^NetworkingError$/;

/** Checks whether an error belongs to the change that was followed: it is no throttling, no time-out and no 5xx. */
export const isFaultOfChange = (error: unknown): boolean => {
  if (!(error instanceof Error)) return true;
  const { name, code = '', cause, $fault, $metadata } = error as AnyError;
  const isOfService =
    isThrottled(error) ||
    (error instanceof ApiError && errorStatuses[error.code] >= 500) ||
    $fault === 'server' ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    faultsOfService.test(name) ||
    faultsOfService.test(code);
  return !isOfService && (!(cause instanceof Error) || isFaultOfChange(cause));
};
