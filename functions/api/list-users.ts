import * as z from 'zod/mini';
import { listField } from '../domain/describe.ts';
import { describedPage, paging, readPage } from '../domain/paging.ts';
import { User } from '../domain/users.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { shownUser } from '../store/user-quotas.ts';
import { users } from '../store/users.ts';

/** Lists the clients of the key's user. */
export const listUsers = endpoint({
  name: 'listUsers',
  method: 'GET',
  path: '/users',
  summary: 'List users',
  description: 'Returns the clients of the user of the API key, sorted by `uid`.',
  caller: { kind: 'key', scope: 'users', administersUsers: true },
  services: { users: users.for('clients') },
  query: z.object(paging),
  response: describedPage('A page of clients.', { users: listField(User, 'The clients, sorted by `uid`.') }),

  async handle({ principal, query: { limit, cursor } }, { users }) {
    const collection = `users:${principal.uid}`;
    const page = { collection, limit, cursor, getPosition: ({ uid }: { uid: string }) => uid };
    const { items, ...next } = await readPage((options) => users.clients(principal.uid, options), page);
    return { users: items.map(shownUser), ...next };
  },
});

export const handler = lambda(listUsers);
