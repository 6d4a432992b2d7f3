import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { newProof, redirectUri } from '../../support/oauth.ts';
import { newUser, target } from '../../support/world.ts';
import { importPackage } from '../packages.ts';
import { permit } from './permit.ts';

type Fields = Record<string, string | undefined>;
const encode = (fields: Fields) =>
  new URLSearchParams(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** What a client sees of an answer: its status, and what it can act upon. */
const describe = async (response: Response) => {
  const text = await response.text();
  const body = response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text || '{}') : {};
  return { status: response.status, body };
};
type Described = Awaited<ReturnType<typeof describe>>;
const outcome = ({ status, body }: Described) => [status, body.error];

/** What a client reads of the metadata. */
type Server = {
  issuer: string;
  code_challenge_methods_supported: string[];
  authorization_response_iss_parameter_supported: boolean;
  registration_endpoint: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint: string;
};

/**
 * The script of a client, by the standards alone. Returns what it sees in each step. `permitAt` does what a person does on the
 * pages of the server.
 */
const runClient = async (issuer: string, permit: (address: URL) => Promise<URL>) => {
  const seen: [step: string, outcome: unknown][] = [];
  const note = (step: string, what: unknown) => seen.push([step, what]);
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  const server = (await discovery.json()) as Server;
  note('issuer', server.issuer === issuer);
  note('PKCE', server.code_challenge_methods_supported);
  note('issuer in redirects', server.authorization_response_iss_parameter_supported);

  const registerWith = async (metadata: object) =>
    describe(
      await fetch(server.registration_endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(metadata),
      }),
    );
  const metadata = {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  const registered = await registerWith(metadata);
  note('registration', [registered.status, registered.body.token_endpoint_auth_method, registered.body.redirect_uris]);
  note('registration has a secret', 'client_secret' in registered.body);
  note(
    'registration of a script',
    outcome(await registerWith({ ...metadata, redirect_uris: ['javascript:alert(1)'] })),
  );
  note(
    'registration with a fragment',
    outcome(await registerWith({ ...metadata, redirect_uris: [`${redirectUri}#a`] })),
  );
  note('registration without an address', (await registerWith({ ...metadata, redirect_uris: [] })).status);
  const client_id = registered.body.client_id as string;
  const other = (await registerWith(metadata)).body.client_id as string;

  const formAddress = (challenge: string, changed: Fields = {}) => {
    const asked = {
      response_type: 'code',
      client_id,
      redirect_uri: redirectUri,
      state: 'a b&c',
      scope: 'calls agents',
    };
    const address = new URL(server.authorization_endpoint);
    address.search = encode({
      ...asked,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...changed,
    }).toString();
    return address;
  };
  const ask = async (changed: Fields) => {
    const response = await fetch(formAddress(newProof().challenge, changed), { redirect: 'manual' });
    const location = response.headers.get('location');
    if (!location?.startsWith(redirectUri)) return [response.status, location];
    // A server that knows a response in the fragment sends its error there.
    const { search, hash } = new URL(location);
    const { error, state, iss } = Object.fromEntries(new URLSearchParams(search || hash.slice(1)));
    return [response.status, error, state, iss === issuer];
  };
  note('an unknown client', await ask({ client_id: 'nobody' }));
  note('another address', await ask({ redirect_uri: 'https://evil.example/callback' }));
  note('another path', await ask({ redirect_uri: `${redirectUri}/next` }));
  note('no challenge', await ask({ code_challenge: undefined, code_challenge_method: undefined }));
  note('a plain challenge', await ask({ code_challenge_method: 'plain' }));
  note('a token at once', await ask({ response_type: 'token' }));
  note('a request object', await ask({ request: 'a.b.c' }));

  const getCode = async () => {
    const { verifier, challenge } = newProof();
    const back = await permit(formAddress(challenge));
    const { code, state, iss } = Object.fromEntries(back.searchParams);
    return { code: code as string, verifier, facts: [state, iss === issuer] };
  };
  const asks = async (fields: Fields) =>
    describe(await fetch(server.token_endpoint, { method: 'POST', body: encode(fields) }));
  const redeem = ({ code, verifier }: { code: string; verifier: string }, changed: Fields = {}) =>
    asks({
      ...{ grant_type: 'authorization_code', client_id, code, code_verifier: verifier, redirect_uri: redirectUri },
      ...changed,
    });
  const refresh = (refresh_token: string, changed: Fields = {}) =>
    asks({ grant_type: 'refresh_token', client_id, refresh_token, ...changed });

  note('another verifier', outcome(await redeem(await getCode(), { code_verifier: newProof().verifier })));
  note('no verifier', (await redeem(await getCode(), { code_verifier: undefined })).status);
  note('another address of a code', outcome(await redeem(await getCode(), { redirect_uri: 'http://127.0.0.1:1/no' })));
  note('a code of another client', outcome(await redeem(await getCode(), { client_id: other })));
  note('an unknown code', outcome(await redeem({ code: 'nothing', verifier: newProof().verifier })));
  note('another grant type', outcome(await asks({ grant_type: 'password', client_id })));

  const asked = await getCode();
  note('the redirect', asked.facts);
  const tokens = await redeem(asked);
  note('tokens', [tokens.status, tokens.body.token_type, tokens.body.expires_in, sorted(tokens.body.scope)]);
  const narrowed = await refresh(tokens.body.refresh_token, { scope: 'calls' });
  note('a narrower refresh', [narrowed.status, narrowed.body.scope]);
  note('the refresh token is new', narrowed.body.refresh_token !== tokens.body.refresh_token);
  const wider = await refresh(narrowed.body.refresh_token, { scope: 'calls agents webhooks' });
  note('a wider refresh', outcome(wider));
  note('a refresh of another client', outcome(await refresh(narrowed.body.refresh_token, { client_id: other })));
  const again = await refresh(narrowed.body.refresh_token);
  note('all scopes again', [again.status, sorted(again.body.scope)]);
  note('the code again', outcome(await redeem(asked)));
  note('a refresh after it', outcome(await refresh(again.body.refresh_token)));

  const revoke = async (token: string) =>
    (await fetch(server.revocation_endpoint, { method: 'POST', body: encode({ token, client_id }) })).status;
  const { body: last } = await redeem(await getCode());
  note('an end', await revoke(last.refresh_token));
  note('a refresh after the end', outcome(await refresh(last.refresh_token)));
  note('the end of nothing', await revoke('nothing'));
  return seen;
};

