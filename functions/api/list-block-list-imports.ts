import * as z from 'zod/mini';
import { blockListImports, toImportSummary } from '../block-list-import/block-list-imports.ts';
import { BlockListImportSummary } from '../domain/block-list-imports.ts';
import { Uid } from '../domain/identifiers.ts';
import { nextPage, paging } from '../domain/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Lists the imports of a user, newest first. */
export const listBlockListImports = endpoint({
  name: 'listBlockListImports',
  method: 'GET',
  path: '/block-list-imports',
  summary: 'List imports',
  description:
    'Returns the imports of the last 30 days, newest first, with their counts. `GET /block-list-imports/{importId}` has the lines that failed.',
  caller: { kind: 'key', scope: 'block-list', user: ({ query }) => query },
  services: { imports: blockListImports.for('page') },
  query: z.object({ uid: Uid, ...paging }),
  response: z
    .object({
      imports: z.array(BlockListImportSummary).check(z.describe('The imports, newest first.')),
      ...nextPage,
    })
    .check(z.describe('A page of imports.')),

  async handle({ query: { uid, ...query } }, { imports }) {
    const { items, ...next } = await imports.page(uid, query);
    return { imports: items.map(toImportSummary), ...next };
  },
});

export const handler = lambda(listBlockListImports);
