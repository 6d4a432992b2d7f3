import * as z from 'zod/mini';
import { blockListImports, toImportSummary } from '../block-list-import/block-list-imports.ts';
import { BlockListImportSummary } from '../domain/block-list-imports.ts';
import { listField } from '../domain/describe.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { Uid } from '../domain/identifiers.ts';
import { describedPage, paging } from '../domain/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Lists the imports of a user, newest first. */
export const listBlockListImports = endpoint({
  name: 'listBlockListImports',
  method: 'GET',
  path: '/block-list-imports',
  summary: 'List imports',
  description: `Returns the imports of the last ${formatLimit('importDays')} days, newest first, with their counts. \`GET /block-list-imports/{importId}\` has the lines that failed.`,
  caller: { kind: 'key', scope: 'block-list', user: ({ query }) => query },
  services: { imports: blockListImports.for('page') },
  query: z.object({ uid: Uid, ...paging }),
  response: describedPage('A page of imports.', {
    imports: listField(BlockListImportSummary, 'The imports, newest first.'),
  }),

  async handle({ query: { uid, ...query } }, { imports }) {
    const { items, ...next } = await imports.page(uid, query);
    return { imports: items.map(toImportSummary), ...next };
  },
});

export const handler = lambda(listBlockListImports);
