import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { type ApiClient, apiClient, type operations, type Schema } from '../../functions/openapi/client.ts';
import { secondsToWait } from './answers.ts';
import { InputFileError } from './input-file-error.ts';

type Item = Schema<'CallOutcomeItem'>;
type Answer = operations['updateCallOutcomes']['responses'][200]['content']['application/json'];

/** What became of one item. */
export type Outcome =
  | { status: 'updated'; call_id: string; phone: string; updated_fields: string[] }
  | { status: 'failed'; error: string; message: string };

export type Sender = {
  /** Sets the outcomes of up to 1,000 calls, and tells what became of each, in their order. */
  send(items: Item[]): Promise<Outcome[]>;
};

export type SenderOptions = {
  baseUrl: string;
  apiKey: string;
  signal: AbortSignal;
  /** How often a request is sent again before giving up. */
  retries: number;
  onRetry(message: string): void;
};

/** Longer than the service itself may take. */
const requestSeconds = 35;
/** A service that wants to be left alone for longer is not waited for. */
const longestWaitSeconds = 600;

/** Something that another try may mend; with the seconds to wait that the service named. */
class RetryableError extends Error {
  readonly waitSeconds: number;
  constructor(message: string, waitSeconds = 0) {
    super(message);
    this.waitSeconds = waitSeconds;
  }
}

/** The service answered, for some rows with a failure of its own. */
class Unfinished extends RetryableError {}

/**
 * Sends items through POST /call-outcomes. What failed in passing is sent again: after `Retry-After`, and a growing,
 * random while more, so that many senders do not come back at once. Setting an outcome twice is as good as once.
 */
export const sender = ({ baseUrl, apiKey, signal, retries, onRetry }: SenderOptions): Sender => {
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
      const attempt = async () => {
        const answers = await post(
          api,
          pending.map((index) => items[index] as Item),
          signal,
        );
        for (const [place, index] of pending.entries()) outcomes[index] = answers[place];
        pending = toRepeat(items, outcomes);
        if (pending.length > 0) throw new Unfinished(`${pending.length} rows could not be set for now`);
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
          onRetry(`${error.message}; trying again in ${seconds.toFixed(1)} s.`);
          await sleep(error.waitSeconds * 1000, undefined, { signal });
        },
      }).catch((error: Error) => {
        if (signal.aborted) throw signal.reason;
        // Then each row has an outcome, and some a failure that lasted.
        if (error instanceof Unfinished && outcomes.every((outcome) => outcome !== undefined)) return;
        throw error instanceof InputFileError
          ? error
          : new InputFileError(
              `${error.message}, also after ${retries} more tries. Run the same command again to go on.`,
            );
      });
      return outcomes as Outcome[];
    },
  };
};

/** Rows that failed on the service's account, and later ones of the same call: its last row must come last. */
const toRepeat = (items: Item[], outcomes: (Outcome | undefined)[]) => {
  const calls = new Set<string>();
  return items.flatMap((item, index) => {
    const outcome = outcomes[index];
    const failed = !outcome || (outcome.status === 'failed' && outcome.error === 'internal_error');
    if (failed) calls.add(callOf(item));
    return failed || calls.has(callOf(item)) ? index : [];
  });
};

/** The call of an item, as far as its spelling tells. */
export const callOf = ({ agentId, callIdOrPhone }: Item) => `${agentId} ${callIdOrPhone}`;

const post = async (api: ApiClient, items: Item[], signal: AbortSignal): Promise<(Outcome | undefined)[]> => {
  const { data, error, response } = await api.POST('/call-outcomes', { body: { items }, signal });
  if (error?.error === 'unreachable' || error?.error === 'timeout')
    throw new RetryableError(error.message.replace(/\.$/, ''));
  if (data) return outcomesOf(data, items.length);
  const said = `The service answered ${response.status}${error?.message ? ` (${error.message})` : ''}`;
  if (response.status === 429 || response.status >= 500) {
    const seconds = secondsToWait(response);
    if (seconds > longestWaitSeconds) throw new InputFileError(`${said} and wants to be left alone for ${seconds} s.`);
    throw new RetryableError(said, seconds);
  }
  throw new InputFileError(`${said}.`);
};

const outcomesOf = ({ updated, failed }: Answer, count: number) => {
  const outcomes = new Array<Outcome | undefined>(count);
  for (const { index, call_id, phone, updated_fields } of updated) {
    outcomes[index] = { status: 'updated', call_id, phone, updated_fields };
  }
  for (const { index, error, message } of failed) outcomes[index] = { status: 'failed', error, message };
  return outcomes;
};
