import { beforeAll, expect, it } from 'vitest';
import { routes } from '../../functions/routes.ts';
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
  redirectUri,
  refresh,
  register,
  returned,
  submit,
} from '../support/oauth.ts';
import { type Answer, call, newUser, target } from '../support/world.ts';

type Connected = Awaited<ReturnType<typeof connect>>;
/** A person with a key and a client that is connected, and an attacker with a client and a key of its own. */
type Scene = {
  person: Awaited<ReturnType<typeof newUser>>;
  theirs: Connected;
  attacker: Awaited<ReturnType<typeof newUser>>;
  client: string;
  grant: Connected;
  /** A client that returns to https. */
  web: string;
  /** The sealed form of a page that the person has opened. */
  sealed: string;
};

const host = target.publicUrl ?? target.baseUrl;
const webUri = 'https://client.example.com/callback';
let scene: Scene;

beforeAll(async () => {
  const [person, attacker] = [await newUser(['agents', 'calls', 'keys']), await newUser(['agents', 'keys'])];
  const [client, web] = [await register({ client_name: 'Evil' }), await register({ redirect_uris: [webUri] })];
  scene = {
    ...{ person, attacker, client, web },
    theirs: await connect(person.apiKey, { scopes: ['calls'] }),
    grant: await connect(attacker.apiKey),
    sealed: readForm(await openPage(makeRequest(client, newProof().challenge))).sealed,
  };
});

/** The attack ended with a page that goes nowhere. */
const isPage = (answer: Answer) => {
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  expect(answer.text).toContain('<h1>Not connected</h1>');
};
/** The client was told an error at its own address. */
const goesBackWith = (error: string) => (answer: Answer) =>
  expect(returned(answer)).toMatchObject({ error, iss: host });
const isRefused =
  (...expected: [number, string]) =>
  (answer: Answer) =>
    expect([answer.status, answer.body?.error]).toEqual(expected);

const ask = (changed: Record<string, string | undefined>, client = scene.client) =>
  openPage({ ...makeRequest(client, newProof().challenge), ...changed });
/** Tries to return to an address that nobody has registered. */
const to = (redirect_uri: string) => () => ask({ redirect_uri });
const askFromWeb = (redirect_uri: string) => () => ask({ redirect_uri }, scene.web);
const as = (client_id: string) => () => ask({ client_id });

