import pMap from 'p-map';
import * as z from 'zod/mini';
import { now } from '../domain/date-time.ts';
import {
  fileKeyOf,
  isDeclaredType,
  newDocumentId,
  noFileTaken,
  RefusedFile,
  refusalOfFile,
  refuseFile,
} from '../domain/documents.ts';
import { Identifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { files } from '../outside/files.ts';
import { documents, waitSeconds } from '../store/documents.ts';

const AnnouncedFile = z.object({
  name: z.string(),
  size: z.int().check(z.nonnegative(), z.describe('Bytes.')),
  type: z.optional(
    z.string().check(z.describe('What it is said to be; what counts is its content, when it is there.')),
  ),
});

/** Gives out forms by which files go straight to storage, one file each. The upload itself starts the extraction. */
export const createDocumentUploads = endpoint({
  name: 'createDocumentUploads',
  method: 'POST',
  path: '/agent-documents/uploads',
  summary: 'Get forms to upload larger documents',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  may: ['dynamodb:PutItem', 's3:PutObject'],
  uses: { documents, files },
  body: z.object({
    uid: Identifier,
    agentId: Identifier,
    files: z.array(AnnouncedFile).check(
      z.minLength(1, { error: 'must have at least 1 file' }),
      z.refine((list) => list.length <= limits.filesPerUpload, {
        error: `must have at most ${limits.filesPerUpload} files`,
        params: { code: 'too_many_files' },
      }),
    ),
  }),
  idempotent: true,
  response: z.object({
    uploads: z.array(
      z.object({
        documentId: z.string(),
        name: z.string(),
        url: z.string().check(z.describe('Where to POST the form, within 15 minutes.')),
        fields: z.record(z.string(), z.string()).check(z.describe('Its fields; the field `file` comes after them.')),
      }),
    ),
    failed: z.array(RefusedFile),
  }),
  errors: {
    400: 'The body is invalid, or none of its files is taken.',
    401: 'The key is unknown, or its user may not use this agent.',
  },

  async handle({ body: { uid, agentId, files: announced }, creationId }, { documents, files }) {
    const failed: RefusedFile[] = [];
    const uploads = await pMap(announced.entries(), async ([index, { name, size, type }]) => {
      const refusal =
        refusalOfFile({ name, size }) ?? (isDeclaredType(type) ? undefined : refuseFile(name, 'unsupported_file_type'));
      if (refusal) {
        failed.push(refusal);
        return [];
      }
      const document = { agentId, id: newDocumentId(creationId, index) };
      const ttlSeconds = Math.floor(Date.now() / 1000) + waitSeconds;
      const changed = { lastUpdatedBy: uid, lastUpdatedAt: now() };
      await documents.add({ ...document, ...changed, name, size, active: true, status: 'pending', ttlSeconds });
      const form = files.uploadForm(fileKeyOf(document), limits.fileBytes);
      return [{ documentId: document.id, name, ...form }];
    });
    if (failed.length === announced.length) throw noFileTaken(failed);
    return { uploads: uploads.flat(), failed };
  },
});

export const handler = lambda(createDocumentUploads);
