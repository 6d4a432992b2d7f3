import * as z from 'zod/mini';
import { Scope } from '../domain/api-keys.ts';
import { Budget, showBudget } from '../domain/budgets.ts';
import { describedObject, listField, textField } from '../domain/describe.ts';
import { examples } from '../domain/examples.ts';
import { hasScope } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { users } from '../store/users.ts';

/** Returns the user, the name and the scopes of a key. The functions for AI clients and the build chat call it, because they read no table. */
export const getKey = endpoint({
  name: 'getKey',
  method: 'GET',
  path: '/key',
  summary: 'Get the API key of the request',
  description:
    'Returns the user that the API key of the request belongs to, with the name and the scopes of the key, and the name and the budget of the user, if it has them. It is a quick way to check a key.',
  caller: { kind: 'key' },
  services: { users: users.for('find') },
  response: describedObject('The user, the name and the scopes of the key.', {
    keyId: textField('Id of the key.', 'key_01KB3N0W7C5M9Y2D4S6V8X1Z3T'),
    uid: textField('The user that the key belongs to.', examples.uid),
    userName: z.optional(textField('The name of the user for people, if it has one.', 'Acme Inc.')),
    name: textField('What the key is for.', 'website'),
    scopes: listField(Scope, 'The permitted uses of the key.', ['agents', 'calls']),
    budget: z.optional(Budget),
  }),

  async handle({ principal }, { users }) {
    const { keyId, uid, name } = principal;
    const scopes = Scope.options.filter((scope) => hasScope(principal, scope));
    const user = await users.find(uid);
    return { keyId, uid, userName: user?.name, name, scopes, budget: user && showBudget(user) };
  },
});

export const handler = lambda(getKey);
