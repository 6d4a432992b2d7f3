import * as z from 'zod/mini';
import { files } from '../clients/files.ts';
import { now } from '../domain/date-time.ts';
import { describe, describedObject, listField, textField } from '../domain/describe.ts';
import {
  DocumentId,
  newDocumentId,
  noFileTaken,
  RefusedFile,
  rejectionOfFile,
  uploadKey,
} from '../domain/documents.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { list } from '../domain/list.ts';
import { waitingForFile } from '../domain/source-state.ts';
import { withoutControlCharacters } from '../domain/text.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { documents } from '../store/sources/documents.ts';
import { findSourceQuota } from '../store/user-quotas.ts';
import { users } from '../store/users.ts';

const AnnouncedFile = z.object({
  name: z
    .pipe(z.string(), z.transform(withoutControlCharacters))
    .check(describe('Name of the file. Control characters are removed.', 'Handbook.pdf', { type: 'string' })),
  size: z.int().check(z.nonnegative(), describe('Size in bytes.', 7_340_032)),
  type: z.optional(
    textField('Media type, as a browser reports it. The content of the file determines its type.', 'application/pdf'),
  ),
});

const UploadForm = z.object({
  documentId: DocumentId,
  name: textField('Name of the file.', 'Handbook.pdf'),
  url: textField(`Address to send the form to, valid for ${formatLimit('linkSeconds')}.`, 'https://files.example.com/'),
  fields: z.record(z.string(), z.string()).check(
    describe('Fields of the form; send `file` after them.', {
      key: 'documents/agent_01KB3M5T3Q8RXN2M6J4HB7C0DE.doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0',
      policy: 'eyJleHBpcmF0aW9uIjoi…',
    }),
  ),
});

/** Creates presigned POST forms, one per file, for direct upload to S3. An upload starts the extraction. */
export const createDocumentUploads = endpoint({
  name: 'createDocumentUploads',
  method: 'POST',
  path: '/agent-documents/uploads',
  summary: 'Create presigned uploads for documents',
  description: `Creates a presigned POST form for each of up to ${limits.filesPerUpload} files of at most ${formatLimit('fileBytes')}. Send it as \`multipart/form-data\` to \`url\` within ${formatLimit('linkSeconds')}: all of \`fields\` first, then the file in the field \`file\`. The upload starts the extraction of the text. A form is for one file: a second one changes nothing. The document of a form that is not used is deleted after an hour.`,
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: { documents: documents.for('addAll'), files: files.for('uploadForm'), users: users.for('find') },
  body: z.object({
    uid: Uid,
    agentId: AgentId,
    files: list(AnnouncedFile, {
      min: 1,
      max: limits.filesPerUpload,
      items: 'files',
      code: 'too_many_files',
    }).check(z.describe('The files to upload.')),
  }),
  response: describedObject('A form for each accepted file.', {
    uploads: listField(UploadForm, 'The forms, in the order of the accepted files.'),
    failed: listField(RefusedFile, 'The files that are not accepted, with the reason.'),
  }),
  errors: ['too_many_files', 'file_too_large', 'unsupported_file_type', 'empty_file', 'quota_exceeded'],
  errorDescriptions: { 400: 'The body is invalid, or none of its files is accepted.' },

  async handle({ principal, agent, body: { uid, agentId, files: announced }, creationId }, services) {
    const { documents, files, users } = services;
    const changed = { lastUpdatedBy: uid, lastUpdatedAt: now() };
    const outcomes = announced.map(({ name, size, type }, index) => {
      const id = newDocumentId(creationId, index);
      return (
        rejectionOfFile({ name, size, type }) ?? {
          agentId,
          id,
          ...changed,
          name,
          size,
          active: true,
          ...waitingForFile(),
          formIssuedTo: { uid, keyId: principal.keyId },
        }
      );
    });
    const accepted = outcomes.filter((outcome) => 'id' in outcome);
    const failed = outcomes.filter((outcome) => 'code' in outcome);
    if (accepted.length === 0) throw noFileTaken(failed);
    await documents.addAll(accepted, await findSourceQuota(agent, principal, users));
    const uploads = accepted.map((document) => ({
      documentId: document.id,
      name: document.name,
      ...files.uploadForm(uploadKey(document), document.size),
    }));
    return { uploads, failed };
  },
});

export const handler = lambda(createDocumentUploads);
