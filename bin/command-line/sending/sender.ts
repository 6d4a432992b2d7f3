import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import type {
  ApiClient,
  ApiError,
  CallItem,
  CallOutcomeItem,
  FailedItem,
  RequestOptions,
  Result,
} from '../../../functions/openapi/client/client.ts';
import { hasNoResponse, retryAfterSeconds } from '../../../functions/openapi/client/fetch.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { count } from '../output.ts';
import type { Pace } from './pace.ts';

/** An operation that takes many items, of which some may fail. */
export type Operation<Item, Succeeded extends string> = {
  /** The status of an item that succeeded. */
  status: Succeeded;
  send(api: ApiClient, items: Item[], options: RequestOptions): Promise<Result<unknown>>;
  /** Returns the result of each item from the data of a response; undefined for an item without one. */
  match(data: unknown, items: Item[]): (Outcome<Succeeded> | undefined)[];
  /** Identifies what an item changes, as the input spells it: its items are sent in the order of the file. */
  reference(item: Item): string;
};

/** The result of one item, with the fields that the response has for it. */
export type Outcome<Succeeded extends string> =
  | { status: Succeeded }
  | { status: 'failed'; error: string; message: string };

export const updateOutcomes: Operation<CallOutcomeItem, 'updated'> = {
  status: 'updated',
  send: (api, items, options) => api.calls.updateOutcomes({ items }, options),
  match: (data, items) => matchIndexes('updated', data as IndexedResults, items.length),
  reference: ({ agentId, callIdOrPhone }) => `${agentId} ${callIdOrPhone}`,
};

export const recordCalls: Operation<CallItem, 'recorded'> = {
  status: 'recorded',
  send: (api, items, options) => api.calls.recordMany({ items }, options),
  match: (data, items) => matchIndexes('recorded', data as IndexedResults, items.length),
  reference: ({ agentId, callId }) => `${agentId} ${callId}`,
};

type SenderOptions<Item, Succeeded extends string> = {
  operation: Operation<Item, Succeeded>;
  api: ApiClient;
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

/** Sends the items of a request, and returns the result of each in the same order. */
export type Send<Item, Succeeded extends string> = (
  items: Item[],
  signal: AbortSignal,
) => Promise<Outcome<Succeeded>[]>;

/**
 * Returns a function that sends items to an operation. It retries transient failures with exponential backoff and jitter after
 * `Retry-After`. Sending an item twice is harmless.
 */
export const sender = <Item, Succeeded extends string>({
  operation,
  api,
  retries,
  pace,
  onRetry,
  onAnswer,
}: SenderOptions<Item, Succeeded>): Send<Item, Succeeded> => {
  const post = async (items: Item[], signal: AbortSignal): Promise<(Outcome<Succeeded> | undefined)[]> => {
    // Failed items are sent again below, without those that succeeded.
    const options = { signal, retries: 0, timeoutSeconds: requestSeconds };
    const { data, error, response } = await operation.send(api, items, options);
    if (data) return operation.match(data, items);
    throw toFailure(response, error);
  };
  return async (items, signal) => {
    const outcomes = new Array<Outcome<Succeeded> | undefined>(items.length);
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
        pending = toRetry(items.map(operation.reference), outcomes);
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
    return outcomes as Outcome<Succeeded>[];
  };
};

/** Returns the items that were not processed in time, and all later ones with the same reference: the last item goes last. */
const toRetry = (references: string[], outcomes: (Outcome<string> | undefined)[]) => {
  const late = new Set<string>();
  return references.flatMap((reference, index) => {
    if (isLate(outcomes[index])) late.add(reference);
    return late.has(reference) ? index : [];
  });
};

/** Returns true for an item that has no result, or whose result asks for a retry. */
const isLate = (outcome: Outcome<string> | undefined) =>
  !outcome || ('error' in outcome && ['internal_error', 'temporarily_unavailable'].includes(outcome.error));

const isDone = (outcome: Outcome<string> | undefined) => !isLate(outcome);

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

type IndexedResults = { failed: FailedItem[] } & Record<string, { index: number }[]>;

const matchIndexes = <Succeeded extends string>(
  status: Succeeded,
  { failed, [status]: succeeded = [] }: IndexedResults,
  count: number,
) => {
  const outcomes = new Array<Outcome<Succeeded> | undefined>(count);
  for (const { index, ...result } of succeeded) outcomes[index] = { status, ...result };
  for (const { index, error, message } of failed) outcomes[index] = { status: 'failed', error, message };
  return outcomes;
};
