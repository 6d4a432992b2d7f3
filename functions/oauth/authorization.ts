import { hash } from 'node:crypto';
import { defaultGrantScopes, grantableScopes, listGrantableScopes } from '../domain/access-tokens.ts';
import { hashApiKey, newApiKey, type Scope } from '../domain/api-keys.ts';
import type { CustomResponse } from '../domain/custom-response.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { characters } from '../domain/text.ts';
import { environment } from '../environment.ts';
import { ClientError } from './client.ts';
import type { ClientDocuments } from './client-documents.ts';
import { findClient } from './clients.ts';
import type { NewGrant } from './grants.ts';
import { isOwnResource } from './metadata.ts';
import { type AuthorizationRequest, askForKey, showProblem } from './page.ts';
import { OAuthError, readParameter, requireParameter } from './parameters.ts';
import { appendParameters, isRegistered, readHost } from './redirects.ts';
import type { RefusedKeys } from './refused-keys.ts';
import type { SealedValues } from './sealed-values.ts';

/** What a code stands for, and the request that it is bound to. `until` is in Unix milliseconds. */
export type Code = NewGrant & { redirectUri: string; challenge: string; until: number };

/** What a client asked for, as it travels with the form. */
type SealedForm = AuthorizationRequest & { clientId: string; challenge: string; state?: string; until: number };

const formMilliseconds = 10 * 60 * 1000;
const codeMilliseconds = 60 * 1000;

/** Answers a client's request for a grant: with the page, or with the reason why there is none. */
export const showAuthorization = async (
  query: URLSearchParams,
  address: string,
  services: { clientDocuments: Pick<ClientDocuments, 'find'>; sealedValues: SealedValues },
): Promise<CustomResponse> => {
  // An error is sent to an address only once it is known to be the client's.
  const [clientId, redirectUri] = [readOnly(query, 'client_id'), readOnly(query, 'redirect_uri')];
  if (!clientId) return showProblem(400, 'The address of this page must have one client_id.');
  if (!redirectUri) return showProblem(400, 'The address of this page must have one redirect_uri.');
  try {
    const client = await findClient(clientId, address, services);
    if (!isRegistered(redirectUri, client.redirectUris))
      return showProblem(400, 'The client has not registered the address to which it wants you to return.');
    const request = readRequest(query, { clientId, redirectUri, name: client.name, host: client.host });
    if ('error' in request) return redirect(redirectUri, request, readState(query));
    return askForKey(request, await services.sealedValues.seal('form', request));
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return showProblem(error.status, `This client cannot be connected. ${error.message}`);
  }
};

const readOnly = (query: URLSearchParams, name: string): string | undefined => {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] || undefined : undefined;
};

/** Returns the state of a request; undefined without one, or where nobody knows which of several counts. */
const readState = (query: URLSearchParams): string | undefined => {
  const state = readOnly(query, 'state');
  return state !== undefined && characters(state) <= limits.stateCharacters ? state : undefined;
};

type Problem = { error: string; error_description: string };

/** Reads what a client asks for, or the error that it is told (RFC 6749, 4.1.2.1). */
const readRequest = (
  query: URLSearchParams,
  { clientId, redirectUri, ...client }: { clientId: string; redirectUri: string; name?: string; host?: string },
): SealedForm | Problem => {
  try {
    if (new Set(query.keys()).size < query.size) return problem('invalid_request', 'A parameter is there twice.');
    const responseType = requireParameter(query, 'response_type');
    if (responseType !== 'code') return problem('unsupported_response_type', 'response_type must be code.');
    const mode = readParameter(query, 'response_mode') ?? 'query';
    if (mode !== 'query') return problem('invalid_request', 'response_mode must be query.');
    for (const name of ['request', 'request_uri'])
      if (query.has(name)) return problem(`${name}_not_supported`, `${name} is not supported.`);
    const challenge = requireParameter(query, 'code_challenge');
    const method = readParameter(query, 'code_challenge_method');
    if (method !== 'S256') return problem('invalid_request', 'code_challenge_method must be S256.');
    if (!/^[\w-]{43}$/.test(challenge))
      return problem('invalid_request', 'code_challenge must be 43 characters of base64url.');
    const resource = readParameter(query, 'resource');
    if (resource !== undefined && !isOwnResource(resource))
      return problem('invalid_target', 'resource must be the server of AI clients of this service.');
    const state = readParameter(query, 'state');
    if (state !== undefined && characters(state) > limits.stateCharacters)
      return problem('invalid_request', `state has more than ${limits.stateCharacters} characters.`);
    const scopes = readScopes(readParameter(query, 'scope'));
    if (!scopes) return problem('invalid_scope', 'scope has none that a client can get.');
    const clientHost = client.host ?? readHost(redirectUri);
    const until = Date.now() + formMilliseconds;
    const shown = { clientHost, isVerified: client.host !== undefined, name: client.name, redirectUri, scopes };
    return { ...shown, clientId, challenge, state, until };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return problem(error.code, error.message);
  }
};

