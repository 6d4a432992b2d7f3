import { randomBytes, randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { authorizeClient } from '../../functions/api/authorize-client.ts';
import { getAuthorizationServer } from '../../functions/api/get-authorization-server.ts';
import { getProtectedResource } from '../../functions/api/get-protected-resource.ts';
import { issueToken } from '../../functions/api/issue-token.ts';
import { registerClient } from '../../functions/api/register-client.ts';
import { revokeToken } from '../../functions/api/revoke-token.ts';
import { serveMcp } from '../../functions/api/serve-mcp.ts';
import { showAuthorization } from '../../functions/api/show-authorization.ts';
import { hashApiKey, newApiKey } from '../../functions/domain/api-keys.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { lambda } from '../../functions/http/lambda.ts';
import { grants } from '../../functions/oauth/grants.ts';
import { accessTokens } from '../../functions/oauth/tokens.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { users } from '../../functions/store/users.ts';
import { invoke, makeEvent } from '../support/events.ts';
import { makeRequest, newProof, readForm, redirectUri } from '../support/oauth.ts';
import { newUser, useTargetInThisProcess } from '../support/world.ts';

const [second, minute] = [1000, 60_000];
const day = 24 * 60 * minute;

beforeEach(() => {
  useTargetInThisProcess();
  process.env.WEBHOOK_ENCRYPTION_KEY ??= 'secret';
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

const post = (endpoint: AnyEndpoint, fields: Record<string, string>) =>
  invoke(endpoint, { body: new URLSearchParams(fields).toString() });

const showPage = async () => {
  const { client_id } = (await invoke(registerClient, { body: { redirect_uris: [redirectUri] } })).body;
  const { verifier, challenge } = newProof();
  const page = await invoke(showAuthorization, { query: makeRequest(client_id, challenge) as Record<string, string> });
  return { clientId: client_id as string, verifier, sealed: readForm(page as never).sealed };
};

const permit = (sealed: string, apiKey: string) =>
  post(authorizeClient, { request: sealed, scope: 'calls', key: apiKey, decision: 'allow' });

const getCode = async (apiKey: string) => {
  const { clientId, verifier, sealed } = await showPage();
  const answer = await permit(sealed, apiKey);
  const code = new URL(String(answer.headers.location)).searchParams.get('code') as string;
  return { clientId, code, verifier };
};

const redeem = ({ clientId, code, verifier }: Awaited<ReturnType<typeof getCode>>) =>
  post(issueToken, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });

const refresh = (clientId: string, token: string) =>
  post(issueToken, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token });

const connect = async (apiKey: string) => {
  const asked = await getCode(apiKey);
  const { body } = await redeem(asked);
  return { ...asked, access: body.access_token as string, refresh: body.refresh_token as string };
};

it('the form of a page is good for ten minutes', async () => {
  const { apiKey } = await newUser();
  const { sealed } = await showPage();
  pass(10 * minute - second);
  expect((await permit(sealed, apiKey)).status).toBe(303);
  pass(2 * second);
  const late = await permit(sealed, apiKey);
  expect([late.status, late.headers.location]).toEqual([400, undefined]);
});

it('a code is good for a minute', async () => {
  const { apiKey } = await newUser();
  const [early, late] = [await getCode(apiKey), await getCode(apiKey)];
  pass(minute - second);
  expect((await redeem(early)).status).toBe(200);
  pass(2 * second);
  expect((await redeem(late)).body.error).toBe('invalid_grant');
});

it('a code that is used after its minute ends the grant that it has made', async () => {
  const { apiKey } = await newUser();
  const asked = await getCode(apiKey);
  const { refresh_token } = (await redeem(asked)).body;
  pass(2 * minute);
  expect((await redeem(asked)).body.error).toBe('invalid_grant');
  expect((await refresh(asked.clientId, refresh_token)).body.error).toBe('invalid_grant');
});

it.each(['in its minute', 'after it'])(
  'a code that is used again %s ends its grant while the user is suspended',
  async (time) => {
    const { uid, apiKey } = await newUser();
    const asked = await getCode(apiKey);
    const { refresh_token } = (await redeem(asked)).body;
    await users.get().change(uid, { suspended: true });
    if (time === 'after it') pass(2 * minute);
    expect((await redeem(asked)).body.error).toBe('invalid_grant');
    await users.get().change(uid, { suspended: false });
    expect((await refresh(asked.clientId, refresh_token)).body.error).toBe('invalid_grant');
  },
);

it('a former refresh token is good for a minute, and then its use ends the grant with the tokens of whoever has the next', async () => {
  const { apiKey } = await newUser();
  const { clientId, refresh: former } = await connect(apiKey);
  const next = (await refresh(clientId, former)).body.refresh_token;
  pass(minute - second);
  const again = await refresh(clientId, former);
  expect(again.status).toBe(200);
  pass(2 * second);
  expect((await refresh(clientId, former)).body.error).toBe('invalid_grant');
  for (const token of [next, again.body.refresh_token])
    expect((await refresh(clientId, token)).body.error).toBe('invalid_grant');
});

it('a client that refreshes two dozen times in a minute may repeat the first of them', async () => {
  const { apiKey } = await newUser();
  const { clientId, refresh: first } = await connect(apiKey);
  let token = first;
  for (let n = 0; n < 24; n++) token = (await refresh(clientId, token)).body.refresh_token;
  expect((await refresh(clientId, first)).status).toBe(200);
});

it('an access token is good for an hour, also after a refresh, and the grant for ninety days without use', async () => {
  const { apiKey } = await newUser();
  const { clientId, access, refresh: token } = await connect(apiKey);
  await refresh(clientId, token);
  pass(60 * minute - second);
  expect(await accessTokens.get().exchange(access)).toMatchObject({ apiKey: expect.stringMatching(/^vap_/) });
  pass(2 * second);
  await expect(accessTokens.get().exchange(access)).rejects.toMatchObject({ code: 'invalid_api_key' });
  const other = await connect(apiKey);
  pass(90 * day - minute);
  const next = await refresh(other.clientId, other.refresh);
  expect(next.status).toBe(200);
  pass(90 * day + minute);
  expect((await refresh(other.clientId, next.body.refresh_token)).body.error).toBe('invalid_grant');
});

it('a grant lives through the overlap of a rotation of its key, and no longer', async () => {
  const { uid, apiKey, keyId } = await newUser();
  const { clientId, refresh: token } = await connect(apiKey);
  const endsAt = new Date(Date.now() + 60 * minute).toISOString();
  await apiKeys.get().rotate(uid, keyId, { name: 'rotated', endsAt });
  pass(59 * minute);
  const next = await refresh(clientId, token);
  expect(next.status).toBe(200);
  expect(next.body.expires_in).toBeLessThanOrEqual(60);
  pass(2 * minute);
  expect((await refresh(clientId, next.body.refresh_token)).body.error).toBe('invalid_grant');
});

it('a key has at most a hundred grants in force, also when two are made at once, and an ended one makes room', {
  tags: 'heavy',
}, async () => {
  const { uid, apiKey, keyId: parentKeyId } = await newUser();
  const newGrant = () => ({
    ...{ uid, keyId: newIdentifier('key'), secret: newApiKey(), parentKeyId, parentHash: hashApiKey(apiKey) },
    ...{
      scopes: ['calls' as const],
      clientHost: 'client.example.com',
      name: 'Client',
      client: randomUUID(),
      until: Date.now() + minute,
    },
  });
  const first = newGrant();
  await grants.get().make(first);
  for (let n = 2; n < limits.grantsOfKey; n++) await grants.get().make(newGrant());
  const made = await Promise.all([newGrant(), newGrant(), newGrant()].map((grant) => grants.get().make(grant)));
  expect(made.filter((one) => one === 'too many')).toHaveLength(2);
  await apiKeys.get().revoke(uid, first.keyId);
  pass(2 * second);
  const newest = newGrant();
  expect(await grants.get().make(newest)).toMatchObject({ scopes: ['calls'] });
  expect(await grants.get().make(newGrant())).toBe('too many');
  // Whose code is used again has a grant to end, however many there are.
  expect(await grants.get().make(newest)).toBe('used');
});

it('ten refused keys a minute are read of an address, also at once, and a good key waits with them', async () => {
  const { apiKey } = await newUser();
  // Each run has addresses of its own, and no minute ends while it counts.
  const address = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::`;
  const { sealed } = await showPage();
  const send = (key: string, from: string) => {
    const body = new URLSearchParams({ request: sealed, scope: 'calls', key, decision: 'allow' }).toString();
    return lambda(authorizeClient)(makeEvent(authorizeClient, { body }, from), {} as Context);
  };
  // A caller chooses any address of its IPv6 network.
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send('vap_nothing', `${address}${n}`)));
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length;
  expect([count(401), count(429)]).toEqual([10, 30]);
  const late = await send(apiKey, `${address}1`);
  expect(late.statusCode).toBe(429);
  const seconds = Number(late.headers?.['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect((await send(apiKey, '198.51.100.7')).statusCode).toBe(303);
  pass(seconds * second);
  expect((await send(apiKey, `${address}1`)).statusCode).toBe(303);
});

it('where OAuth is switched off, its operations are 404, and a token does not count until it is on again', async () => {
  const { apiKey } = await newUser();
  const { access } = await connect(apiKey);
  process.env.MCP_OAUTH = 'false';
  onTestFinished(() => {
    delete process.env.MCP_OAUTH;
  });
  for (const endpoint of [getProtectedResource, getAuthorizationServer, showAuthorization])
    expect((await invoke(endpoint, {})).status, endpoint.name).toBe(404);
  for (const endpoint of [registerClient, authorizeClient, issueToken, revokeToken])
    expect((await post(endpoint, {})).status, endpoint.name).toBe(404);
  const sent = { headers: { authorization: `Bearer ${access}` }, body: { jsonrpc: '2.0', id: 1, method: 'ping' } };
  const refused = await invoke(serveMcp, sent);
  expect([refused.status, refused.body.error, refused.headers['www-authenticate']]).toEqual([
    ...[401, 'invalid_api_key', undefined],
  ]);
  delete process.env.MCP_OAUTH;
  expect((await invoke(serveMcp, sent)).status).toBe(200);
});

it('where registration is switched off, it is 404 and not in the metadata', async () => {
  process.env.MCP_REGISTRATION = 'false';
  onTestFinished(() => {
    delete process.env.MCP_REGISTRATION;
  });
  expect((await post(registerClient, {})).status).toBe(404);
  expect((await invoke(getAuthorizationServer, {})).body).not.toHaveProperty('registration_endpoint');
});
