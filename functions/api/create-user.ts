import { newIdentifier } from '../domain/identifiers.ts';
import { NewUser, User } from '../domain/users.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { checkQuotas, quotaMarks, shownUser } from '../store/user-quotas.ts';
import { users } from '../store/users.ts';

/** Creates a client of the key's user. */
export const createUser = endpoint({
  name: 'createUser',
  method: 'POST',
  path: '/users',
  summary: 'Create a user',
  description:
    'Creates a client: a user that the user of the API key administers. The same `uid` again changes nothing and returns the client as it is. A client has no API key until one is made with `POST /keys`.',
  caller: { kind: 'key', scope: 'users', administersUsers: true },
  services: { users: users.for('createClient') },
  body: NewUser,
  response: User,
  errors: ['uid_taken', 'quota_exceeded'],

  async handle({ principal, body: { uid, name, quotas, budget }, creationId }, { users }) {
    checkQuotas(quotas);
    const client = { uid: uid ?? newIdentifier('user', creationId), name, budget, ...quotaMarks(quotas) };
    return shownUser(await users.createClient(principal.uid, client));
  },
});

export const handler = lambda(createUser);