const flip = (text: string, at: number) => `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;

const redeemWith =
  (changed: Record<string, string | undefined>, from: (scene: Scene) => string = ({ person }) => person.apiKey) =>
  async () => {
    const { clientId, code, verifier } = await getCode(from(scene), { scopes: ['calls'] });
    const fields = { client_id: clientId, code, code_verifier: verifier, redirect_uri: redirectUri };
    return askForTokens({ grant_type: 'authorization_code', ...fields, ...changed });
  };

type Attack = [what: string, attempt: () => Promise<Answer>, outcome: (answer: Answer) => unknown];

const attacks: Attack[] = [
  // Addresses that look like a registered one of the own machine.
  ['a user before the host', to('http://me@127.0.0.1:5555/callback'), isPage],
  ['a host with a dot behind it', to('http://127.0.0.1.:5555/callback'), isPage],
  ['the name of the own machine instead of its address', to('http://localhost:5555/callback'), isPage],
  ['the own machine as one number', to('http://2130706433:5555/callback'), isPage],
  ['the own machine in octal', to('http://0177.0.0.1:5555/callback'), isPage],
  ['the own machine in short', to('http://127.1:5555/callback'), isPage],
  ['the own machine inside IPv6', to('http://[::ffff:127.0.0.1]:5555/callback'), isPage],
  ['every address of the own machine', to('http://0.0.0.0:5555/callback'), isPage],
  ['a line break in the path', to('http://127.0.0.1:5555/call\nback'), isPage],
  ['a null character', to('http://127.0.0.1:5555/callback\0'), isPage],
  ['white space before the address', to(` ${redirectUri}`), isPage],
  ['a parameter of the path', to('http://127.0.0.1:5555/callback;@evil.example'), isPage],
  ['two slashes', to('http://127.0.0.1:5555//evil.example/callback'), isPage],
  ['encoded slashes', to('http://127.0.0.1:5555/callback%2f..%2f..%2fevil'), isPage],
  ['an encoded letter', to('http://127.0.0.1:5555/c%61llback'), isPage],
  ['no port behind the colon', to('http://127.0.0.1:/callback'), isPage],
  ['a port that there is not', to('http://127.0.0.1:99999/callback'), isPage],
  ['a script', to('javascript:alert(document.domain)//127.0.0.1:5555/callback'), isPage],
  ['a page in the address', to('data:text/html,<script>1</script>'), isPage],
  ['an address without a scheme', to('//127.0.0.1:5555/callback'), isPage],
  ['a path alone', to('/callback'), isPage],
  ['the address of another client', to(webUri), isPage],
  // And of an https client.
  ['a longer host', askFromWeb('https://client.example.com.evil.example/callback'), isPage],
  ['the client as the user of another host', askFromWeb('https://client.example.com@evil.example/callback'), isPage],
  ['the client as a path of another host', askFromWeb('https://evil.example/client.example.com/callback'), isPage],
  ['another port of https', askFromWeb('https://client.example.com:444/callback'), isPage],
  ['http instead of https', askFromWeb('http://client.example.com/callback'), isPage],
  ['a letter that looks alike', askFromWeb('https://сlient.example.com/callback'), isPage],
  ['an encoded dot of the host', askFromWeb('https://client%2eexample.com/callback'), isPage],
  ['a fullwidth dot of the host', askFromWeb('https://client．example.com/callback'), isPage],
  ['a backslash before the host', askFromWeb('https:\\\\client.example.com/callback'), isPage],
  ['a wildcard', askFromWeb('https://*.example.com/callback'), isPage],
  ['other letters of the path', askFromWeb('https://client.example.com/Callback'), isPage],
  ['a path beneath the registered one', askFromWeb('https://client.example.com/callback/next'), isPage],
  // Clients that are none.
  ['a changed registration', () => ask({ client_id: flip(scene.client, 30) }), isPage],
  ['a part of a registration', () => ask({ client_id: scene.client.slice(0, -4) }), isPage],
  ['a token as a client', () => ask({ client_id: scene.grant.access.slice(4) }), isPage],
  ['a code as a client', () => ask({ client_id: scene.grant.code }), isPage],
  ['a document of the metadata of AWS', as('https://169.254.169.254/latest/meta-data/oauth.json'), isPage],
  ['a document of the own network', as('https://10.0.0.1/oauth.json'), isPage],
  ['a document of the own machine in IPv6', as('https://[::1]/oauth.json'), isPage],
  ['a document of the own machine inside IPv6', as('https://[::ffff:7f00:1]/oauth.json'), isPage],
  ['a document of a name of the own machine', as('https://localhost/oauth.json'), isPage],
  ['a document of the own machine as a number', as('https://2130706433/oauth.json'), isPage],
  ['a document behind a port of others', as('https://127.0.0.1:6379/oauth.json'), isPage],
  ['a file', as('file:///etc/passwd'), isPage],
  // PKCE and parameters.
  ['a challenge of 44 characters', () => ask({ code_challenge: 'a'.repeat(44) }), goesBackWith('invalid_request')],
  ['a challenge of other characters', () => ask({ code_challenge: '+'.repeat(43) }), goesBackWith('invalid_request')],
  ['the method s256', () => ask({ code_challenge_method: 's256' }), goesBackWith('invalid_request')],
  ['a signed request', () => ask({ request: 'eyJhbGciOiJub25lIn0.e30.' }), goesBackWith('request_not_supported')],
  [
    'a request at an address',
    () => ask({ request_uri: 'https://evil.example/request' }),
    goesBackWith('request_uri_not_supported'),
  ],
  ['a token in the address', () => ask({ response_type: 'code token' }), goesBackWith('unsupported_response_type')],
  ['an answer by a form', () => ask({ response_mode: 'form_post' }), goesBackWith('invalid_request')],
  ['a resource with a fragment', () => ask({ resource: `${host}/mcp#evil` }), goesBackWith('invalid_target')],
  ['the service as a whole as the resource', () => ask({ resource: host }), goesBackWith('invalid_target')],
  ['the scope of erasures and one in capitals', () => ask({ scope: 'privacy AGENTS' }), goesBackWith('invalid_scope')],
  [
    'a parameter that nobody knows, twice',
    async () => {
      const fields = Object.entries(makeRequest(scene.client, newProof().challenge)) as [string, string][];
      return openPage([...fields, ['prompt', 'none'], ['prompt', 'consent']]);
    },
    goesBackWith('invalid_request'),
  ],
  // The form.
  ['a changed form', () => submit(flip(scene.sealed, 40), { key: scene.attacker.apiKey, scopes: ['agents'] }), isPage],
  [
    'a code instead of a form',
    () => submit(scene.grant.code, { key: scene.attacker.apiKey, scopes: ['agents'] }),
    isPage,
  ],
  [
    'another address beside the form',
    () =>
      postForm(`/authorize?redirect_uri=${encodeURIComponent(webUri)}`, {
        request: scene.sealed,
        redirect_uri: webUri,
        scope: 'agents',
        key: scene.attacker.apiKey,
        decision: 'allow',
      }),
    // The code goes where the client is registered.
    (answer) => expect(answer.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:5555\/callback\?code=/),
  ],
  [
    'a box that the page does not have',
    () => submit(scene.sealed, { key: scene.person.apiKey, scopes: ['keys', 'users', 'privacy', '*', ''] }),
    (answer) => expect([answer.status, answer.headers.get('location')]).toEqual([400, null]),
  ],
  [
    'a form that another site sends',
    () => postForm('/authorize', { request: scene.sealed, decision: 'allow' }, { origin: 'https://evil.example' }),
    (answer) => expect([answer.status, answer.headers.get('location')]).toEqual([401, null]),
  ],
  // Codes.
  [
    'the challenge as the verifier',
    redeemWith({ code_verifier: newProof().challenge }),
    isRefused(400, 'invalid_grant'),
  ],
  ['no verifier', redeemWith({ code_verifier: undefined }), isRefused(400, 'invalid_request')],
  ['an empty verifier', redeemWith({ code_verifier: '' }), isRefused(400, 'invalid_request')],
  ['a verifier of 129 characters', redeemWith({ code_verifier: 'a'.repeat(129) }), isRefused(400, 'invalid_grant')],
  [
    'a code of somebody else without the verifier',
    redeemWith({ code_verifier: newProof().verifier }),
    isRefused(400, 'invalid_grant'),
  ],
  ['no address with a code', redeemWith({ redirect_uri: undefined }), isRefused(400, 'invalid_request')],
  ['a changed code', async () => redeemWith({ code: flip(scene.grant.code, 50) })(), isRefused(400, 'invalid_grant')],
  [
    'a code twice in one request',
    async () => {
      const { clientId, code, verifier } = await getCode(scene.person.apiKey);
      const fields = { grant_type: 'authorization_code', client_id: clientId, code_verifier: verifier };
      return askForTokens([...Object.entries({ ...fields, redirect_uri: redirectUri, code }), ['code', code]]);
    },
    isRefused(400, 'invalid_request'),
  ],
  [
    'a password',
    () => askForTokens({ grant_type: 'password', client_id: scene.client, username: 'a', password: 'b' }),
    isRefused(400, 'unsupported_grant_type'),
  ],
  [
    'the client itself as the person',
    () => askForTokens({ grant_type: 'client_credentials', client_id: scene.client }),
    isRefused(400, 'unsupported_grant_type'),
  ],
  [
    'a request of another form',
    () => call('POST', '/token', { body: { grant_type: 'authorization_code', client_id: scene.client } }),
    isRefused(400, 'invalid_request'),
  ],
  // Refresh tokens.
  [
    'the refresh token of another client',
    () => refresh(scene.client, scene.theirs.refresh),
    isRefused(400, 'invalid_grant'),
  ],
  [
    'a changed refresh token',
    () => refresh(scene.theirs.clientId, flip(scene.theirs.refresh, 60)),
    isRefused(400, 'invalid_grant'),
  ],
  [
    'an access token as a refresh token',
    () => refresh(scene.theirs.clientId, scene.theirs.access.replace('voa_', 'vor_')),
    isRefused(400, 'invalid_grant'),
  ],
  [
    'more scopes by a refresh',
    () => refresh(scene.theirs.clientId, scene.theirs.refresh, { scope: 'calls agents' }),
    isRefused(400, 'invalid_scope'),
  ],
  [
    'the scope keys by a refresh',
    () => refresh(scene.theirs.clientId, scene.theirs.refresh, { scope: 'keys' }),
    isRefused(400, 'invalid_scope'),
  ],
  [
    'another resource by a refresh',
    () => refresh(scene.theirs.clientId, scene.theirs.refresh, { resource: 'https://evil.example/mcp' }),
    isRefused(400, 'invalid_target'),
  ],
  // Access tokens.
  ['a changed access token', () => askMcp(flip(scene.theirs.access, 70)), isRefused(401, 'invalid_api_key')],
  ['a part of an access token', () => askMcp(scene.theirs.access.slice(0, -1)), isRefused(401, 'invalid_api_key')],
  [
    'a refresh token as an access token',
    () => askMcp(scene.theirs.refresh.replace('vor_', 'voa_')),
    isRefused(401, 'invalid_api_key'),
  ],
  [
    'an access token in the address',
    () => call('POST', `/mcp?access_token=${scene.theirs.access}`, { body: {} }),
    isRefused(401, 'missing_api_key'),
  ],
  [
    'an access token at the door of platforms',
    () => call('POST', `/hooks/retell?key=${scene.theirs.access}`, { body: {} }),
    isRefused(401, 'insufficient_permissions'),
  ],
  [
    'a tool beyond the grant',
    () => askMcp(scene.theirs.access, 'tools/call', { name: 'createAgent', arguments: { name: 'A' } }),
    (answer) => expect(answer.body.result.structuredContent.error).toBe('insufficient_permissions'),
  ],
  [
    'a key by a tool',
    () => askMcp(scene.grant.access, 'tools/call', { name: 'createKey', arguments: { name: 'A', scopes: ['agents'] } }),
    (answer) => expect(answer.body.result ?? answer.body.error).not.toHaveProperty('structuredContent.secret'),
  ],
  [
    'a message of another site',
    () =>
      call('POST', '/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { authorization: `Bearer ${scene.theirs.access}`, origin: 'https://evil.example' },
      }),
    isRefused(403, 'unauthorized_origin'),
  ],
  [
    'the rotation of a grant',
    async () => {
      const {
        attacker: { uid, apiKey },
      } = scene;
      const grant = (await apiKeys.get().list(uid)).find(({ via }) => via);
      return call('POST', `/keys/${grant?.keyId}/rotate`, { apiKey, body: { uid } });
    },
    isRefused(400, 'invalid_request'),
  ],
  // Ends.
  [
    'the end of a grant by another client',
    () => postForm('/revoke', { token: scene.theirs.refresh, client_id: scene.client }),
    (answer) => expect(answer.status).toBe(200),
  ],
  [
    'the end of a key as a token',
    () => postForm('/revoke', { token: scene.person.apiKey }),
    (answer) => expect(answer.status).toBe(200),
  ],
  [
    'the end of a grant of somebody else',
    async () => {
      const grant = (await apiKeys.get().list(scene.person.uid)).find(({ via }) => via);
      const { apiKey } = scene.attacker;
      return call('DELETE', `/keys/${grant?.keyId}`, { apiKey, query: { uid: scene.person.uid } });
    },
    isRefused(401, 'insufficient_permissions'),
  ],
  // Registrations.
  [
    'a registration of a script',
    () => call('POST', '/register', { body: { redirect_uris: ['javascript:alert(1)'] } }),
    isRefused(400, 'invalid_redirect_uri'),
  ],
  [
    'a registration with a user',
    () => call('POST', '/register', { body: { redirect_uris: ['https://me@client.example.com/'] } }),
    isRefused(400, 'invalid_redirect_uri'),
  ],
  [
    'a registration with a fragment',
    () => call('POST', '/register', { body: { redirect_uris: [`${webUri}#`] } }),
    isRefused(400, 'invalid_redirect_uri'),
  ],
  [
    'a registration of long addresses',
    () => call('POST', '/register', { body: { redirect_uris: Array(5).fill(`${webUri}${'a'.repeat(900)}`) } }),
    isRefused(400, 'invalid_redirect_uri'),
  ],
  [
    'a registration that is no object',
    () => call('POST', '/register', { body: [redirectUri] }),
    isRefused(400, 'invalid_client_metadata'),
  ],
  [
    'a registration of 1 MB',
    () => call('POST', '/register', { body: 'a'.repeat(2 ** 20) }),
    isRefused(413, 'payload_too_large'),
  ],
];

