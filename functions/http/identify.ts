import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { findKeyEnd, hashApiKey, isForHooksOnly, type Scope } from '../domain/api-keys.ts';
import { type ApiError, invalidApiKey } from '../domain/errors.ts';
import { type Access, credentials } from '../store/credentials.ts';
import { findItem } from '../store/keys.ts';
import type { Item, Lookup } from '../store/table.ts';
import type { AnyEndpoint, Principal, SignedRequests } from './endpoint.ts';
import { type KeyInRequest, keyInRequest } from './key-in-request.ts';
import { readInnerCall } from './read-inner-call.ts';

/** The credentials of a request. A signature takes precedence over a key in the address. */
export type Credentials = {
  event: APIGatewayProxyEventV2;
  key?: KeyInRequest;
  signature?: SignedRequests<unknown>;
  /** The secrets of the user whom the request names. */
  secrets?: Lookup<unknown>;
  /** The error of a user without secrets: that of a wrong signature, if any. */
  error?: ApiError;
  /** It has neither a key nor any header of a signature. */
  isUnsigned?: boolean;
};

/** The user of a request, what was read, and a write that the response awaits. */
export type Identified = {
  principal: Principal;
  access?: Access;
  found?: unknown;
  pendingWrite?: Promise<void>;
  /** The user is suspended: only requests that the endpoint serves all the same are performed. */
  isSuspended?: boolean;
};

/** Returns the credentials of a request, or throws before anything is read. */
export const readCredentials = (caller: AnyEndpoint['caller'], event: APIGatewayProxyEventV2): Credentials => {
  const signature = 'signature' in caller ? caller.signature : undefined;
  const secrets = signature?.lookup(event);
  try {
    const key = keyInRequest(caller, event);
    return key.isInQuery ? { event, key, signature, secrets } : { event, key };
  } catch (thrown) {
    const error = thrown as ApiError;
    const { authorization, 'x-authorization': ownHeader } = event.headers;
    // An Authorization that is no API key may be a platform's secret.
    const mayBeReplaced = error.code === 'missing_api_key' || (authorization !== undefined && ownHeader === undefined);
    if (!signature || !secrets || !mayBeReplaced) throw error;
    if (!signature.mayBeSigned(event)) return { event, signature, secrets, error, isUnsigned: true };
    // Nobody learns from the response whether the user has a secret.
    return { event, signature, secrets, error: signature.refusal(event) };
  }
};

/** Valid keys and secrets of earlier requests. They decide only when large items are read. */
const found = new Map<string, unknown>();
const maxFound = 1000;

const remember = (name: string, value: unknown): void => {
  found.delete(name);
  if (value !== undefined) found.set(name, value);
  if (found.size > maxFound) found.delete(found.keys().next().value as string);
};

/** Checks the credentials in one round trip. Large items wait for unknown credentials: strangers can name any agent. */
export const identify = async (sent: Credentials, agentId?: string, lookup?: Lookup<unknown>): Promise<Identified> => {
  if (lookup?.isLarge && !(await wasFoundValid(sent))) await (await readAndCheck(sent)).pendingWrite;
  return readAndCheck(sent, agentId, lookup);
};

const wasFoundValid = async ({ event, key, signature, secrets }: Credentials): Promise<boolean> => {
  if (key && found.has(hashApiKey(key.secret))) return true;
  const known = secrets && found.get(lookupName(secrets));
  return known !== undefined && (await signature?.isSigned(event, known)) === true;
};

const readAndCheck = async (sent: Credentials, agentId?: string, lookup?: Lookup<unknown>): Promise<Identified> => {
  const { event, key: sentKey, signature, secrets: lookupOfSecrets, error, isUnsigned } = sent;
  const reading = credentials.get().read(sentKey?.secret, agentId, combineLookups(lookupOfSecrets, lookup));
  const {
    key,
    access,
    found: [secrets, items] = [],
  } = await reading.catch((failure: Error) => {
    throw isUnsigned ? error : failure;
  });
  if (sentKey) remember(hashApiKey(sentKey.secret), key);
  if (lookupOfSecrets) remember(lookupName(lookupOfSecrets), secrets);
  if (signature && secrets !== undefined) return { ...(await signature.verify(event, secrets)), access, found: items };
  if (!key) throw error ?? invalidApiKey();
  const { uid, keyId, name, scopes, agentQuota, sourceQuota, budgetMark, isOperators, requestsPerMinute } = key;
  const marks = { agentQuota, sourceQuota, budgetMark };
  const isKeyInAddress = sentKey?.isInQuery;
  const principal = {
    uid,
    keyId,
    name,
    scopes: narrow(scopes, event),
    ...marks,
    endsAt: findKeyEnd(key),
    isKeyInAddress,
    isOperators,
    requestsPerMinute,
  };
  if (isKeyInAddress && !isForHooksOnly(key)) throw invalidApiKey();
  return { principal, access, found: items, isSuspended: key.suspended };
};

/** Returns the scopes of a key, or those of them that the caller's access token has. */
const narrow = (scopes: Scope[] | undefined, event: APIGatewayProxyEventV2): Scope[] | undefined => {
  const { scopes: narrowed } = readInnerCall(event) ?? {};
  return narrowed && scopes ? scopes.filter((scope) => narrowed.includes(scope)) : scopes;
};

const lookupName = ({ keys }: Lookup<unknown>) => JSON.stringify(keys);

/** Returns a lookup that combines two others. */
const combineLookups = (
  one: Lookup<unknown> | undefined,
  other: Lookup<unknown> | undefined,
): Lookup<[unknown, unknown]> => ({
  keys: [...(one?.keys ?? []), ...(other?.keys ?? [])],
  read: (items) => [readFrom(one, items), readFrom(other, items)],
});

const readFrom = (lookup: Lookup<unknown> | undefined, items: Item[]): unknown =>
  lookup?.read(items.filter((item) => findItem(lookup.keys, item)));