const problem = (error: string, error_description: string): Problem => ({ error, error_description });

/** Returns the scopes of a request. Unknown ones are ignored; undefined if nothing is left of them. */
const readScopes = (scope: string | undefined): Scope[] | undefined => {
  const asked = (scope ?? '').split(' ').filter((one) => one !== '' && one !== 'offline_access');
  if (asked.length === 0) return [...defaultGrantScopes];
  const scopes = grantableScopes.filter((one) => asked.includes(one));
  return scopes.length > 0 ? scopes : undefined;
};

/** Answers the form of the page: sends the person back to the client with a code, or shows the page again. */
export const decideAuthorization = async (
  form: URLSearchParams,
  address: string,
  { sealedValues, refusedKeys }: { sealedValues: SealedValues; refusedKeys: Pick<RefusedKeys, 'judge'> },
): Promise<CustomResponse> => {
  const sealed = form.get('request') ?? '';
  const request = await sealedValues.open<SealedForm>('form', sealed);
  if (!request || request.until < Date.now())
    return showProblem(400, 'This page is older than ten minutes. Go back to the client and connect it again.');
  const { redirectUri, state, clientId, challenge, clientHost, name } = request;
  if (form.get('decision') === 'deny')
    return redirect(redirectUri, problem('access_denied', 'The person refused.'), state);
  const ticked = grantableScopes.filter((scope) => form.getAll('scope').includes(scope));
  const showAgain = (status: number, sentence: string, headers?: Record<string, string>) =>
    askForKey({ ...request, scopes: ticked }, sealed, { status, sentence, headers });
  const judged = await refusedKeys.judge((form.get('key') ?? '').trim(), address);
  if (judged === 'refused')
    return showAgain(401, 'This API key is not valid here. It must be a key in force without the scope users.');
  if ('retryAfterSeconds' in judged)
    return showAgain(429, 'Too many keys were refused from your address. Try again in a minute.', {
      'retry-after': String(judged.retryAfterSeconds),
    });
  const { key } = judged;
  const scopes = listGrantableScopes(key).filter((scope) => ticked.includes(scope));
  if (scopes.length === 0) return showAgain(400, 'Tick at least one thing that this API key may do.');
  const code: Code = {
    uid: key.uid,
    keyId: newIdentifier('key'),
    secret: newApiKey(),
    parentKeyId: key.keyId,
    parentHash: hashApiKey((form.get('key') ?? '').trim()),
    scopes,
    clientHost,
    name: name ?? clientHost,
    client: hashClientId(clientId),
    redirectUri,
    challenge,
    until: Date.now() + codeMilliseconds,
  };
  return redirect(redirectUri, { code: await sealedValues.seal('code', code) }, state);
};

/** Returns the hash by which tokens know their client: its id may be long. */
export const hashClientId = (clientId: string): string => hash('sha256', clientId, 'base64url');

/** Sends a browser back to a client by GET (303), with the issuer against mix-ups (RFC 9207). */
const redirect = (uri: string, parameters: Record<string, string>, state: string | undefined): CustomResponse => ({
  status: 303,
  contentType: 'text/plain; charset=utf-8',
  headers: {
    location: appendParameters(uri, { ...parameters, state, iss: environment.publicUrl }),
    'referrer-policy': 'no-referrer',
  },
  body: '',
});
