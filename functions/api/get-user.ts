import * as z from 'zod/mini';
import { noSuchUser } from '../domain/errors.ts';
import { ClientUidInPath, User } from '../domain/users.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { shownUser } from '../store/user-quotas.ts';
import { users } from '../store/users.ts';
import { chooseMaker } from '../users/chosen-maker.ts';

/** Returns a client of the key's user. */
export const getUser = endpoint({
  name: 'getUser',
  method: 'GET',
  path: '/users/{uid}',
  summary: 'Get a user',
  description: 'Returns a client with the quotas that hold and the number of its agents.',
  caller: { kind: 'key', scope: 'users', administersUsers: true },
  services: { users: users.for('findClient') },
  params: z.object({ uid: ClientUidInPath }),
  response: User,
  errors: ['user_not_found'],

  async handle({ principal, params: { uid } }, { users }) {
    const client = await users.findClient(chooseMaker(principal), uid);
    if (!client) throw noSuchUser();
    return shownUser(client);
  },
});

export const handler = lambda(getUser);
