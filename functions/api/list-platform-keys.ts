import * as z from 'zod/mini';
import { listField } from '../domain/describe.ts';
import { Uid } from '../domain/identifiers.ts';
import { describedPage, paging, readPage } from '../domain/paging.ts';
import { ListedPlatformKey } from '../domain/platform-keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { platformKeys } from '../reconciliation/platform-keys.ts';

/** Lists the voice platforms whose list of calls the service can read, without the keys. */
export const listPlatformKeys = endpoint({
  name: 'listPlatformKeys',
  method: 'GET',
  path: '/platform-keys',
  summary: 'List the keys of voice platforms',
  description:
    'Returns the voice platforms that have a key, and when each key was set, last used and last refused. Keys are not returned.',
  caller: { kind: 'key', scope: 'agents', user: ({ query }) => query },
  services: { platformKeys: platformKeys.for('list') },
  query: z.object({ uid: Uid, ...paging }),
  response: describedPage('A page of keys.', {
    platformKeys: listField(ListedPlatformKey, 'The keys, sorted by platform.'),
  }),

  async handle({ query: { uid, limit, cursor } }, { platformKeys }) {
    const { items, ...next } = await readPage(({ after }) => platformKeys.list(uid, after), {
      collection: `platform-keys:${uid}`,
      limit,
      cursor,
      getPosition: ({ platform }) => platform,
    });
    return { platformKeys: items, ...next };
  },
});

export const handler = lambda(listPlatformKeys);
