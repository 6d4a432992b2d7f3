import * as z from 'zod/mini';
import { files } from '../clients/files.ts';
import { DocumentReference, DocumentSummary, fileFields } from '../domain/documents.ts';
import { noSuchDocument } from '../domain/errors.ts';
import { SourceChange } from '../domain/sources.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { documents } from '../store/sources/documents.ts';

/** Enables, disables or renames a document. */
export const updateDocument = endpoint({
  name: 'updateDocument',
  method: 'PATCH',
  path: '/agent-documents',
  summary: 'Enable, disable or rename a document',
  description: 'Updates the fields that are sent. An agent does not use a document whose `active` is false.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: { documents: documents.for('edit'), files: files.for('downloadUrl') },
  body: z.object({ ...DocumentReference.shape, ...SourceChange.shape }),
  response: DocumentSummary,
  errors: ['document_not_found'],

  async handle({ body: { uid, agentId, documentId: id, ...change } }, { documents, files }) {
    const record = await documents.edit({ agentId, id }, change, uid);
    if (!record) throw noSuchDocument();
    return { ...record, ...fileFields(record, (download) => files.downloadUrl(download)) };
  },
});

export const handler = lambda(updateDocument);
