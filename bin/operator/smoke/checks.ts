import { newApiKey } from '../../../functions/domain/api-keys.ts';

/** The addresses of a deployment. Those of the API and the chat are set only behind CloudFront. */
export type Addresses = { baseUrl: string; apiUrl?: string | undefined; chatUrl?: string | undefined };

type Check = { what: string; expected: string; found: string; passed: boolean };

/** Returns the requests of a smoke test. */
export const checksOf = ({ baseUrl, apiUrl, chatUrl }: Addresses): (() => Promise<Check>)[] => {
  const post = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  const agents = `${baseUrl}/agents?uid=nobody`;
  return [
    () => check('the API answers', `${baseUrl}/openapi.json`, '200'),
    () => check('a request without a key is rejected', agents, '401 missing_api_key'),
    // A well-formed key is looked up: this response comes from the table.
    () => check('the table answers', agents, '401 invalid_api_key', { headers: { 'x-authorization': newApiKey() } }),
    () => check('the chat answers', `${baseUrl}/chat/build`, '400 invalid_request', post),
    () => check('invoices are for the application alone', `${baseUrl}/get-invoices`, '403 unauthorized_origin', post),
    ...(apiUrl ? [() => check('the API refuses direct requests', `${apiUrl}/openapi.json`, '403')] : []),
    ...(chatUrl ? [() => check('the chat refuses direct requests', `${chatUrl}/chat/build`, '403', post)] : []),
  ];
};

const requestSeconds = 20;

/** Makes a request. `expected` is its status and, after it, the code of the error. */
const check = async (what: string, url: string, expected: string, init: RequestInit = {}): Promise<Check> => {
  const found = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(requestSeconds * 1000) })
    .then(async (response) => {
      const { error = '' } = (await response.json().catch(() => ({}))) as { error?: string };
      return `${response.status} ${error}`.trim();
    })
    .catch((error: Error & { cause?: Error }) => `no response (${error.cause?.message ?? error.message})`);
  return { what, expected, found, passed: found === expected };
};
