import {
  type InfiniteData,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, use, useEffect, useRef } from 'react';
import {
  type ApiClient,
  ApiRequestError,
  apiClient,
  dataOf,
  type GetKeyResponse,
  type RequestOptions,
  type Result,
} from '../../openapi/client/client.ts';
import { randomKey } from '../../openapi/client/request.ts';
import { type Demo, invalidKeyText, unreachableText } from '../api-key.ts';
import { announce } from './components/announcements.tsx';

export type Scope = GetKeyResponse['scopes'][number];

/** The service as the user of a key sees it. */
export type Service = { api: ApiClient; apiKey: string; demo: Demo } & GetKeyResponse;

export const ServiceContext = createContext<Service | undefined>(undefined);

/** Returns the typed client of the API, and the key with its user and scopes. */
export const useService = (): Service => {
  const service = use(ServiceContext);
  if (!service) throw new Error('A view is shown without a key.');
  return service;
};

/** Returns a client of the service that this page comes from. */
export const createApi = (apiKey: string, uid?: string): ApiClient =>
  apiClient({
    ...{ baseUrl: '/', apiKey, uid },
    retries: 2,
    timeoutSeconds: 35,
    log({ retryAfterSeconds = 0 }) {
      if (retryAfterSeconds >= 1) {
        announce(`The service is busy. The request is sent again in ${Math.ceil(retryAfterSeconds)} seconds.`);
      }
    },
  });

/** Returns a cache for data that are read with one key. The typed client itself repeats requests. */
export const newQueryClient = (onInvalidKey: () => void): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError: (error) => getErrorCode(error) === 'invalid_api_key' && onInvalidKey() }),
    mutationCache: new MutationCache({
      onError: (error) => getErrorCode(error) === 'invalid_api_key' && onInvalidKey(),
    }),
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', staleTime: 15_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** Reads from the service, and keeps what it read under a name: the first part is the subject, such as `agents`. */
export const useRead = <Data,>(
  name: QueryKey,
  read: (api: ApiClient, options: RequestOptions) => Promise<Result<Data>>,
  options: { enabled?: boolean; refetchInterval?: (data: Data | undefined) => number | false } = {},
): UseQueryResult<Data> => {
  const { api } = useService();
  const { enabled = true, refetchInterval } = options;
  return useQuery<Data>({
    queryKey: name,
    queryFn: async ({ signal }) => dataOf(await read(api, { signal })),
    enabled,
    refetchInterval: ({ state }) => refetchInterval?.(state.data) ?? false,
  });
};

/** Reads all pages of a list. */
export const useAllPages = <Item,>(
  name: QueryKey,
  read: (api: ApiClient, options: RequestOptions) => AsyncIterable<Item>,
  { enabled = true, staleMilliseconds }: { enabled?: boolean; staleMilliseconds?: number } = {},
): UseQueryResult<Item[]> => {
  const { api } = useService();
  return useQuery({
    queryKey: name,
    queryFn: ({ signal }) => Array.fromAsync(read(api, { signal })),
    enabled,
    ...(staleMilliseconds !== undefined && { staleTime: staleMilliseconds }),
  });
};

export type Pages<Page> = UseInfiniteQueryResult<InfiniteData<Page, string | undefined>>;

/** The polling interval of a list while an item of its first page is in progress. */
const pollMilliseconds = 3000;

