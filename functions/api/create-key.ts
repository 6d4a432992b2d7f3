import { hashingSecret } from '../clients/secrets.ts';
import { mayNotGive } from '../domain/errors.ts';
import { grantKey } from '../domain/key-grants.ts';
import { ApiKeyWithSecret, listedApiKey, NewApiKey } from '../domain/listed-api-keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { apiKeys } from '../store/api-keys.ts';
import { users } from '../store/users.ts';
import { derivedKey } from '../users/derived-key.ts';
import { findRecipient } from '../users/recipient.ts';

/** Makes an API key of a client, or of the key's own user. Only this response contains its secret. */
export const createKey = endpoint({
  name: 'createKey',
  method: 'POST',
  path: '/keys',
  summary: 'Make an API key',
  description:
    'With the scope `users`, makes a key of a client, with any scopes but `users`. With the scope `keys`, makes a key of the user of the API key, with at most the scopes of that key, never `privacy`, `users` or `keys`, and valid for no longer. The response contains the `secret`; it is not shown again, except to a request that the same API key repeats with its `Idempotency-Key`.',
  caller: { kind: 'key', scope: ['users', 'keys'], administersUsers: true },
  services: { apiKeys: apiKeys.for('create'), users: users.for('findClient'), hashingSecret },
  body: NewApiKey,
  confidential: true,
  response: ApiKeyWithSecret,
  errors: ['user_not_found', 'too_many_keys'],

  async handle({ principal, body: { uid, name, ...asked }, creationId }, { apiKeys, users, hashingSecret }) {
    const recipient = await findRecipient(principal, uid, users);
    const granted = grantKey(principal, recipient, asked);
    if (!granted) throw mayNotGive();
    const derived = await derivedKey(hashingSecret, { operation: 'createKey', uid, by: principal.keyId, creationId });
    const made = await apiKeys.create(uid, { name, ...granted }, derived);
    return { ...listedApiKey(made), secret: made.secret };
  },
});

export const handler = lambda(createKey);
