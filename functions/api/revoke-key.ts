import * as z from 'zod/mini';
import { confirmation, describedObject } from '../domain/describe.ts';
import { mayNotEnd, noSuchKey } from '../domain/errors.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { mayEnd } from '../domain/key-grants.ts';
import { KeyIdInPath, UidOfKey } from '../domain/listed-api-keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { apiKeys } from '../store/api-keys.ts';
import { users } from '../store/users.ts';
import { existingKey } from '../users/existing-key.ts';

/** Ends an API key at once. */
export const revokeKey = endpoint({
  name: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  summary: 'Revoke an API key',
  description: `Ends a key at once: the next request with it is refused. A key may end itself, unless its only scope is \`hooks\`: such a key may stand in addresses and logs. Another key needs the scope \`users\` for the key of a client, or \`keys\` for one of its own user that it might give. A revoked key is listed for ${formatLimit('endedKeyDays')} days.`,
  caller: { kind: 'key', administersUsers: true },
  services: { apiKeys: apiKeys.for('find', 'revoke'), users: users.for('findClient') },
  params: z.object({ keyId: KeyIdInPath }),
  query: z.object({ uid: UidOfKey }),
  response: describedObject('Confirmation that the key has ended.', {
    message: confirmation('API key revoked successfully'),
  }),
  errors: ['user_not_found', 'key_not_found'],

  async handle({ principal, params: { keyId }, query: { uid } }, services) {
    const { key, recipient } = await existingKey(principal, { uid, keyId }, services);
    if (!mayEnd(principal, recipient, key)) throw mayNotEnd();
    if (!(await services.apiKeys.revoke(uid, keyId))) throw noSuchKey();
    return { message: 'API key revoked successfully' };
  },
});

export const handler = lambda(revokeKey);
