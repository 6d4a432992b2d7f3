import { hash } from 'node:crypto';
import { withCause } from '../cause.ts';
import { accessTokenPrefix } from '../domain/access-tokens.ts';
import type { Scope } from '../domain/api-keys.ts';
import { invalidApiKey } from '../domain/errors.ts';
import { isSameSecret } from '../domain/same-secret.ts';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import type { ApiKeys } from '../store/api-keys.ts';
import { type Code, hashClientId } from './authorization.ts';
import { mayBeClient } from './clients.ts';
import type { Grants, LiveGrant } from './grants.ts';
import { isOwnResource } from './metadata.ts';
import { OAuthError, readParameter, requireParameter } from './parameters.ts';
import { type SealedValues, sealedValues } from './sealed-values.ts';

/** What both tokens of a grant say. `secret` is the grant's own key, which never leaves the service unsealed. */
type GrantReference = { uid: string; keyId: string; secret: string; parentHash: string; client: string };
/** `scopes` is there where a client asked for less than its grant has. `until` is in Unix milliseconds. */
type AccessToken = GrantReference & { scopes?: Scope[]; until: number };
type RefreshToken = GrantReference & { generation: number };

type Services = {
  sealedValues: SealedValues;
  grants: Pick<Grants, 'make' | 'refresh' | 'find'>;
  apiKeys: Pick<ApiKeys, 'revoke'>;
};

const refreshTokenPrefix = 'vor_';
const lifetimeSeconds = 3600;

/** Issues tokens for a code or a refresh token (RFC 6749, 4.1.3 and 6). */
export const issueTokens = async (form: URLSearchParams, requestId: string, services: Services): Promise<object> => {
  const type = requireParameter(form, 'grant_type');
  if (type !== 'authorization_code' && type !== 'refresh_token')
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  const clientId = requireParameter(form, 'client_id');
  if (!(await mayBeClient(clientId, services.sealedValues)))
    throw new OAuthError('invalid_client', 'This client_id is not known here.');
  const client = hashClientId(clientId);
  if (form.getAll('resource').some((resource) => !isOwnResource(resource)))
    throw new OAuthError('invalid_target', 'resource must be the server of AI clients of this service.');
  return type === 'authorization_code'
    ? redeemCode(form, client, requestId, services)
    : refreshTokens(form, client, requestId, services);
};

const redeemCode = async (form: URLSearchParams, client: string, requestId: string, services: Services) => {
  const [sent, verifier, redirectUri] = ['code', 'code_verifier', 'redirect_uri'].map((name) =>
    requireParameter(form, name),
  ) as [string, string, string];
  const code = await services.sealedValues.open<Code>('code', sent);
  if (!code || code.client !== client || code.redirectUri !== redirectUri || !isVerified(verifier, code.challenge))
    throw invalidGrant();
  const { uid, keyId, secret, parentHash, parentKeyId } = code;
  const reference = { uid, keyId, secret, parentHash, client };
  const maker = { uid, keyId: parentKeyId, via: 'api' as const };
  const made = await withCause({ maker, requestId }, () => services.grants.make(code));
  // Whoever uses a code again may have stolen it, or its first user has.
  if (made === 'used') await endGrant(reference, requestId, services);
  if (made === 'too many')
    throw new OAuthError('invalid_grant', 'The API key has as many AI clients as it may have. End one under Keys.');
  if (typeof made === 'string') throw invalidGrant();
  return respond(reference, made, undefined, services);
};

const refreshTokens = async (form: URLSearchParams, client: string, requestId: string, services: Services) => {
  const token = await openRefreshToken(requireParameter(form, 'refresh_token'), services.sealedValues);
  const asked = readParameter(form, 'scope');
  if (!token || token.client !== client) throw invalidGrant();
  const { generation: _, ...reference } = token;
  const found = await services.grants.find(token);
  if (!found) throw invalidGrant();
  const narrowed = narrow(found.live.scopes, asked);
  const live = await services.grants.refresh(token);
  if (live === 'reused') await endGrant(reference, requestId, services);
  if (typeof live === 'string') throw invalidGrant();
  return respond(reference, live, narrowed, services);
};

