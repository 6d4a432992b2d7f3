import { files } from '../clients/files.ts';
import { queueSender } from '../clients/job-queue.ts';
import { deletionResponse } from '../domain/describe.ts';
import { DocumentReference, fileKey } from '../domain/documents.ts';
import { noSuchDocument } from '../domain/errors.ts';
import { rescueDelaySeconds } from '../domain/timeouts.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { documents } from '../store/sources/documents.ts';

/** Deletes a document in any state, with its file and its text. An extraction in progress stores nothing. */
export const deleteDocument = endpoint({
  name: 'deleteDocument',
  method: 'DELETE',
  path: '/agent-documents',
  summary: 'Delete a document',
  description:
    'Deletes a document in any status. Its file and its text are deleted before the response; an extraction in progress stores nothing.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  services: {
    documents: documents.for('remove'),
    files: files.for('delete'),
    jobQueue: queueSender('extractDocument'),
  },
  query: DocumentReference,
  response: deletionResponse('the document', 'Document deleted successfully'),
  errors: ['document_not_found'],

  async handle({ agent: { uid }, query: { agentId, documentId: id } }, { documents, files, jobQueue }) {
    // Completes the deletion if this function dies.
    const message = { job: 'extractDocument', uid, agentId, documentId: id, attempt: 'deletion' } as const;
    await jobQueue.send(message, rescueDelaySeconds);
    const deleted = await documents.remove({ agentId, id }, (record) => files.delete(fileKey(record)));
    if (!deleted) throw noSuchDocument();
    return { message: 'Document deleted successfully' };
  },
});

export const handler = lambda(deleteDocument);
