import pMap from 'p-map';
import * as z from 'zod/mini';
import { files } from '../clients/files.ts';
import { now } from '../domain/date-time.ts';
import { confirmation, describedObject, listField, textField } from '../domain/describe.ts';
import {
  DocumentId,
  fileKey,
  newDocumentId,
  noFileTaken,
  RefusedFile,
  rejectFile,
  rejectionOfFile,
} from '../domain/documents.ts';
import { examples } from '../domain/examples.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { formatWhole } from '../domain/format-whole.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { waitingForFile } from '../domain/source-state.ts';
import { FormFile, type UploadedFile } from '../domain/uploaded-file.ts';
import { detectKind } from '../extraction/document-kind.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { multipartForm } from '../http/multipart-form.ts';
import { log } from '../log.ts';
import { type DocumentRecord, documents } from '../store/sources/documents.ts';
import { findSourceQuota } from '../store/user-quotas.ts';
import { users } from '../store/users.ts';

/** Adds files to an agent's knowledge. An invalid file does not fail the others. The texts are extracted in the background. */
export const uploadDocuments = endpoint({
  name: 'uploadDocuments',
  method: 'POST',
  path: '/agent-documents',
  summary: 'Upload documents',
  description: `Uploads up to ${limits.filesPerUpload} files of at most ${formatLimit('fileBytes')} each: PDF, Word (.docx), text or Markdown. The content of a file determines its type, not its name. One request carries at most ${formatWhole(limits.uploadBodyBytes)} bytes; use presigned uploads (\`POST /agent-documents/uploads\`) for more. Files are processed independently: one that is not accepted is in \`failed\`. The text is extracted in the background; \`status\` of the document reports the progress.`,
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: {
    documents: documents.for('addAll', 'receive', 'remove'),
    files: files.for('put'),
    users: users.for('find'),
  },
  raw: {
    multipart: multipartForm(['files', 'files[]', 'file'], {
      maxFiles: limits.filesPerUpload,
      fileBytes: limits.fileBytes,
      bodyBytes: limits.uploadBodyBytes,
      tooLarge: `An upload is at most ${formatWhole(limits.uploadBodyBytes)} bytes in all. Use POST /agent-documents/uploads for larger files.`,
    }),
  },
  body: z.object({
    uid: Uid,
    agentId: AgentId,
    files: z.array(FormFile).check(
      // With this bound in the document, a client generated in Go does not compile.
      z.refine((files) => files.length > 0, { error: 'must have at least 1 file' }),
      z.describe('The files; they may also come in fields named `files[]` or `file`.'),
    ),
  }),
  response: describedObject('The result of each file.', {
    documentIds: listField(z.string(), 'Ids of the new documents, in the order of the accepted files.', [
      examples.documentId,
    ]),
    message: confirmation('Files uploaded successfully'),
    documents: listField(
      z.object({ documentId: DocumentId, name: textField('Name of the file.', 'Price list.pdf') }),
      'The new documents with the names of their files.',
    ),
    failed: listField(RefusedFile, 'The files that were not accepted, with the reason.'),
  }),
  errors: ['too_many_files', 'file_too_large', 'unsupported_file_type', 'empty_file', 'quota_exceeded'],
  errorDescriptions: {
    400: 'The form is invalid, or none of its files is accepted.',
    413: 'The files are too large for one request. Use presigned uploads.',
  },

  async handle(request, { documents, files, users }) {
    const { principal, agent, creationId, requestId } = request;
    const { uid, agentId, files: sent } = request.body;
    const changed = { lastUpdatedBy: uid, lastUpdatedAt: now() };
    const check = async (file: UploadedFile, index: number): Promise<AcceptedFile | RefusedFile> => {
      const { name, size, bytes } = file;
      const rejected = rejectionOfFile(file);
      if (rejected) return rejected;
      const kind = await detectKind(bytes, name);
      if ('unsupported' in kind) return rejectFile(name, 'unsupported_file_type', kind.unsupported);
      const id = newDocumentId(creationId, index);
      const { type } = kind;
      return { bytes, document: { agentId, id, ...changed, name, size, type, active: true, ...waitingForFile() } };
    };
    const store = async (outcome: AcceptedFile | RefusedFile): Promise<Taken | RefusedFile> => {
      if ('code' in outcome) return outcome;
      const { document, bytes } = outcome;
      const { id: documentId, name } = document;
      try {
        // The bucket's notification of the file starts the extraction, even if it comes late.
        const { etag } = await files.put(fileKey(document), bytes);
        await documents.receive(document, etag);
      } catch (error) {
        log('error', { requestId, operation: 'uploadDocuments', documentId, cause: (error as Error).message });
        await documents.remove(document);
        return rejectFile(name, 'internal_error');
      }
      return { documentId, name };
    };
    const checked = await pMap(sent, check, { concurrency: 5 });
    const accepted = checked.flatMap((outcome) => ('document' in outcome ? [outcome.document] : []));
    await documents.addAll(accepted, await findSourceQuota(agent, principal, users));
    const outcomes = await pMap(checked, store, { concurrency: 5 });
    const taken = outcomes.filter((outcome) => 'documentId' in outcome);
    const failed = outcomes.filter((outcome) => 'code' in outcome);
    if (taken.length === 0) throw noFileTaken(failed);
    return {
      documentIds: taken.map(({ documentId }) => documentId),
      message: 'Files uploaded successfully',
      documents: taken,
      failed,
    };
  },
});

type AcceptedFile = { document: DocumentRecord; bytes: Uint8Array };
type Taken = { documentId: string; name: string };

export const handler = lambda(uploadDocuments);
