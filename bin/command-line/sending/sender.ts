import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import {
  type ApiClient,
  type ApiError,
  apiClient,
  type CallItem,
  type CallOutcomeItem,
  type FailedItem,
  type RequestOptions,
} from '../../../functions/openapi/client/client.ts';
import { hasNoResponse, retryAfterSeconds } from '../../../functions/openapi/client/fetch.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { count } from '../output.ts';
import type { Pace } from './pace.ts';

/** The operations that take many items, by the status of an item that succeeded. The list of these items has the same name. */
const operations = {
  updated: (api: ApiClient, items: Item[], options: RequestOptions) =>
    api.calls.updateOutcomes({ items: items as CallOutcomeItem[] }, options),
  recorded: (api: ApiClient, items: Item[], options: RequestOptions) =>
    api.calls.recordMany({ items: items as CallItem[] }, options),
};

export type Status = keyof typeof operations;

export type Item = CallItem | CallOutcomeItem;

/** The result of one item, with the fields that the response has for it. */
export type Outcome<S extends Status> = { status: S } | { status: 'failed'; error: string; message: string };

type SenderOptions<S extends Status> = {
  status: S;
  baseUrl: string;
  apiKey: string;
  retries: number;
  pace: Pace;
  onRetry(message: string): void;
  /** Called with the number of items that a response has set, or refused for good. */
  onAnswer?(items: number): void;
};

/** The timeout of a request, longer than any request takes. */
const requestSeconds = 35;
/** The maximum wait that the service may request. The client does not wait longer. */
const maxWaitSeconds = 600;

/** Another attempt may succeed, after the seconds that the service asked to wait. */
class RetryableError extends Error {
  readonly waitSeconds: number;
  constructor(message: string, waitSeconds = 0) {
    super(message);
    this.waitSeconds = waitSeconds;
  }
}

/** Thrown when the service did not complete the request in time. Smaller requests may succeed. */
class TooSlowError extends RetryableError {}

/** Thrown when some items were not processed in time. */
class ItemsFailedError extends TooSlowError {}

/** Sends up to 1,000 items, and returns the result of each in the same order. */
export type Send<S extends Status> = (items: Item[], signal: AbortSignal) => Promise<Outcome<S>[]>;

/**
 * Returns a function that sends items to an operation. It retries transient failures with exponential backoff and jitter after
 * `Retry-After`. Sending an item twice is harmless.
 */
export const sender = <S extends Status>({
  status,
  baseUrl,
  apiKey,
  retries,
  pace,
  onRetry,
  onAnswer,
}: SenderOptions<S>): Send<S> => {
  // Failed items are sent again below, without those that succeeded.
  const api = apiClient({ baseUrl, apiKey, retries: 0, timeoutSeconds: requestSeconds });
  const post = async (items: Item[], signal: AbortSignal): Promise<(Outcome<S> | undefined)[]> => {
    const { data, error, response } = await operations[status](api, items, { signal });
    if (data) return matchOutcomes(status, data as unknown as Results, items.length);
    throw toFailure(response, error);
  };
  return async (items, signal) => {
    const outcomes = new Array<Outcome<S> | undefined>(items.length);
    let pending = items.map((_, index) => index);
    const sendNext = async () => {
      const part = pending.slice(0, pace.rows);
      const results = await post(
        part.map((index) => items[index] as Item),
        signal,
      );
      const before = part.filter((index) => isDone(outcomes[index])).length;
      for (const [place, index] of part.entries()) outcomes[index] = results[place];
      onAnswer?.(part.filter((index) => isDone(outcomes[index])).length - before);
      const late = part.filter((index) => isLate(outcomes[index]));
      if (late.length > 0) {
        throw new ItemsFailedError(`${count(late.length, 'row was', 'rows were')} not processed in time`);
      }
      pending = pending.slice(part.length);
      pace.succeed();
    };
    const attempt = async () => {
      try {
        while (pending.length > 0) await pace.run(sendNext);
      } catch (error) {
        if (error instanceof TooSlowError) pace.slowDown();
        pending = toRetry(items, outcomes);
        throw error;
      }
    };
    await pRetry(attempt, {
      retries,
      signal,
      minTimeout: 250,
      maxTimeout: 30_000,
      randomize: true,
      shouldRetry: ({ error }) => error instanceof RetryableError,
      async onFailedAttempt({ error, retriesLeft, retryDelay }) {
        if (!(error instanceof RetryableError) || retriesLeft === 0) return;
        const seconds = error.waitSeconds + retryDelay / 1000;
        onRetry(`${error.message}. Retrying in ${seconds.toFixed(1)} s.`);
        await sleep(error.waitSeconds * 1000, undefined, { signal });
      },
    }).catch((error: Error) => {
      if (signal.aborted) throw signal.reason;
      // Every item has a result, and some failures persist.
      if (error instanceof ItemsFailedError && outcomes.every((outcome) => outcome !== undefined)) return;
      throw error instanceof CommandError
        ? error
        : unfinished(`${error.message}, also after ${count(retries, 'retry', 'retries')}`);
    });
    return outcomes as Outcome<S>[];
  };
};

/** Returns the items that were not processed in time, and all later items of their calls: a call's last item goes last. */
const toRetry = (items: Item[], outcomes: (Outcome<Status> | undefined)[]) => {
  const calls = new Set<string>();
  return items.flatMap((item, index) => {
    const failed = isLate(outcomes[index]);
    if (failed) calls.add(callReference(item));
    return failed || calls.has(callReference(item)) ? index : [];
  });
};

/** Returns true for an item that has no result, or whose result asks for a retry. */
const isLate = (outcome: Outcome<Status> | undefined) =>
  !outcome || (outcome.status === 'failed' && ['internal_error', 'temporarily_unavailable'].includes(outcome.error));

const isDone = (outcome: Outcome<Status> | undefined) => !isLate(outcome);

/** Identifies the call of an item as the input spells it. */
export const callReference = (item: Item) =>
  `${item.agentId} ${'callIdOrPhone' in item ? item.callIdOrPhone : item.callId}`;

const toFailure = (response: Response, error: ApiError | undefined): Error => {
  if (hasNoResponse(error)) return new TooSlowError(error.message.replace(/\.$/, ''));
  const message = `The service responded ${response.status}${error?.message ? ` (${error.message})` : ''}`;
  if (response.status !== 429 && response.status < 500) return unfinished(message);
  const seconds = retryAfterSeconds(response);
  if (seconds > maxWaitSeconds) return unfinished(`${message} and asks to wait ${seconds} s`);
  return response.status === 429 ? new RetryableError(message, seconds) : new TooSlowError(message, seconds);
};

const unfinished = (message: string) =>
  new CommandError(`${message}. Run the same command again to continue.`, exitCodes.unfinished);

type Results = { failed: FailedItem[] } & Record<string, { index: number }[]>;

const matchOutcomes = <S extends Status>(status: S, { failed, [status]: succeeded = [] }: Results, count: number) => {
  const outcomes = new Array<Outcome<S> | undefined>(count);
  for (const { index, ...result } of succeeded) outcomes[index] = { status, ...result };
  for (const { index, error, message } of failed) outcomes[index] = { status: 'failed', error, message };
  return outcomes;
};
