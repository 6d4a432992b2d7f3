import { parseJson } from '../domain/json.ts';
import { edgeSecretHeader, environment } from '../environment.ts';
import { wholeService } from '../service.ts';

/** A request to an operation of this service. */
export type OwnRequest = {
  method: string;
  /** With the query. */
  path: string;
  body?: string | undefined;
  headers?: Record<string, string>;
};

/** The response of an operation: its status, and its body as a JSON object. */
export type OwnResponse = { status: number; body: Record<string, unknown> };

/** API Gateway ends a request after 30 seconds: a function that waits for one ends before. */
const timeoutMilliseconds = 27_000;

/**
 * Sends requests to the service's own API with a caller's key: it authenticates, authorizes and logs them as any other
 * request. Throws only where there is no response.
 */
export class OwnApi {
  async send({ method, path, body, headers }: OwnRequest, apiKey: string): Promise<OwnResponse> {
    const [edgeSecret] = environment.edgeSecrets;
    const response = await fetch(environment.apiUrl + path, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMilliseconds),
      headers: {
        ...headers,
        'x-authorization': apiKey,
        ...(edgeSecret && { [edgeSecretHeader]: edgeSecret }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body,
    });
    return { status: response.status, body: objectIn(await response.text()) };
  }
}

const objectIn = (text: string): Record<string, unknown> => {
  try {
    const value = parseJson(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

export const ownApi = wholeService(() => new OwnApi());
