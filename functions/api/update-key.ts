import * as z from 'zod/mini';
import { isUsable } from '../domain/api-keys.ts';
import { invalidField, keyIsOver, mayNotEnd, mayNotGive, mayNotRaise } from '../domain/errors.ts';
import { mayRotate, maySetLimit } from '../domain/key-grants.ts';
import { ApiKeyChange, KeyIdInPath, ListedApiKey, listedApiKey } from '../domain/listed-api-keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { apiKeys } from '../store/api-keys.ts';
import { users } from '../store/users.ts';
import { existingKey } from '../users/existing-key.ts';

/** Renames a key, or sets its limit. */
export const updateKey = endpoint({
  name: 'updateKey',
  method: 'PATCH',
  path: '/keys/{keyId}',
  summary: 'Update an API key',
  description:
    'Updates the fields that are sent. A limit holds within a second, and keeps what was counted. Who may rotate a key may update it; no key raises or ends its own limit, and a limited key raises no other key of its user above itself.',
  caller: { kind: 'key', administersUsers: true },
  services: { apiKeys: apiKeys.for('find', 'change'), users: users.for('findClient') },
  params: z.object({ keyId: KeyIdInPath }),
  body: ApiKeyChange,
  response: ListedApiKey,
  errors: ['user_not_found', 'key_not_found'],

  async handle({ principal, params: { keyId }, body: { uid, ...change } }, services) {
    const { key, recipient } = await existingKey(principal, { uid, keyId }, services);
    const isItself = key.keyId === principal.keyId;
    // A limited key that could rotate a key above itself would have that key.
    if (!mayRotate(principal, recipient, key)) throw isItself ? mayNotEnd() : mayNotGive();
    if (key.parentKeyId) throw invalidField('keyId', 'is a grant of an AI client, which has the limit of its key');
    if (!isUsable(key)) throw keyIsOver();
    const { requestsPerMinute } = change;
    const isRaised =
      requestsPerMinute !== undefined && !maySetLimit(principal, recipient, key, requestsPerMinute ?? undefined);
    if (isRaised) throw mayNotRaise();
    const changed = await services.apiKeys.change(uid, keyId, change);
    if (!changed) throw keyIsOver();
    return listedApiKey(changed);
  },
});

export const handler = lambda(updateKey);
