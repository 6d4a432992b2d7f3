import { Scope } from '../domain/api-keys.ts';
import { describedObject, listField, textField } from '../domain/describe.ts';
import { examples } from '../domain/examples.ts';
import { hasScope } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Returns the user, the name and the scopes of a key. The functions for AI clients and the build chat call it, because they read no table. */
export const getKey = endpoint({
  name: 'getKey',
  method: 'GET',
  path: '/key',
  summary: 'Get the API key of the request',
  description:
    'Returns the user that the API key of the request belongs to, with the name and the scopes of the key. It is a quick way to check a key.',
  caller: { kind: 'key' },
  response: describedObject('The user, the name and the scopes of the key.', {
    keyId: textField('Id of the key.', 'key_01KB3N0W7C5M9Y2D4S6V8X1Z3T'),
    uid: textField('The user that the key belongs to.', examples.uid),
    name: textField('What the key is for.', 'website'),
    scopes: listField(Scope, 'The permitted uses of the key.', ['agents', 'calls']),
  }),

  async handle({ principal }) {
    const { keyId, uid, name } = principal;
    return { keyId, uid, name, scopes: Scope.options.filter((scope) => hasScope(principal, scope)) };
  },
});

export const handler = lambda(getKey);
