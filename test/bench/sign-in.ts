import { authorizeClient } from '../../functions/api/authorize-client.ts';
import { issueToken } from '../../functions/api/issue-token.ts';
import { registerClient } from '../../functions/api/register-client.ts';
import { showAuthorization } from '../../functions/api/show-authorization.ts';
import { makeRequest, newProof, readForm, redirectUri } from '../support/oauth-requests.ts';
import { invoke, type Request, type World } from './world.ts';

const makeForm = (fields: Record<string, string>): Request => ({
  apiKey: undefined,
  body: new URLSearchParams(fields).toString(),
});

/** The request with which a client registers. */
export const registration: Request = { apiKey: undefined, body: { redirect_uris: [redirectUri] } };

/** Registers a client, and returns the request that opens its page, with the verifier of PKCE. */
const newRequest = async () => {
  const registered = await invoke(registerClient, registration);
  const clientId: string = JSON.parse(String(registered.body)).client_id;
  const { verifier, challenge } = newProof();
  return { clientId, verifier, query: makeRequest(clientId, challenge) as Record<string, string> };
};

/** Returns the request for the page of a client. */
export const requestForPage = async (): Promise<Request> => ({ apiKey: undefined, query: (await newRequest()).query });

const newForm = async ({ uid, directly }: World) => {
  // The key of the measurements has the scope users, with which nobody permits a client.
  const { secret } = await directly.apiKeys.create(uid, { name: 'bench', scopes: ['calls'] });
  const { query, ...client } = await newRequest();
  const page = await invoke(showAuthorization, { query });
  const { sealed } = readForm({ text: String(page.body) });
  return { ...client, form: makeForm({ request: sealed, scope: 'calls', key: secret, decision: 'allow' }) };
};

/** Returns the form with which a person permits a client. */
export const requestForPermission = async (world: World): Promise<Request> => (await newForm(world)).form;

/** Returns a client's request for the tokens of a code. */
export const requestForTokens = async (world: World) => {
  const { clientId, verifier, form } = await newForm(world);
  const answer = await invoke(authorizeClient, form);
  const code = new URL(String(answer.headers?.location)).searchParams.get('code') as string;
  const fields = { client_id: clientId, code, code_verifier: verifier, redirect_uri: redirectUri };
  return { ...makeForm({ grant_type: 'authorization_code', ...fields }), clientId };
};

const connect = async (world: World) => {
  const { clientId, ...request } = await requestForTokens(world);
  const { refresh_token } = JSON.parse(String((await invoke(issueToken, request)).body));
  return { clientId, refreshToken: refresh_token as string };
};

/** Returns a client's request for its next tokens. */
export const requestForRefresh = async (world: World): Promise<Request> => {
  const { clientId, refreshToken } = await connect(world);
  return makeForm({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });
};

/** Returns a client's request that ends its grant. */
export const requestForEnd = async (world: World): Promise<Request> =>
  makeForm({ token: (await connect(world)).refreshToken });
