import * as z from 'zod/mini';
import { ListedHookSecret } from '../domain/hook-secrets.ts';
import { Uid } from '../domain/identifiers.ts';
import { fillPage, fromCursor, nextPage, paging } from '../domain/paging.ts';
import { hookSecrets } from '../hooks/secrets/hook-secrets.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Lists the voice platforms whose webhooks are recognized by a secret, without the secrets. */
export const listHookSecrets = endpoint({
  name: 'listHookSecrets',
  method: 'GET',
  path: '/hook-secrets',
  summary: 'List the secrets of voice platforms',
  description:
    'Returns the voice platforms that have a secret, with when it was set and last used, and why the last request was refused. Secrets are not shown.',
  caller: { kind: 'key', scope: 'hooks', user: ({ query }) => query },
  services: { hookSecrets: hookSecrets.for('list') },
  query: z.object({ uid: Uid, ...paging }),
  response: z
    .object({
      hookSecrets: z.array(ListedHookSecret).check(z.describe('The secrets, sorted by platform.')),
      ...nextPage,
    })
    .check(z.describe('A page of secrets.')),

  async handle({ query: { uid, limit, cursor } }, { hookSecrets }) {
    const collection = `hook-secrets:${uid}`;
    const after = fromCursor(collection, cursor);
    const { items, ...next } = await fillPage(hookSecrets.list(uid, after), {
      collection,
      limit,
      getPosition: ({ platform }) => platform,
    });
    return { hookSecrets: items, ...next };
  },
});

export const handler = lambda(listHookSecrets);
