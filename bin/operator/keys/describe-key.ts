import { type ApiKey, findKeyEnd, judgeKeyStatus, namedScopes } from '../../../functions/domain/api-keys.ts';
import type { MadeApiKey } from '../../../functions/store/api-keys.ts';
import { record } from '../../command-line/output.ts';

export const withSecret = ({ secret, ...key }: MadeApiKey) => ({ apiKey: secret, ...key });

export const describeCreated = (created: MadeApiKey) =>
  `${created.secret}\n\nStore this key now: it is not shown again.\n\n${describeKey(created)}`;

export const describeKey = (key: ApiKey) =>
  record({
    key: key.keyId,
    user: key.uid,
    name: key.name,
    scopes: joinScopes(key),
    created: key.createdAt,
    expires: describeExpiry(key),
    limit: describeLimit(key),
    status: judgeKeyStatus(key),
  });

/** The scopes of a key for which none are named. */
export const scopesUnlessNamed = `all but ${[...namedScopes].join(', ')}`;

export const joinScopes = (key: ApiKey) => key.scopes?.join(', ') ?? scopesUnlessNamed;

/** Returns the limit of a key in words. */
const describeLimit = ({ requestsPerMinute: limit }: ApiKey) =>
  limit === undefined ? 'none' : `${limit.toLocaleString('en')} requests per minute`;

/** Returns the time at which a key is no longer valid, because it is revoked or expires. */
export const describeExpiry = (key: ApiKey) => findKeyEnd(key) ?? 'never';
