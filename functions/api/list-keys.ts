import * as z from 'zod/mini';
import { listField } from '../domain/describe.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { ListedApiKey, listedApiKey, UidOfKey } from '../domain/listed-api-keys.ts';
import { describedPage, paging } from '../domain/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { apiKeys } from '../store/api-keys.ts';
import { users } from '../store/users.ts';
import { findRecipient } from '../users/recipient.ts';

/** Lists the API keys of a client, or of the key's own user. */
export const listKeys = endpoint({
  name: 'listKeys',
  method: 'GET',
  path: '/keys',
  summary: 'List API keys',
  description: `Returns the keys of a client (scope \`users\`) or of the user of the API key (scope \`keys\`), newest first, without their secrets. Keys that are over are included for ${formatLimit('endedKeyDays')} days.`,
  caller: { kind: 'key', scope: ['users', 'keys'], administersUsers: true },
  services: { apiKeys: apiKeys.for('page'), users: users.for('findClient') },
  query: z.object({ uid: UidOfKey, ...paging }),
  response: describedPage('A page of keys.', { keys: listField(ListedApiKey, 'The keys, newest first.') }),
  errors: ['user_not_found'],

  async handle({ principal, query: { uid, ...page } }, { apiKeys, users }) {
    await findRecipient(principal, uid, users);
    const { items, ...next } = await apiKeys.page(uid, page);
    // The operator's key is deleted when its command ends.
    const listed = items.filter(({ keyId }) => !(principal.isOperators && keyId === principal.keyId));
    return { keys: listed.map(listedApiKey), ...next };
  },
});

export const handler = lambda(listKeys);