/** Returns the scopes of one access token: those of its grant, or fewer. */
const narrow = (granted: Scope[], asked: string | undefined): Scope[] | undefined => {
  const wanted = asked?.split(' ').filter((one) => one !== '' && one !== 'offline_access') ?? [];
  if (wanted.length === 0) return undefined;
  const scopes = granted.filter((scope) => wanted.includes(scope));
  if (scopes.length < new Set(wanted).size)
    throw new OAuthError('invalid_scope', 'scope has more than the grant: a refresh can only narrow it.');
  return scopes.length === granted.length ? undefined : scopes;
};

const respond = async (
  reference: GrantReference,
  { endsAt, generation, scopes: granted }: LiveGrant,
  scopes: Scope[] | undefined,
  { sealedValues }: Services,
) => {
  const remaining = endsAt === undefined ? lifetimeSeconds : Math.floor((Date.parse(endsAt) - Date.now()) / 1000);
  const expires_in = Math.max(1, Math.min(lifetimeSeconds, remaining));
  const access: AccessToken = { ...reference, scopes, until: Date.now() + expires_in * 1000 };
  const refresh: RefreshToken = { ...reference, generation };
  return {
    access_token: accessTokenPrefix + (await sealedValues.seal('access token', access)),
    token_type: 'Bearer',
    expires_in,
    refresh_token: refreshTokenPrefix + (await sealedValues.seal('refresh token', refresh)),
    scope: (scopes ?? granted).join(' '),
  };
};

/** Ends the grant of a token (RFC 7009). Tells nobody whether there was one. */
export const revokeToken = async (
  form: URLSearchParams,
  requestId: string,
  services: Pick<Services, 'sealedValues' | 'apiKeys'>,
): Promise<object> => {
  const sent = requireParameter(form, 'token');
  const clientId = readParameter(form, 'client_id');
  const token =
    (await openRefreshToken(sent, services.sealedValues)) ?? (await openAccessToken(sent, services.sealedValues));
  const isOthers = clientId !== undefined && token?.client !== hashClientId(clientId);
  if (token && !isOthers) await endGrant(token, requestId, services);
  return {};
};

/** Ends a grant. In the log of changes, the grant itself did it. */
const endGrant = ({ uid, keyId }: GrantReference, requestId: string, { apiKeys }: Pick<Services, 'apiKeys'>) =>
  withCause({ maker: { uid, keyId, via: 'api' }, requestId }, () => apiKeys.revoke(uid, keyId));

/** The same words for every code and token that is none, so that nobody learns which it was. */
const invalidGrant = () =>
  new OAuthError('invalid_grant', 'The code or the refresh token is not valid, or the grant has ended.');

/** Checks a verifier against its challenge (RFC 7636, 4.1 and 4.6). */
const isVerified = (verifier: string, challenge: string): boolean =>
  /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) && isSameSecret(hash('sha256', verifier, 'base64url'), challenge);

const openRefreshToken = async (sent: string, sealedValues: SealedValues): Promise<RefreshToken | undefined> =>
  sent.startsWith(refreshTokenPrefix)
    ? sealedValues.open<RefreshToken>('refresh token', sent.slice(refreshTokenPrefix.length))
    : undefined;

const openAccessToken = async (sent: string, sealedValues: SealedValues): Promise<AccessToken | undefined> =>
  sent.startsWith(accessTokenPrefix)
    ? sealedValues.open<AccessToken>('access token', sent.slice(accessTokenPrefix.length))
    : undefined;

/** Exchanges access tokens for the key of their grant, with which their requests go on. */
export class AccessTokens {
  readonly #sealedValues: SealedValues;

  constructor(sealedValues: SealedValues) {
    this.#sealedValues = sealedValues;
  }

  /** Returns the key and what the token is narrowed to. Throws a 401 for a token that does not count. */
  async exchange(token: string): Promise<{ apiKey: string; scopes?: Scope[] }> {
    const opened = environment.mcpOauth ? await openAccessToken(token, this.#sealedValues) : undefined;
    if (!opened || opened.until <= Date.now()) throw invalidApiKey();
    return { apiKey: opened.secret, scopes: opened.scopes };
  }
}

export const accessTokens = /* @__PURE__ */ wholeService(
  () => new AccessTokens(sealedValues.get()),
  sealedValues.permissions,
);
