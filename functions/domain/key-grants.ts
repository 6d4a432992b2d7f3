import { type ApiKey, isForHooksOnly, isUsable, namedScopes, Scope } from './api-keys.ts';

/** The key that makes another one: its scopes, its limit, and when it ends. The operator's gives anything. */
export type KeyMaker = { scopes?: Scope[]; endsAt?: string; requestsPerMinute?: number; isOperators?: true };
/** A key is for a client of its maker's user, or for that user itself. */
export type Recipient = 'client' | 'own user';
/** What a new key has. It has the scopes that need not be named, and no end, unless they are given. */
export type KeyGrant = { scopes?: Scope[]; expiresAt?: string; requestsPerMinute?: number };
/** Null stands for no end, or no limit. */
type AskedGrant = { scopes?: Scope[]; expiresAt?: string | null; requestsPerMinute?: number | null };

const defaultScopes = Scope.options.filter((scope) => !namedScopes.has(scope));
/** The scopes that no key passes on to another key of its user. */
const notPassedOn: ReadonlySet<Scope> = new Set(['privacy', 'users', 'keys']);

/**
 * Returns what a new key gets, or undefined if its maker may not give that much: the one place that decides it.
 *
 * - A key with `users` gives clients any scope but `users`, for any time.
 * - A key with `keys` gives its own user at most its own scopes, never one that administers keys or erases people, and no longer
 *   than it is valid itself. A key that is asked for without an end ends with its maker; with null, it would never end. The same
 *   holds for the limit.
 */
export const grantKey = (
  { scopes: own = defaultScopes, endsAt, requestsPerMinute: ownLimit, isOperators }: KeyMaker,
  recipient: Recipient,
  { scopes, expiresAt, ...asked }: AskedGrant,
): KeyGrant | undefined => {
  const askedScopes = scopes ?? defaultScopes;
  const given = { scopes, expiresAt: expiresAt ?? undefined, requestsPerMinute: asked.requestsPerMinute ?? undefined };
  if (isOperators) return given;
  if (recipient === 'client') return own.includes('users') && !askedScopes.includes('users') ? given : undefined;
  if (!own.includes('keys')) return undefined;
  if (!askedScopes.every((scope) => own.includes(scope) && !notPassedOn.has(scope))) return undefined;
  const end = expiresAt === undefined ? endsAt : (expiresAt ?? undefined);
  const isTooLong = endsAt !== undefined && (end === undefined || Date.parse(end) > Date.parse(endsAt));
  const limit = asked.requestsPerMinute === undefined ? ownLimit : (asked.requestsPerMinute ?? undefined);
  return isTooLong || isAbove(limit, ownLimit) ? undefined : { scopes, expiresAt: end, requestsPerMinute: limit };
};

/** Checks that a limit allows more requests than another one. */
const isAbove = (limit: number | undefined, other: number | undefined): boolean =>
  other !== undefined && (limit === undefined || limit > other);

/** Checks that a key may set the limit of a key that it may rotate: not raise its own, nor another one of its user above it. */
export const maySetLimit = (
  maker: KeyMaker & { keyId: string },
  recipient: Recipient,
  { keyId, requestsPerMinute: former }: Pick<ApiKey, 'keyId' | 'requestsPerMinute'>,
  limit: number | undefined,
): boolean => {
  if (!isAbove(limit, former)) return true;
  if (maker.keyId === keyId) return false;
  return recipient === 'client' || !isAbove(limit, maker.requestsPerMinute);
};

/** Returns true if a key may be rotated: by itself, or by a key that may give as much. */
export const mayRotate = (maker: KeyMaker & { keyId: string }, recipient: Recipient, key: ApiKey): boolean => {
  if (key.isOperators) return false;
  if (maker.keyId === key.keyId) return !isForHooksOnly(key);
  const { scopes, expiresAt = null, requestsPerMinute = null } = key;
  return grantKey(maker, recipient, { scopes, expiresAt, requestsPerMinute }) !== undefined;
};

/**
 * Returns true if a key may be ended: by whoever may rotate it, whatever its limit. A client's creator may also delete the client
 * with its keys. A grant is moved on whenever it is used, so that its end says nothing of who may end it.
 */
export const mayEnd = (maker: KeyMaker & { keyId: string }, recipient: Recipient, key: ApiKey): boolean => {
  if (recipient === 'client' && !key.isOperators) return true;
  if (key.parentKeyId) return grantKey(maker, recipient, { scopes: key.scopes }) !== undefined;
  return mayRotate({ ...maker, requestsPerMinute: undefined }, recipient, key);
};

/** Returns what a replacing key has and when the former ends, unless the new key would be over. */
export const planRotation = (
  { name, scopes, requestsPerMinute, ...former }: ApiKey,
  overlapMilliseconds: number,
  end?: string,
) => {
  const expiresAt = end ?? former.expiresAt;
  const endsAt = new Date(Date.now() + overlapMilliseconds).toISOString();
  return isUsable({ expiresAt }) ? { name, scopes, requestsPerMinute, expiresAt, endsAt } : undefined;
};

/** Returns the reason why a key may not have these scopes together; undefined if it may. */
export const problemWithScopes = (scopes: Scope[] | undefined): string | undefined =>
  scopes && scopes.length > 1 && scopes.includes('users')
    ? 'has users, which stands alone: make another key for the other scopes'
    : undefined;
