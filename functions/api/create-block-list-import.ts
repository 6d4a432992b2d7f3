import * as z from 'zod/mini';
import { blockListImports } from '../block-list-import/block-list-imports.ts';
import { importFiles } from '../clients/files.ts';
import { blockTerms } from '../domain/block-list.ts';
import {
  ImportColumns,
  ImportCountry,
  ImportId,
  ImportMode,
  importFileKey,
  importInProgress,
} from '../domain/block-list-imports.ts';
import { toNamedKey } from '../domain/change-maker.ts';
import { describe, describedObject, textField } from '../domain/describe.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { AgentId, newIdentifier, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { listOwner } from '../store/keys.ts';

/** Creates a presigned POST form for a file of numbers. Its upload to S3 starts the import. */
export const createBlockListImport = endpoint({
  name: 'createBlockListImport',
  method: 'POST',
  path: '/block-list-imports',
  summary: 'Import a file into a block list',
  description: `Creates a presigned POST form for one file of at most ${formatLimit('importBytes')}, to be imported into the block list of an agent, or of the user without \`agentId\`. Send it as \`multipart/form-data\` to \`url\` within ${formatLimit('linkSeconds')}: all of \`fields\` first, then the file in the field \`file\`. The upload starts the import; \`GET /block-list-imports/{importId}\` reports its progress. The file is text in UTF-8 or UTF-16 with one number per line, or CSV with a header that names \`number\` and optionally \`reason\` and \`expiresAt\`; a file with another column is not imported, unless \`columns\` names those to read. National numbers are read where \`country\` says whose they are. \`reason\` and \`expiresAt\` are for the rows that have none. One import of a list runs at a time; files uploaded meanwhile are imported one after the other. The file is deleted when its import ends. The import of a form that is not used fails after an hour.`,
  caller: { kind: 'key', scope: 'block-list', user: ({ body: { uid, agentId } }) => ({ uid, agentId }) },
  services: { imports: blockListImports.for('isRunning', 'add'), files: importFiles.for('uploadForm') },
  body: z.object({
    uid: Uid,
    agentId: z.optional(AgentId),
    mode: z._default(ImportMode, 'add'),
    ...blockTerms,
    columns: z.optional(ImportColumns),
    country: z.optional(ImportCountry),
    size: z.int().check(
      z.minimum(1),
      z.refine((size) => size <= limits.importBytes, {
        error: `must be at most ${limits.importBytes} bytes`,
        params: { code: 'file_too_large' },
      }),
      describe('Size of the file in bytes.', 13_000_000, { maximum: limits.importBytes }),
    ),
  }),
  response: describedObject('The form for the file.', {
    importId: ImportId,
    status: z.literal('awaiting_upload').check(describe('The import waits for its file.', 'awaiting_upload')),
    url: textField(
      `Address to send the form to, valid for ${formatLimit('linkSeconds')}.`,
      'https://files.example.com/',
    ),
    fields: z.record(z.string(), z.string()).check(
      describe('Fields of the form; send `file` after them.', {
        key: 'block-list-imports/demo-user.import_01KB3P8V4N6T0R2X5Z7B9D1F3H',
        policy: 'eyJleHBpcmF0aW9uIjoi…',
      }),
    ),
  }),
  errors: ['file_too_large', 'import_in_progress'],
  errorDescriptions: { 409: 'Another import of the same block list is running.' },

  async handle(
    { principal, body: { uid, agentId, mode, reason, expiresAt, columns, country, size }, creationId },
    { imports, files },
  ) {
    const list = { uid, ...(agentId !== undefined && { agentId }) };
    if (await imports.isRunning(listOwner(list))) throw importInProgress();
    const importId = newIdentifier('import', creationId);
    const terms = { reason, expiresAt, columns, country };
    await imports.add({ ...list, importId, ...toNamedKey(principal), mode, ...terms, announcedBytes: size });
    const form = files.uploadForm(importFileKey({ uid, importId }), size);
    return { importId, status: 'awaiting_upload' as const, ...form };
  },
});

export const handler = lambda(createBlockListImport);
