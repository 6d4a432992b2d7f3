import { expect } from 'vitest';
import { makeRequest, newProof, readForm, redirectUri } from './oauth-requests.ts';
import { type Answer, call, target } from './world.ts';

export { makeRequest, newProof, readForm, redirectUri };

type Fields = Record<string, string | undefined> | [string, string][];

const encode = (fields: Fields) =>
  new URLSearchParams(
    (Array.isArray(fields) ? fields : Object.entries(fields)).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  ).toString();

/** Sends a form as a browser or a client does. */
export const postForm = (path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Answer> =>
  call('POST', path, {
    body: encode(fields),
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
  });

/** Registers a client, and returns its id. */
export const register = async (metadata: object = {}): Promise<string> => {
  const answer = await call('POST', '/register', { body: { redirect_uris: [redirectUri], ...metadata } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.client_id;
};

/** Opens the page as a client sends a browser to it. A parameter that is undefined is left out. */
export const openPage = (parameters: Fields): Promise<Answer> => call('GET', `/authorize?${encode(parameters)}`);

/** Sends the form of a page. */
export const submit = (
  sealed: string,
  { key, scopes = [], decision = 'allow' }: { key?: string; scopes?: string[]; decision?: string },
) =>
  postForm('/authorize', [
    ['request', sealed],
    ...scopes.map((scope): [string, string] => ['scope', scope]),
    ...(key === undefined ? [] : [['key', key] as [string, string]]),
    ['decision', decision],
  ]);

/** The parameters with which a browser comes back to the client. */
export const returned = (answer: Answer) => {
  expect(answer.status, answer.text).toBe(303);
  return Object.fromEntries(new URL(answer.headers.get('location') as string).searchParams);
};

/** Takes a client to its code. */
export const getCode = async (apiKey: string, { clientId, scopes }: { clientId?: string; scopes?: string[] } = {}) => {
  const { verifier, challenge } = newProof();
  const client = clientId ?? (await register());
  const page = await openPage(makeRequest(client, challenge));
  expect(page.status, page.text).toBe(200);
  const { sealed, ticked } = readForm(page);
  const { code } = returned(await submit(sealed, { key: apiKey, scopes: scopes ?? ticked }));
  return { clientId: client, verifier, code: code as string };
};

/** Asks for tokens. */
export const askForTokens = (fields: Fields): Promise<Answer> => postForm('/token', fields);

export const redeem = ({ clientId, verifier, code }: { clientId: string; verifier: string; code: string }) =>
  askForTokens({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });

export const refresh = (clientId: string, refreshToken: string, more: Record<string, string> = {}) =>
  askForTokens({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...more });

/** Connects a client, and returns its tokens. */
export const connect = async (apiKey: string, more: { clientId?: string; scopes?: string[] } = {}) => {
  const asked = await getCode(apiKey, more);
  const answer = await redeem(asked);
  expect(answer.status, answer.text).toBe(200);
  return { ...asked, access: answer.body.access_token as string, refresh: answer.body.refresh_token as string, answer };
};

/** Sends a message to the server of AI clients. */
export const askMcp = (token: string | undefined, method = 'tools/list', params: object = {}): Promise<Answer> =>
  call('POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

export const resource = `${target.publicUrl ?? target.baseUrl}/mcp`;
