import { expect, it } from 'vitest';
import type { Scope } from '../../functions/domain/api-keys.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import {
  askForTokens,
  askMcp,
  connect,
  getCode,
  makeRequest,
  newProof,
  openPage,
  postForm,
  readForm,
  redeem,
  redirectUri,
  refresh,
  register,
  resource,
  returned,
  submit,
} from '../support/oauth.ts';
import { call, newUser, target, unique } from '../support/world.ts';

const host = target.publicUrl ?? target.baseUrl;

const listGrants = async (uid: string, apiKey: string) =>
  (await call('GET', '/keys', { apiKey, query: { uid } })).body.keys.filter((key: { via?: string }) => key.via);

it('a 401 of the server of AI clients says where its metadata are, and which scopes to ask for', async () => {
  const challenge = `Bearer resource_metadata="${host}/.well-known/oauth-protected-resource/mcp", scope="agents knowledge calls block-list"`;
  expect((await askMcp(undefined)).headers.get('www-authenticate')).toBe(challenge);
  const refused = await askMcp('vap_unknown');
  expect(refused.headers.get('www-authenticate')).toBe(`${challenge}, error="invalid_token"`);
  expect(refused.body.error).toBe('invalid_api_key');
});

it.each([
  ['/.well-known/oauth-protected-resource', { resource, authorization_servers: [host] }],
  ['/.well-known/oauth-protected-resource/mcp', { resource, authorization_servers: [host] }],
  // Claude wants none, the flag of client documents and S256 together (modelcontextprotocol.io, authorization, 2026-07-28).
  [
    '/.well-known/oauth-authorization-server',
    {
      issuer: host,
      authorization_endpoint: `${host}/authorize`,
      token_endpoint: `${host}/token`,
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    },
  ],
  ['/.well-known/oauth-authorization-server/mcp', { issuer: host }],
  ['/.well-known/openid-configuration', { issuer: host }],
])('%s is a document that any page may read', async (path, content) => {
  const answer = await call('GET', path, { headers: { origin: 'https://elsewhere.example.com' } });
  expect(answer.body).toMatchObject(content);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

it('offline_access is among the scopes of the server, and not among those of the resource', async () => {
  const [server, protectedResource] = await Promise.all([
    call('GET', '/.well-known/oauth-authorization-server'),
    call('GET', '/.well-known/oauth-protected-resource'),
  ]);
  expect(server.body.scopes_supported).toContain('offline_access');
  expect(protectedResource.body.scopes_supported).not.toContain('offline_access');
  for (const scope of ['users', 'keys', 'privacy']) expect(server.body.scopes_supported).not.toContain(scope);
});

it('a client connects, lists the tools of the ticked scopes, calls one, refreshes and ends its grant', async () => {
  const { uid, apiKey, keyId } = await newUser(['agents', 'calls', 'keys']);
  const { clientId, access, refresh: token, answer } = await connect(apiKey, { scopes: ['agents', 'calls'] });
  expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'agents calls' });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const tools = (await askMcp(access)).body.result.tools.map(({ name }: { name: string }) => name);
  expect(tools).toContain('listAgents');
  expect(tools).not.toContain('listKeys');
  const called = await askMcp(access, 'tools/call', { name: 'createAgent', arguments: { name: 'Front desk' } });
  expect(called.body.result.structuredContent).toMatchObject({ uid });
  const [grant] = await listGrants(uid, apiKey);
  expect(grant).toMatchObject({ via: 'oauth', parentKeyId: keyId, clientHost: '127.0.0.1:5555', status: 'active' });
  const refreshed = await refresh(clientId, token);
  expect(refreshed.status).toBe(200);
  expect((await postForm('/revoke', { token: refreshed.body.refresh_token, client_id: clientId })).status).toBe(200);
  for (const one of [access, refreshed.body.access_token]) expect((await askMcp(one)).status).toBe(401);
  expect((await refresh(clientId, refreshed.body.refresh_token)).body.error).toBe('invalid_grant');
  expect(await listGrants(uid, apiKey)).toMatchObject([{ keyId: grant.keyId, status: 'revoked' }]);
});

