import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import {
  type ApiClient,
  apiClient,
  type CallOutcomeItem,
  type UpdateCallOutcomesResponse,
} from '../../functions/openapi/client/client.ts';
import { hasNoResponse, retryAfterSeconds } from '../../functions/openapi/client/fetch.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { count } from '../command-line/output.ts';
import type { Pace } from './pace.ts';

type Item = CallOutcomeItem;

/** The result of one item. */
export type Outcome =
  | { status: 'updated'; call_id: string; phone: string | null; updated_fields: string[] }
  | { status: 'failed'; error: string; message: string };

export type Sender = {
  /** Sets the outcomes of up to 1,000 calls, and returns the result of each in the same order. */
  send(items: Item[]): Promise<Outcome[]>;
};

export type SenderOptions = {
  baseUrl: string;
  apiKey: string;
  signal: AbortSignal;
  retries: number;
  pace: Pace;
  onRetry(message: string): void;
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

/** Thrown when some rows were not processed in time. */
class RowsFailedError extends TooSlowError {}

/**
 * Sends items with POST /call-outcomes. Retries transient failures with exponential backoff and jitter after
 * `Retry-After`; setting an outcome twice is harmless.
 */
export const sender = ({ baseUrl, apiKey, signal, retries, pace, onRetry }: SenderOptions): Sender => {
  const api = apiClient({
    baseUrl,
    apiKey,
    // Failed rows are sent again below, without those that were set.
    retries: 0,
    timeoutSeconds: requestSeconds,
  });
  return {
    async send(items) {
      const outcomes = new Array<Outcome | undefined>(items.length);
      let pending = items.map((_, index) => index);
      const sendNext = async () => {
        const part = pending.slice(0, pace.rows);
        const results = await post(
          api,
          part.map((index) => items[index] as Item),
          signal,
        );
        for (const [place, index] of part.entries()) outcomes[index] = results[place];
        const late = part.filter((index) => isLate(outcomes[index]));
        if (late.length > 0) throw new RowsFailedError(`${count(late.length, 'row was', 'rows were')} not set in time`);
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
        // Every row has a result, and some failures persist.
        if (error instanceof RowsFailedError && outcomes.every((outcome) => outcome !== undefined)) return;
        throw error instanceof CommandError
          ? error
          : new CommandError(
              `${error.message}, also after ${count(retries, 'retry', 'retries')}. Run the same command again to continue.`,
              exitCodes.unfinished,
            );
      });
      return outcomes as Outcome[];
    },
  };
};

/** Returns the rows that were not set in time, and all later rows of their calls: a call's last row goes last. */
const toRetry = (items: Item[], outcomes: (Outcome | undefined)[]) => {
  const calls = new Set<string>();
  return items.flatMap((item, index) => {
    const failed = isLate(outcomes[index]);
    if (failed) calls.add(callReference(item));
    return failed || calls.has(callReference(item)) ? index : [];
  });
};

/** Returns true for a row that has no result, or whose result asks for a retry. */
const isLate = (outcome: Outcome | undefined) =>
  !outcome || (outcome.status === 'failed' && ['internal_error', 'temporarily_unavailable'].includes(outcome.error));

/** Identifies the call of an item as the input spells it. */
export const callReference = ({ agentId, callIdOrPhone }: Item) => `${agentId} ${callIdOrPhone}`;

const post = async (api: ApiClient, items: Item[], signal: AbortSignal): Promise<(Outcome | undefined)[]> => {
  const { data, error, response } = await api.calls.updateOutcomes({ items }, { signal });
  if (hasNoResponse(error)) throw new TooSlowError(error.message.replace(/\.$/, ''));
  if (data) return matchOutcomes(data, items.length);
  const message = `The service responded ${response.status}${error?.message ? ` (${error.message})` : ''}`;
  if (response.status === 429 || response.status >= 500) {
    const seconds = retryAfterSeconds(response);
    if (seconds > maxWaitSeconds) throw unfinished(`${message} and asks to wait ${seconds} s`);
    throw response.status === 429 ? new RetryableError(message, seconds) : new TooSlowError(message, seconds);
  }
  throw unfinished(message);
};

const unfinished = (message: string) =>
  new CommandError(`${message}. Run the same command again to continue.`, exitCodes.unfinished);

const matchOutcomes = ({ updated, failed }: UpdateCallOutcomesResponse, count: number) => {
  const outcomes = new Array<Outcome | undefined>(count);
  for (const { index, call_id, phone, updated_fields } of updated) {
    outcomes[index] = { status: 'updated', call_id, phone, updated_fields };
  }
  for (const { index, error, message } of failed) outcomes[index] = { status: 'failed', error, message };
  return outcomes;
};
