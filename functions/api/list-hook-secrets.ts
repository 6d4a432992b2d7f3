import * as z from 'zod/mini';
import { listField } from '../domain/describe.ts';
import { ListedHookSecret } from '../domain/hook-secrets.ts';
import { Uid } from '../domain/identifiers.ts';
import { describedPage, paging, readPage } from '../domain/paging.ts';
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
  response: describedPage('A page of secrets.', {
    hookSecrets: listField(ListedHookSecret, 'The secrets, sorted by platform.'),
  }),

  async handle({ query: { uid, limit, cursor } }, { hookSecrets }) {
    const { items, ...next } = await readPage(({ after }) => hookSecrets.list(uid, after), {
      collection: `hook-secrets:${uid}`,
      limit,
      cursor,
      getPosition: ({ platform }) => platform,
    });
    return { hookSecrets: items, ...next };
  },
});

export const handler = lambda(listHookSecrets);