it('an access token counts at the server of AI clients alone', async () => {
  const { apiKey } = await newUser();
  const { access } = await connect(apiKey);
  for (const header of ['x-authorization', 'authorization']) {
    const answer = await call('GET', '/agents', { headers: { [header]: `Bearer ${access}` } });
    expect([answer.status, answer.body.error]).toEqual([401, 'insufficient_permissions']);
  }
  const own = await call('POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    headers: { 'x-authorization': access },
  });
  expect(own.status).toBe(200);
});

it('a grant ends with the key that it was made with, at once', async () => {
  const { uid, apiKey, keyId } = await newUser(['agents', 'keys']);
  const { access, clientId, refresh: token } = await connect(apiKey);
  await apiKeys.get().revoke(uid, keyId);
  expect((await askMcp(access)).body.error).toBe('invalid_api_key');
  expect((await refresh(clientId, token)).body.error).toBe('invalid_grant');
});

it('an access token is valid for no longer than the key that its grant was made with', async () => {
  const { uid } = await newUser();
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  const { secret } = await apiKeys.get().create(uid, { name: 'short', scopes: ['agents'], expiresAt });
  const { answer } = await connect(secret);
  expect(answer.body.expires_in).toBeLessThanOrEqual(600);
  expect(answer.body.expires_in).toBeGreaterThan(500);
});

it('a grant is bound by the quotas of its user, also by those that are set later', async () => {
  const maker = await newUser(['users']);
  const uid = unique('client');
  await call('POST', '/users', { apiKey: maker.apiKey, body: { uid, quotas: { agents: 1 } } });
  const body = { uid, name: 'key', scopes: ['agents'] };
  const { access } = await connect((await call('POST', '/keys', { apiKey: maker.apiKey, body })).body.secret);
  const createAgent = async () => {
    const { body } = await askMcp(access, 'tools/call', { name: 'createAgent', arguments: { name: 'A' } });
    return body.result.structuredContent.error;
  };
  expect([await createAgent(), await createAgent()]).toEqual([undefined, 'quota_exceeded']);
  await call('PATCH', `/users/${uid}`, { apiKey: maker.apiKey, body: { quotas: { agents: 2 } } });
  expect([await createAgent(), await createAgent()]).toEqual([undefined, 'quota_exceeded']);
});

it('a key that has an end itself ends the grant that it was given for, as may another key with the scope keys', async () => {
  const { uid } = await newUser();
  const expiresAt = new Date(Date.now() + 3600_000).toISOString();
  const options = { name: 'short', scopes: ['agents', 'keys'] as Scope[], expiresAt };
  const [own, other] = [await apiKeys.get().create(uid, options), await apiKeys.get().create(uid, options)];
  for (const { secret } of [own, other]) {
    const { access } = await connect(own.secret);
    const grant = (await listGrants(uid, own.secret)).find(({ status }: { status: string }) => status === 'active');
    expect((await call('DELETE', `/keys/${grant.keyId}`, { apiKey: secret, query: { uid } })).status).toBe(200);
    expect((await askMcp(access)).status).toBe(401);
  }
});

it('a code makes one grant, also when it is redeemed in parallel, and ends it when it is used again', async () => {
  const { uid, apiKey } = await newUser(['agents', 'keys']);
  const asked = await getCode(apiKey);
  const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(asked)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await redeem(asked)).body.error).toBe('invalid_grant');
  expect(await listGrants(uid, apiKey)).toMatchObject([{ status: 'revoked' }]);
});

