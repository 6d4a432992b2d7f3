import { newApiKey } from '../../../functions/domain/api-keys.ts';
import { givenApiKey } from '../../command-line/connection.ts';

/** The addresses of a deployment. Those of the API and the chat are set only behind CloudFront. */
export type Addresses = { baseUrl: string; apiUrl?: string | undefined; chatUrl?: string | undefined };

/** The checks of the chat: `hasChat` says whether the deployment has one. With `talk`, a turn costs a few tokens. */
export type ChatChecks = { hasChat: boolean; talk: boolean };

type Check = { what: string; expected: string; found: string; passed: boolean };

/** Returns the requests of a smoke test. */
export const listChecks = (
  { baseUrl, apiUrl, chatUrl }: Addresses,
  { hasChat, talk }: ChatChecks,
): (() => Promise<Check>)[] => {
  const post = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  const agents = `${baseUrl}/agents?uid=nobody`;
  return [
    () => check('the API answers', `${baseUrl}/openapi.json`, '200'),
    () => check('a request without a key is rejected', agents, '401 missing_api_key'),
    // A well-formed key is looked up, so this response shows that the table works.
    () => check('the table answers', agents, '401 invalid_api_key', { headers: { 'x-authorization': newApiKey() } }),
    ...(hasChat
      ? [() => check('the chat answers', `${baseUrl}/chat/build`, '400 invalid_request or 401 missing_api_key', post)]
      : []),
    ...(talk ? [() => checkModel(`${baseUrl}/chat/build`)] : []),
    () => check('invoices are only for the application', `${baseUrl}/get-invoices`, '403 unauthorized_origin', post),
    ...(apiUrl ? [() => check('the API refuses direct requests', `${apiUrl}/openapi.json`, '403')] : []),
    ...(chatUrl ? [() => check('the chat refuses direct requests', `${chatUrl}/chat/build`, '403', post)] : []),
  ];
};

const requestSeconds = 20;
const turnSeconds = 60;

/** Has one turn with the chat's model, with the key in VAP_API_KEY if there is one. */
const checkModel = async (url: string): Promise<Check> => {
  const apiKey = givenApiKey();
  const parts = [{ type: 'text', text: 'Hello! Answer in one word, without a tool.' }];
  const found = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json', ...(apiKey && { 'x-authorization': apiKey }) },
    body: JSON.stringify({ id: 'smoke', messages: [{ id: 'm1', role: 'user', parts }] }),
    signal: AbortSignal.timeout(turnSeconds * 1000),
  })
    .then(async (response) => {
      const text = await response.text();
      if (response.status !== 200) return `${response.status} ${/"error":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim();
      return text.includes('"type":"text-delta"') && !text.includes('"type":"error"') ? '200' : '200 without an answer';
    })
    .catch(describeReason);
  return { what: 'the chat’s model answers', expected: '200', found, passed: found === '200' };
};

const describeReason = (error: Error & { cause?: Error }) => `no response (${error.cause?.message ?? error.message})`;

/** Makes a request. `expected` is the status, followed by the code of the error. */
const check = async (what: string, url: string, expected: string, init: RequestInit = {}): Promise<Check> => {
  const found = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(requestSeconds * 1000) })
    .then(async (response) => {
      const { error = '' } = (await response.json().catch(() => ({}))) as { error?: string };
      return `${response.status} ${error}`.trim();
    })
    .catch(describeReason);
  return { what, expected, found, passed: expected.split(' or ').includes(found) };
};