it.each(attacks)('an attacker who tries %s gets nothing', async (_, attempt, outcome) => {
  outcome(await attempt());
});

it('an access token is refused by every operation but that of AI clients', async () => {
  const keyed = routes.filter(({ caller }) => caller.kind === 'key' && !('accessTokens' in caller));
  expect(keyed.length).toBeGreaterThan(60);
  const refusals = keyed.map(async ({ method, path }) => {
    const answer = await call(method, path.replace(/\{\w+\}/g, 'any'), {
      headers: { authorization: `Bearer ${scene.grant.access}` },
      ...(method !== 'GET' && { body: {} }),
    });
    return [path, answer.status, answer.body?.error];
  });
  const expected = keyed.map(({ path }) => [path, 401, 'insufficient_permissions']);
  expect(await Promise.all(refusals)).toEqual(expected);
});

it('a state comes back as it was sent, also one that would end a header or that is as long as may be', async () => {
  for (const state of ['a\r\nset-cookie: a=b', '"><script>', 'a b&c=%25#', '\0'.repeat(2000), '😀'.repeat(500)]) {
    const page = await openPage({ ...makeRequest(scene.client, newProof().challenge), state });
    const answer = await submit(readForm(page).sealed, { decision: 'deny' });
    expect(returned(answer)).toMatchObject({ error: 'access_denied', state });
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
});

it('the name of a client neither leaves its place on the page nor turns the direction of the text', async () => {
  const client = await register({ client_name: '‮"><b onclick=x>\u2066Claude, verified\u0000' });
  const { text } = await openPage(makeRequest(client, newProof().challenge));
  expect(text).toContain('<bdi>&quot;&gt;&lt;b onclick=x&gt;Claude, verified</bdi>');
});

it('what a person granted before is not harmed by any of these attacks', async () => {
  const { theirs, person } = scene;
  expect((await askMcp(theirs.access)).status).toBe(200);
  const again = await refresh(theirs.clientId, theirs.refresh);
  expect([again.status, again.body.scope]).toEqual([200, 'calls']);
  const { keys } = (await call('GET', '/keys', { apiKey: person.apiKey, query: { uid: person.uid } })).body;
  expect(keys.map(({ status }: { status: string }) => status)).toEqual(keys.map(() => 'active'));
});
