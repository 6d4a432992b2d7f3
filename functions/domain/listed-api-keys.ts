import * as z from 'zod/mini';
import { type ApiKey, ApiKeyStatus, findKeyEnd, isUsable, judgeKeyStatus, namedScopes, Scope } from './api-keys.ts';
import { DateTime, timestamp } from './date-time.ts';
import { choiceField, component, describe, integerField, listField, objectComponent, textField } from './describe.ts';
import { examples } from './examples.ts';
import { Identifier } from './identifiers.ts';
import { problemWithScopes } from './key-grants.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { text } from './text.ts';

/** The user of a key: the caller's own, or a client. */
export const UidOfKey = Identifier.check(
  describe('The user of the key: the user of the API key of the request, or one of its clients.', examples.clientUid),
);
export const KeyIdInPath = textField('Id of the key.', examples.keyId);

const named = [...namedScopes].map((scope) => `\`${scope}\``).join(', ');

/** The scopes of a new key. */
const NewScopes = list(Scope, { min: 1, max: Scope.options.length }).check(
  z.refine((scopes) => problemWithScopes(scopes) === undefined, {
    error: ({ input }) => problemWithScopes(input as Scope[]),
  }),
  describe(`What the key may do. Default: every scope but ${named}.`, ['agents', 'calls']),
);

export const KeyName = text(1, limits.nameCharacters).check(describe('What the key is for.', 'website'));

/** Null stands for no limit. */
const GivenRequestsPerMinute = z
  .nullable(z.int().check(z.minimum(1), z.maximum(limits.requestsPerMinute)))
  .check(
    describe(
      'Maximum number of requests in a minute. `null`: no limit. Operations at call time neither count nor are refused.',
      600,
    ),
  );

export const NewApiKey = z.object({
  uid: UidOfKey,
  name: KeyName,
  scopes: z.optional(NewScopes),
  expiresAt: z.optional(
    DateTime.check(
      z.refine((time) => Date.parse(time) > Date.now(), { error: 'must be in the future' }),
      describe('When the key expires.', '2099-01-01T00:00:00Z'),
    ),
  ),
  requestsPerMinute: z.optional(GivenRequestsPerMinute),
});

export const ApiKeyChange = z.object({
  uid: UidOfKey,
  name: z.optional(KeyName),
  requestsPerMinute: z.optional(GivenRequestsPerMinute),
});

const fields = {
  keyId: textField('Id of the key.', examples.keyId),
  uid: textField('The user that the key belongs to.', examples.clientUid),
  name: textField('What the key is for.', 'website'),
  start: textField('The first characters of the key, to recognize it by.', 'vap_4fQ2'),
  scopes: z.optional(
    listField(Scope, 'What the key may do. Absent: every scope but those that must be named.', ['agents', 'calls']),
  ),
  createdAt: timestamp('When the key was made.'),
  via: z.optional(choiceField(['oauth'], 'The key is a grant to an AI client. Absent for every other key.', 'oauth')),
  clientHost: z.optional(textField('Host of the AI client.', 'claude.ai')),
  parentKeyId: z.optional(
    textField('The key that a person gave as the login. The grant ends with it.', examples.keyId),
  ),
  lastUsedAt: z.optional(
    timestamp('When the AI client last asked for tokens. Clients do so once an hour while they are used.'),
  ),
  expiresAt: z.optional(timestamp('When it expires. Absent: never, unless it has an `endsAt`.')),
  endsAt: z.optional(timestamp('When it ended, or ends, because it was revoked or rotated.')),
  requestsPerMinute: z.optional(
    integerField('Maximum number of requests in a minute. Absent: no limit.', 600, { minimum: 1 }),
  ),
  status: ApiKeyStatus.check(
    describe('`ending`: the key was rotated, and is valid until the end of the overlap.', 'active'),
  ),
};

export const ListedApiKey = objectComponent('ApiKey', 'An API key, without its secret.', fields);
export type ListedApiKey = z.infer<typeof ListedApiKey>;

export const ApiKeyWithSecret = component(
  'ApiKeyWithSecret',
  'A new API key with its secret, which is not shown again.',
  z.object({
    ...fields,
    secret: textField('The key itself: send it as `X-Authorization`.', 'vap_4fQ2Zr8mTn0bXc6vLk1pWs9dGh3jYa'),
  }),
);

/** Returns a key as lists show it. */
export const listedApiKey = (key: ApiKey): ListedApiKey => {
  const { keyId, uid, name, start, scopes, createdAt, expiresAt, revokedAt, requestsPerMinute } = key;
  const { via, clientHost, parentKeyId, lastUsedAt } = key;
  const grant = { via, clientHost, parentKeyId, lastUsedAt };
  const endsAt = revokedAt && findKeyEnd(key);
  const status = judgeKeyStatus(key);
  return { keyId, uid, name, start, scopes, createdAt, ...grant, expiresAt, endsAt, requestsPerMinute, status };
};

/** The time for which a key that is over is listed. */
const listedMilliseconds = limits.endedKeyDays * 24 * 60 * 60 * 1000;

/** Returns when a key is deleted (Unix seconds); undefined for a key that does not end. */
export const keyDeletionTime = (key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>): number | undefined => {
  const end = findKeyEnd(key);
  return end === undefined ? undefined : Math.ceil((Date.parse(end) + listedMilliseconds) / 1000);
};

/** Checks that a key is certainly over by the time at which it is deleted (Unix seconds). */
export const isCertainlyOver = (deletionTime: number | undefined, at = Date.now()): boolean =>
  deletionTime !== undefined && deletionTime * 1000 - listedMilliseconds <= at;

/** Checks that a key is listed: DynamoDB deletes it some time after that. */
export const isListed = (key: ApiKey, at = Date.now()): boolean =>
  isUsable(key, at) || (keyDeletionTime(key) ?? Number.POSITIVE_INFINITY) > at / 1000;
