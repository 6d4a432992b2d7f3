import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { isApiKey } from '../../functions/domain/api-keys.ts';
import { type ApiClient, apiClient } from '../../functions/openapi/client.ts';
import { causeOf, secondsToWait } from '../outcomes/answers.ts';
import { outputsOf } from './stack.ts';
import { localRun, openStores, type TableOptions } from './stores.ts';
import { UsageError } from './usage-error.ts';

export type ServiceOptions = TableOptions & {
  baseUrl?: string | undefined;
  uid?: string | undefined;
  agentId: string;
};

/** The service as a user of an agent calls it; `uid` is that user. */
export type Service = { api: ApiClient; uid: string; agentId: string };

const requestSeconds = 60;
const retries = 4;
/** A service that wants to be left alone for longer is not waited for. */
const longestWaitSeconds = 60;
/** The key that a command works with: made for it, and deleted at its end. One that is left over ends by itself. */
const keyHours = 12;

/**
 * Calls the service over HTTP, by the same way as everybody: with the key in VAP_API_KEY, or else with one that is made
 * for the agent's owner on the operator's own table, may touch knowledge alone, and is gone when the work is over.
 */
export const withService = async <T>(
  options: ServiceOptions,
  signal: AbortSignal,
  work: (service: Service) => Promise<T>,
): Promise<T> => {
  const { agentId } = options;
  const given = process.env.VAP_API_KEY?.trim();
  if (given) {
    if (!isApiKey(given))
      throw new UsageError('VAP_API_KEY is not an API key: one looks like vap_… and is 34 characters long.');
    const { uid } = options;
    if (!uid) throw new UsageError('Name with --uid the user whose key VAP_API_KEY is.');
    const baseUrl = await addressOf({ ...options, baseUrl: options.baseUrl ?? process.env.VAP_BASE_URL });
    return work({ api: clientOf(baseUrl, given, signal), uid, agentId });
  }
  const baseUrl = await addressOf(options);
  const { agents, apiKeys } = await openStores(options);
  const access = await agents.access(agentId);
  if (!access) throw new UsageError(`There is no agent ${agentId}.`);
  const uid = options.uid ?? access.owner;
  if (uid !== access.owner && !access.guests.includes(uid)) {
    throw new UsageError(`User ${uid} may not use agent ${agentId}.`);
  }
  const expiresAt = new Date(Date.now() + keyHours * 3_600_000).toISOString();
  const key = await apiKeys.create(uid, { name: 'operator: knowledge', scopes: ['knowledge'], expiresAt });
  try {
    return await work({ api: clientOf(baseUrl, key.secret, signal), uid, agentId });
  } finally {
    await apiKeys.delete(uid, key.keyId);
  }
};

/** Where the service is. A table alone does not tell. */
const addressOf = async ({ baseUrl, stack, table, region, runFile }: ServiceOptions): Promise<string> => {
  if (baseUrl) return baseUrl;
  if (stack) {
    const { BaseUrl } = await outputsOf(stack, region);
    if (BaseUrl) return BaseUrl;
    throw new UsageError(`The stack ${stack} is none of this service's: it has no output BaseUrl.`);
  }
  if (table ?? process.env.TABLE_NAME) {
    throw new UsageError('Name the address of the service with --base-url: the table does not tell it.');
  }
  return (await localRun(runFile)).baseUrl;
};

/** An answer that another try may better, after the time it names. */
class RetryableError extends Error {
  readonly response: Response;
  constructor(response: Response) {
    super(`The service answered ${response.status}.`);
    this.response = response;
  }
}

/** Every request that goes through here may be made twice: it changes nothing, or carries an Idempotency-Key. */
const clientOf = (baseUrl: string, apiKey: string, stop: AbortSignal): ApiClient =>
  apiClient({
    baseUrl,
    apiKey,
    retries: 0,
    fetch: (request) =>
      patiently({ origin: baseUrl, seconds: requestSeconds, stop }, (signal) => fetch(request.clone(), { signal })),
  });

/** The service, or the storage of files, did not answer: what was sent may have arrived or not. */
export class Unreachable extends UsageError {}

type Patience = { origin: string; seconds: number; stop: AbortSignal };

/** Makes a request again that failed in passing. In the end its last answer counts, or that there was none. */
export const patiently = async (
  { origin, seconds, stop }: Patience,
  attempt: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> => {
  const once = async () => {
    const response = await attempt(AbortSignal.any([stop, AbortSignal.timeout(seconds * 1000)])).catch(
      (error: Error) => {
        stop.throwIfAborted();
        throw new Unreachable(`${origin} cannot be reached (${reasonOf(error, seconds)}).`);
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
        error instanceof Unreachable ||
        (error instanceof RetryableError && secondsToWait(error.response) <= longestWaitSeconds),
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (error instanceof RetryableError && retriesLeft > 0)
          await sleep(secondsToWait(error.response) * 1000, undefined, { signal: stop });
      },
    });
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof RetryableError) return error.response;
    throw error;
  }
};

const reasonOf = (error: Error, seconds: number): string =>
  error.name === 'TimeoutError' ? `no answer within ${seconds} s` : causeOf(error);

/** What the service refused, as a sentence. */
export const refusedBy = (response: Response, error: { message?: string } | undefined) =>
  new UsageError(`The service answered ${response.status}: ${error?.message ?? response.statusText}`);
