import * as z from 'zod/mini';
import { hashingSecret } from '../clients/secrets.ts';
import { describe } from '../domain/describe.ts';
import { invalidField, keyIsOver, mayNotEnd, mayNotGive } from '../domain/errors.ts';
import { mayRotate, planRotation } from '../domain/key-grants.ts';
import { limits } from '../domain/limits.ts';
import { ApiKeyWithSecret, KeyIdInPath, listedApiKey, UidOfKey } from '../domain/listed-api-keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { apiKeys } from '../store/api-keys.ts';
import { users } from '../store/users.ts';
import { derivedKey } from '../users/derived-key.ts';
import { existingKey } from '../users/existing-key.ts';

/** Replaces an API key by one with the same name, scopes and end. The former one ends after an overlap. */
export const rotateKey = endpoint({
  name: 'rotateKey',
  method: 'POST',
  path: '/keys/{keyId}/rotate',
  summary: 'Rotate an API key',
  description:
    'Makes a new key with the same name, scopes and end, and ends the former one after the overlap. A key may rotate itself, unless its only scope is `hooks`: such a key may stand in addresses and logs. Another key needs the scope `users` for the key of a client, or `keys` for one of its own user, and must be one that may give these scopes for so long. The response contains the `secret`; it is not shown again, except to a request that the same API key repeats with its `Idempotency-Key`.',
  caller: { kind: 'key', administersUsers: true },
  services: { apiKeys: apiKeys.for('find', 'rotate'), users: users.for('findClient'), hashingSecret },
  params: z.object({ keyId: KeyIdInPath }),
  body: z.object({
    uid: UidOfKey,
    overlapHours: z
      ._default(z.number().check(z.minimum(0), z.maximum(limits.maxOverlapHours)), 24)
      .check(describe('Hours for which the former key stays valid.', 24)),
  }),
  confidential: true,
  response: ApiKeyWithSecret,
  errors: ['user_not_found', 'key_not_found', 'too_many_keys'],

  async handle({ principal, params: { keyId }, body: { uid, overlapHours }, creationId }, services) {
    const { apiKeys, hashingSecret } = services;
    const { key, recipient } = await existingKey(principal, { uid, keyId }, services);
    if (!mayRotate(principal, recipient, key)) throw key.keyId === principal.keyId ? mayNotEnd() : mayNotGive();
    if (key.parentKeyId) throw invalidField('keyId', 'is a grant of an AI client, which renews its own tokens');
    const rotation = planRotation(key, overlapHours * 3_600_000);
    if (!rotation) throw keyIsOver();
    const derived = await derivedKey(hashingSecret, { operation: 'rotateKey', uid, by: principal.keyId, creationId });
    // A repeated request finds the former key ended, and the key that it has made.
    const made = await apiKeys.rotate(uid, keyId, rotation, derived);
    if (!made) throw keyIsOver();
    return { ...listedApiKey(made), secret: made.secret };
  },
});

export const handler = lambda(rotateKey);