const sorted = (scope: string) => scope.split(' ').sort();

/** Starts the reference: a certified server, which permits everything that a person is asked. */
const startReference = async () => {
  const { default: Provider } = await importPackage('oidc-provider');
  const server = createServer((request, response) => void answer(request, response));
  const { endpoint, stop } = await listen(server);
  onTestFinished(stop);
  const provider = new Provider(endpoint, {
    scopes: ['calls', 'agents', 'webhooks', 'offline_access'],
    clientDefaults: { token_endpoint_auth_method: 'none' },
    features: { devInteractions: { enabled: false }, registration: { enabled: true }, revocation: { enabled: true } },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 3600, RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 600 },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  const callback = provider.callback();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    const { prompt, params } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login')
      return provider.interactionFinished(request, response, { login: { accountId: 'person' } });
    const grant = new provider.Grant({ accountId: 'person', clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    const grantId = await grant.save();
    return provider.interactionFinished(request, response, { consent: { grantId } });
  };
  return endpoint;
};

/** Follows the redirects of a server, with its cookies, until it returns to the client. */
const followToClient = async (address: URL): Promise<URL> => {
  const cookies = new Map<string, string>();
  for (let next = address; ; ) {
    if (next.href.startsWith(redirectUri)) return next;
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    expect(location, await response.text()).toBeTruthy();
    next = new URL(location as string, next);
  }
};

it('a client sees of this service what it sees of a certified server', async () => {
  const { apiKey } = await newUser();
  const ours = await runClient(target.publicUrl ?? target.baseUrl, (address) => permit(address, apiKey));
  const reference = await runClient(await startReference(), followToClient);
  expect(ours).toEqual(reference);
});
