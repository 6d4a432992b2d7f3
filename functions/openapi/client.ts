import createClient, { type Client } from 'openapi-fetch';
import type { components, operations, paths } from './types.ts';

export type { components, operations, paths };

/** A record of the interface by its name in the document: `Schema<'Call'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
export type ApiClient = Client<paths>;

export type ApiClientOptions = {
  /** Where the service is: `https://….execute-api.eu-central-1.amazonaws.com`, without a slash at the end. */
  baseUrl: string;
  /** Sent as `X-Authorization` with every request. */
  apiKey?: string | undefined;
  /** What makes the requests, for retries or a test; the platform's own `fetch` otherwise. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
};

/**
 * A typed client of the service. A refusal is not thrown but returned as `error`, beside the `response`:
 *
 *     const api = apiClient({ baseUrl, apiKey });
 *     const { data, error } = await api.GET('/agents', { params: { query: { uid } } });
 */
export const apiClient = ({ baseUrl, apiKey, fetch }: ApiClientOptions): ApiClient =>
  createClient<paths>({
    baseUrl,
    headers: { ...(apiKey !== undefined && { 'X-Authorization': apiKey }) },
    ...(fetch && { fetch }),
  });
