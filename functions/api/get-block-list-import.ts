import * as z from 'zod/mini';
import { blockListImports, toImportResponse } from '../block-list-import/block-list-imports.ts';
import { BlockListImport, noSuchImport } from '../domain/block-list-imports.ts';
import { textField } from '../domain/describe.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { isIdentifier, Uid } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Returns the progress of an import, and its result once it has ended. */
export const getBlockListImport = endpoint({
  name: 'getBlockListImport',
  method: 'GET',
  path: '/block-list-imports/{importId}',
  summary: 'Get an import',
  description: `Returns the status of an import and its counts so far: \`lines\` is always the sum of \`added\`, \`alreadyBlocked\` and \`failed\`. Imports are kept for ${formatLimit('importDays')} days.`,
  caller: { kind: 'key', scope: 'block-list', user: ({ query }) => query },
  services: { imports: blockListImports.for('find') },
  params: z.object({ importId: textField('Id of the import.', 'import_01KB3P8V4N6T0R2X5Z7B9D1F3H') }),
  query: z.object({ uid: Uid }),
  response: BlockListImport,
  errors: ['import_not_found'],

  async handle({ params: { importId }, query: { uid } }, { imports }) {
    const record = isIdentifier(importId) ? await imports.find({ uid, importId }) : undefined;
    if (!record) throw noSuchImport();
    return toImportResponse(record);
  },
});

export const handler = lambda(getBlockListImport);