/** Reads a list page by page. Polls it while `isUnderWay` returns true for its first page. */
export const usePages = <Page extends { nextCursor?: string }>(
  name: QueryKey,
  read: (api: ApiClient, options: RequestOptions, cursor: string | undefined) => PromiseLike<Result<Page>>,
  { isUnderWay }: { isUnderWay?: (page: Page) => boolean } = {},
): Pages<Page> => {
  const { api } = useService();
  return useInfiniteQuery({
    queryKey: [...name, 'pages'],
    queryFn: async ({ pageParam, signal }) => dataOf(await read(api, { signal }, pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => {
      const first = state.data?.pages[0];
      return first !== undefined && isUnderWay?.(first) ? pollMilliseconds : false;
    },
  });
};

/** A change that a button makes, without an input. */
export type Change = Pick<UseMutationResult<unknown, Error, unknown>, 'mutate' | 'isPending' | 'error'>;

/**
 * Makes a change. Afterwards, everything that was read under the names in `changes` is read again, and the sentence of
 * `done` is announced. While a change is in progress, another click changes nothing. Until the service has answered, each
 * attempt has the same Idempotency-Key.
 */
export const useChange = <Data, Input = unknown>(
  change: (api: ApiClient, options: RequestOptions, input: Input) => Promise<Result<Data>>,
  { changes, done }: { changes: QueryKey[]; done?: (data: Data, input: Input) => string },
): UseMutationResult<Data, Error, Input> => {
  const { api } = useService();
  const queries = useQueryClient();
  const isUnderWay = useRef(false);
  const idempotencyKey = useRef<string>(undefined);
  const mutation = useMutation({
    async mutationFn(input: Input) {
      idempotencyKey.current ??= randomKey();
      const result = await change(api, { idempotencyKey: idempotencyKey.current }, input);
      if (!isUnanswered(result.error?.error)) idempotencyKey.current = undefined;
      return dataOf(result);
    },
    async onSuccess(data, input) {
      if (done) announce(done(data, input));
      await Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
    onSettled() {
      isUnderWay.current = false;
    },
  });
  // The button is disabled only when it is rendered again, after the second click of a double click.
  const mutate: typeof mutation.mutate = (...input) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    mutation.mutate(...input);
  };
  return { ...mutation, mutate };
};

/** Invalidates the data read under these names when a condition becomes true, such as the end of a job. */
export const useReadAgain = (names: QueryKey[], when: boolean): void => {
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are always the same
  useEffect(() => {
    if (when) for (const queryKey of names) void queries.invalidateQueries({ queryKey });
  }, [queries, when]);
};

/** The code of a failed request. */
export const getErrorCode = (error: Error | null): string | undefined =>
  error instanceof ApiRequestError ? error.code : undefined;

/** Returns true if the service may have performed the request that failed with this code. */
const isUnanswered = (code: string | undefined) =>
  code !== undefined && ['unreachable', 'timeout', 'internal_error', 'idempotency_in_progress'].includes(code);

/** Returns true if the same request may succeed later. */
export const isWorthRepeating = (error: Error): boolean =>
  isUnanswered(getErrorCode(error)) || ['rate_limited', 'overloaded', undefined].includes(getErrorCode(error));

/** Returns the fields that the service refused, each with a predicate such as “must be a URL.” */
export const refusedFields = (error: Error | null): [field: string, problem: string][] => {
  if (!(error instanceof ApiRequestError)) return [];
  if (error.code === 'phone_number_in_use') return [['phoneNumber', error.message]];
  const details = error.status === 400 ? (error.details ?? []) : [];
  return details.map(({ path, message }) => [path.replace(/^configuration\./, ''), `${message.replaceAll('`', '')}.`]);
};

/** Returns a sentence for the user about a failed request. */
export const describeFailure = (error: Error): string => {
  if (!(error instanceof ApiRequestError)) return 'Something went wrong in this page. Reload it and try again.';
  const { code, message, requestId } = error;
  switch (code) {
    case 'unreachable':
      return unreachableText;
    case 'timeout':
      return 'The service did not respond in time. Try again.';
    case 'invalid_api_key':
      return `${invalidKeyText} Enter another key.`;
    case 'rate_limited':
    case 'overloaded':
      return 'The service is busy. Wait a minute and try again.';
    case 'idempotency_conflict':
      return 'The attempt before may have succeeded after all. Reload the page before you try again.';
    case 'internal_error':
      return `The service failed. Try again.${requestId ? ` The id of the request is ${requestId}.` : ''}`;
    default:
      return message.replace(/ \(and \d+ more errors? in details\)$/, '');
  }
};
