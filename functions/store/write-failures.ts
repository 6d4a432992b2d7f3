import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ApiError } from '../domain/errors.ts';
import type { ItemKey } from './keys.ts';

/** The error code, and the item if the condition of an update failed. */
export type StatementResult = { error: string | undefined; item: ItemKey | undefined };

/** Returns why a write failed: its condition (read again), or another write (retry). */
export const writeFailure = (error: unknown): 'condition' | 'conflict' | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConditionalCheckFailedException') return 'condition';
  if (error.name === 'TransactionConflictException') return 'conflict';
  if (hasCode(error, ['ConditionalCheckFailed'])) return 'condition';
  return hasCode(error, conflictCodes) ? 'conflict' : undefined;
};

/** Returns the result of each action of a canceled transaction. */
export const cancellationResults = (error: unknown): StatementResult[] | undefined =>
  error instanceof TransactionCanceledException
    ? error.CancellationReasons?.map(({ Code, Item }) => ({
        error: Code === 'None' ? undefined : Code,
        item: Item && (unmarshall(Item) as ItemKey),
      }))
    : undefined;

/** Returns the failed conditions by action, with the items. */
export const failedConditions = <T>(error: unknown): Map<number, T | undefined> => {
  // A single put is not a transaction.
  if (error instanceof ConditionalCheckFailedException)
    return new Map([[0, error.Item && (unmarshall(error.Item) as T)]]);
  const results = [...(cancellationResults(error) ?? []).entries()];
  const failed = results.filter(([, result]) => result.error === 'ConditionalCheckFailed');
  return new Map(failed.map(([position, { item }]) => [position, item as T | undefined]));
};

export const throttlingCodes = new Set(['ProvisionedThroughputExceeded', 'ThrottlingError', 'RequestLimitExceeded']);
const conflictCodes = ['TransactionConflict', 'InternalServerError'];
/** The errors of statements and actions that a retry may help. */
export const retryableCodes = new Set([...throttlingCodes, ...conflictCodes]);

const throttlingErrors = ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'];

/** Checks whether DynamoDB throttled a call or a transaction, and wrote nothing. */
export const isThrottled = (error: unknown): boolean =>
  error instanceof Error &&
  (throttlingErrors.includes(error.name) ||
    (writeFailure(error) === undefined && hasCode(error, [...throttlingCodes])));

const hasCode = (error: unknown, codes: string[]): boolean =>
  error instanceof TransactionCanceledException &&
  (error.CancellationReasons ?? []).some(({ Code = '' }) => codes.includes(Code));

/** Leaves a failed call of many to be repeated while there is time. */
export const retryLater = (error: Error): undefined => {
  if (!(error instanceof ApiError) && !isRetryable(error)) throw error;
};

/** Checks whether a failed call may be retried. An invalid request may not. */
export const isRetryable = (error: Error & { $fault?: string; $metadata?: { httpStatusCode?: number } }): boolean => {
  // The time for repeating throttled calls is over.
  if (error instanceof TypeError || error instanceof ApiError) return false;
  return !(error.$fault === 'client' && error.$metadata?.httpStatusCode === 400) || isThrottled(error);
};
