import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ItemKey } from './keys.ts';

/** The code of the error, if there was one; when an update's condition did not hold, also the item as it is. */
export type StatementResult = { error: string | undefined; item: ItemKey | undefined };

/** Why a write was not done: its condition did not hold (read again), or another write was in its way (try again). */
export const writeFailure = (error: unknown): 'condition' | 'conflict' | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConditionalCheckFailedException') return 'condition';
  if (error.name === 'TransactionConflictException') return 'conflict';
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = (error.CancellationReasons ?? []).map((reason) => reason.Code);
  if (reasons.includes('ConditionalCheckFailed')) return 'condition';
  return reasons.some((reason) => reason && retryableCodes.has(reason)) ? 'conflict' : undefined;
};

/** The result of each action of a transaction that was canceled. */
export const cancellationResults = (error: unknown): StatementResult[] | undefined =>
  error instanceof TransactionCanceledException
    ? error.CancellationReasons?.map(({ Code, Item }) => ({
        error: Code === 'None' ? undefined : Code,
        item: Item && (unmarshall(Item) as ItemKey),
      }))
    : undefined;

/** Whose conditions did not hold, by their positions in the transaction, with the items where the actions asked for them (`ALL_OLD`). */
export const failedConditions = <T>(error: unknown): Map<number, T | undefined> => {
  // A put that is alone is no transaction.
  if (error instanceof ConditionalCheckFailedException) return new Map([[0, conflictingItem<T>(error)]]);
  const results = [...(cancellationResults(error) ?? []).entries()];
  const failed = results.filter(([, result]) => result.error === 'ConditionalCheckFailed');
  return new Map(failed.map(([position, { item }]) => [position, item as T | undefined]));
};

/** The item on whose account a write's condition did not hold, when the write asked for it (`ALL_OLD`). */
export const conflictingItem = <T>(error: unknown): T | undefined =>
  error instanceof ConditionalCheckFailedException && error.Item ? (unmarshall(error.Item) as T) : undefined;

/** Codes of statements and of actions of a transaction after which a retry may succeed. */
export const retryableCodes = new Set([
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'RequestLimitExceeded',
  'InternalServerError',
]);

/** Whether a failed batch of statements may be retried: after a fault of the network or of DynamoDB, not after an invalid request. */
export const isRetryable = (error: Error & { $fault?: string; $metadata?: { httpStatusCode?: number } }): boolean => {
  if (error instanceof TypeError) return false;
  return !(error.$fault === 'client' && error.$metadata?.httpStatusCode === 400) || throttlingErrors.has(error.name);
};
const throttlingErrors = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
]);