it.each([
  ['another client', { clientId: 'other' }, 'invalid_grant'],
  ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:6666/callback' }, 'invalid_grant'],
  ['another verifier', { code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
  ['a verifier that is too short', { code_verifier: 'short' }, 'invalid_grant'],
  ['another resource', { resource: 'https://elsewhere.example.com/mcp' }, 'invalid_target'],
  ['an unknown client_id', { client_id: 'nobody' }, 'invalid_client'],
  ['no client_id', { client_id: undefined }, 'invalid_request'],
  ['another grant_type', { grant_type: 'password' }, 'unsupported_grant_type'],
])(
  'a code with %s is refused, and stays good',
  async (_, { clientId, ...changed }: Record<string, string | undefined>, error) => {
    const { apiKey } = await newUser();
    const asked = await getCode(apiKey);
    const fields = {
      grant_type: 'authorization_code',
      client_id: clientId ? await register() : asked.clientId,
      code: asked.code,
      code_verifier: asked.verifier,
      redirect_uri: redirectUri,
      ...changed,
    };
    const answer = await askForTokens(fields);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect((await redeem(asked)).status).toBe(200);
  },
);

it('a refresh may narrow one access token, and never widens a grant', async () => {
  const { apiKey } = await newUser(['agents', 'calls', 'webhooks']);
  const { clientId, refresh: token } = await connect(apiKey, { scopes: ['agents', 'calls'] });
  const narrowed = await refresh(clientId, token, { scope: 'calls' });
  expect(narrowed.body.scope).toBe('calls');
  const call = await askMcp(narrowed.body.access_token, 'tools/call', { name: 'listAgents', arguments: {} });
  expect(call.body.result.structuredContent.error).toBe('insufficient_permissions');
  const wider = await refresh(clientId, narrowed.body.refresh_token, { scope: 'agents calls webhooks' });
  expect(wider.body.error).toBe('invalid_scope');
  expect((await refresh(clientId, narrowed.body.refresh_token)).body.scope).toBe('agents calls');
});

it('a former refresh token gives new tokens for a minute, so that a lost answer harms nobody', async () => {
  const { apiKey } = await newUser();
  const { clientId, refresh: token } = await connect(apiKey);
  const [one, other] = [await refresh(clientId, token), await refresh(clientId, token)];
  expect([one.status, other.status]).toEqual([200, 200]);
  for (const { body } of [one, other]) expect((await refresh(clientId, body.refresh_token)).status).toBe(200);
});

it('a refresh token of another client is refused, and ends nothing', async () => {
  const { apiKey } = await newUser();
  const { clientId, refresh: token } = await connect(apiKey);
  expect((await refresh(await register(), token)).body.error).toBe('invalid_grant');
  expect((await refresh(clientId, token)).status).toBe(200);
});

it.each([
  ['no client_id', { client_id: undefined }],
  ['an unknown client_id', { client_id: 'nobody' }],
  ['no redirect_uri', { redirect_uri: undefined }],
  ['a host that only begins alike', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
  ['user info in its redirect_uri', { redirect_uri: 'http://127.0.0.1:5555@evil.example/callback' }],
  ['another path', { redirect_uri: 'http://127.0.0.1:5555/callback/../evil' }],
  ['an encoded dot', { redirect_uri: 'http://127.0.0.1:5555/%2e%2e/callback' }],
  ['a fragment', { redirect_uri: `${redirectUri}#` }],
  ['another query', { redirect_uri: `${redirectUri}?next=evil` }],
  ['https where http is registered', { redirect_uri: redirectUri.replace('http:', 'https:') }],
  ['a backslash', { redirect_uri: 'http://127.0.0.1:5555\\@evil.example/callback' }],
  // A document over http is never fetched, and neither is one with a fragment, a user or a dot segment.
  ['a document over http', { client_id: 'http://client.example.com/oauth.json' }],
  ['a document with a fragment', { client_id: 'https://client.example.com/oauth.json#' }],
  ['a document with a user', { client_id: 'https://me@client.example.com/oauth.json' }],
  ['a document behind a dot segment', { client_id: 'https://client.example.com/a/%2e%2e/oauth.json' }],
  ['a document without a path', { client_id: 'https://client.example.com/' }],
  ['a document at a private address', { client_id: 'https://127.0.0.1/oauth.json' }],
])('a request with %s gets a page that says why, and no redirect', async (_, changed) => {
  const answer = await openPage({ ...makeRequest(await register(), newProof().challenge), ...changed });
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  expect(answer.text).toContain('role="alert"');
});

it('a parameter that is there twice gets a page where it is the client or its address, and else an error', async () => {
  const parameters = Object.entries(makeRequest(await register(), newProof().challenge)) as [string, string][];
  for (const name of ['client_id', 'redirect_uri']) {
    const twice = [...parameters, parameters.find(([one]) => one === name) as [string, string]];
    expect((await openPage(twice)).status).toBe(400);
  }
  const { error, state } = returned(await openPage([...parameters, ['code_challenge', 'other']]));
  expect([error, state]).toEqual(['invalid_request', 'state-1']);
});

it.each([
  ['PKCE with plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['PKCE without a method', { code_challenge_method: undefined }, 'invalid_request'],
  ['no challenge', { code_challenge: undefined }, 'invalid_request'],
  ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
  ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
  ['another response_mode', { response_mode: 'fragment' }, 'invalid_request'],
  ['only scopes that nobody gets', { scope: 'users keys' }, 'invalid_scope'],
  ['another resource', { resource: 'https://elsewhere.example.com/mcp' }, 'invalid_target'],
])('a request with %s goes back to the client with an error', async (_, changed, error) => {
  const answer = await openPage({ ...makeRequest(await register(), newProof().challenge), ...changed });
  expect(answer.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:5555\/callback\?/);
  expect(returned(answer)).toMatchObject({ error, state: 'state-1', iss: host });
});

it('the resource of a request may have a slash or a query behind it', async () => {
  const request = makeRequest(await register(), newProof().challenge);
  for (const one of [resource, `${resource}/`, `${resource}?tools=calls`])
    expect((await openPage({ ...request, resource: one })).status).toBe(200);
});

it('the page ticks what a client asks for, without scopes that nobody knows, and the four of the challenge for none', async () => {
  const request = makeRequest(await register(), newProof().challenge);
  const listTicked = async (scope: string | undefined) => readForm(await openPage({ ...request, scope })).ticked;
  expect(await listTicked('openid calls keys')).toEqual(['calls']);
  for (const none of [undefined, 'offline_access'])
    expect(await listTicked(none)).toEqual(['agents', 'knowledge', 'calls', 'block-list']);
});

it('the page has no script and cannot be framed, and its form goes nowhere else', async () => {
  const page = await openPage(makeRequest(await register({ client_name: '<img src=x> Claude' }), newProof().challenge));
  const policy = page.headers.get('content-security-policy');
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:5555;/,
  );
  expect(policy).toContain("frame-ancestors 'none'");
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.text).not.toMatch(/<img|<script/);
  expect(page.text).toContain('nobody has verified');
});

it('every key that does not count shows the same page, and keeps the ticks', async () => {
  const request = makeRequest(await register(), newProof().challenge);
  const { sealed } = readForm(await openPage(request));
  const { apiKey, uid, keyId } = await newUser();
  const { access, refresh: token } = await connect(apiKey);
  const users = (await newUser(['users'])).apiKey;
  await apiKeys.get().revoke(uid, keyId);
  const pages = [];
  for (const key of ['', 'vap_nothing', apiKey, users, access, token])
    pages.push(await submit(sealed, { key, scopes: ['calls'] }));
  expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(pages[0]?.status).toBe(401);
  expect(readForm(pages[0] as never)).toEqual({ sealed, ticked: ['calls'] });
});

it('a person who refuses sends the client back without a key, and one who ticks nothing gets the page again', async () => {
  const request = makeRequest(await register(), newProof().challenge);
  const { sealed } = readForm(await openPage(request));
  expect(returned(await submit(sealed, { decision: 'deny' })).error).toBe('access_denied');
  const { apiKey } = await newUser(['calls']);
  for (const scopes of [[], ['agents']]) expect((await submit(sealed, { key: apiKey, scopes })).status).toBe(400);
  expect(returned(await submit(sealed, { key: ` ${apiKey}\n`, scopes: ['calls', 'agents'] })).code).toBeDefined();
});

it('a form that is sealed by nobody gets a page without a redirect', async () => {
  const { apiKey } = await newUser();
  const client = await register();
  for (const sealed of ['', 'nothing', client]) {
    const answer = await submit(sealed, { key: apiKey, scopes: ['calls'] });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  }
});

it('a sealed value of one kind is not one of another', async () => {
  const { apiKey } = await newUser();
  const { clientId, verifier, code } = await getCode(apiKey);
  const { access, refresh: token } = await connect(apiKey);
  for (const one of [access, token, clientId])
    expect((await redeem({ clientId, verifier, code: one })).body.error).toBe('invalid_grant');
  for (const one of [access, code, clientId]) expect((await refresh(clientId, one)).body.error).toBe('invalid_grant');
  for (const one of [token, code, clientId]) expect((await askMcp(one)).status).toBe(401);
});

it.each([
  ['no redirect_uris', {}, 'invalid_redirect_uri'],
  ['an empty list', { redirect_uris: [] }, 'invalid_redirect_uri'],
  ['six of them', { redirect_uris: Array.from({ length: 6 }, (_, n) => `${redirectUri}${n}`) }, 'invalid_redirect_uri'],
  // Older versions of Cursor register this alone.
  ['a scheme of its own', { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'] }, 'invalid_redirect_uri'],
  ['http elsewhere', { redirect_uris: ['http://client.example.com/callback'] }, 'invalid_redirect_uri'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  ['a long name', { redirect_uris: [redirectUri], client_name: 'a'.repeat(201) }, 'invalid_client_metadata'],
])('a registration with %s is refused', async (_, metadata, error) => {
  const answer = await call('POST', '/register', { body: metadata });
  expect([answer.status, answer.body.error]).toEqual([400, error]);
});

it('a registration is a public client, whatever it asks for, and its id is short', async () => {
  const redirect_uris = ['https://client.example.com/oauth/callback', 'http://localhost:33418/callback'];
  const answer = await call('POST', '/register', {
    body: { redirect_uris, client_name: 'Client', token_endpoint_auth_method: 'client_secret_basic' },
  });
  expect(answer.body).toMatchObject({ redirect_uris, client_name: 'Client', token_endpoint_auth_method: 'none' });
  expect(answer.body).not.toHaveProperty('client_secret');
  expect(answer.body.client_id.length).toBeLessThan(1000);
});

it('a suspended user’s grant does nothing, and works again afterwards', async () => {
  const maker = await newUser(['users']);
  const uid = `client-${Date.now()}`;
  await call('POST', '/users', { apiKey: maker.apiKey, body: { uid } });
  const made = await call('POST', '/keys', {
    apiKey: maker.apiKey,
    body: { uid, name: 'key', scopes: ['agents', 'calls'] },
  });
  const { access, clientId, refresh: token } = await connect(made.body.secret);
  await call('PATCH', `/users/${uid}`, { apiKey: maker.apiKey, body: { suspended: true } });
  expect((await askMcp(access)).body.error).toBe('user_suspended');
  expect((await refresh(clientId, token)).body.error).toBe('invalid_grant');
  await call('PATCH', `/users/${uid}`, { apiKey: maker.apiKey, body: { suspended: false } });
  expect((await refresh(clientId, token)).status).toBe(200);
});

it('the change log has the making of a grant with its parent, what its tools do, and its end', async () => {
  const { uid, apiKey, keyId } = await newUser(['agents', 'keys', 'changes']);
  const { access, clientId, refresh: token } = await connect(apiKey, { scopes: ['agents'] });
  const [{ keyId: grantId }] = await listGrants(uid, apiKey);
  await askMcp(access, 'tools/call', { name: 'createAgent', arguments: { name: 'A' } });
  await postForm('/revoke', { token, client_id: clientId });
  await expect
    .poll(async () => (await call('GET', '/changes', { apiKey, query: { uid } })).body.changes, { timeout: 20_000 })
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'key.created', id: grantId, via: 'api', keyId }),
        expect.objectContaining({ action: 'agent.created', via: 'mcp', keyId: grantId }),
        expect.objectContaining({ action: 'key.revoked', id: grantId, keyId: grantId }),
      ]),
    );
});
