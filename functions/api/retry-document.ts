import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { confirmation, describe, describedObject } from '../domain/describe.ts';
import { DocumentId, DocumentReference } from '../domain/documents.ts';
import { ApiError, noSuchDocument } from '../domain/errors.ts';
import { newUlid } from '../domain/identifiers.ts';
import { hasFailed, retryAttempt } from '../domain/source-state.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { documentReads, documents } from '../store/sources/documents.ts';

/** Starts the extraction of a failed document again. */
export const retryDocument = endpoint({
  name: 'retryDocument',
  method: 'POST',
  path: '/agent-documents/retry',
  summary: 'Retry a failed document',
  description:
    'Extracts the text of a document whose `status` is `failed` again, from the same file, in the background.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: {
    documents: documents.for('restart', 'fail'),
    documentReads: documentReads.for('find'),
    jobQueue: queueSender('extractDocument'),
  },
  body: DocumentReference,
  response: describedObject('Confirmation that the extraction was started.', {
    documentId: DocumentId,
    message: confirmation('Document will be tried again'),
    status: z.literal('pending').check(describe('The new status of the document.', 'pending')),
  }),
  errors: ['document_not_found', 'not_failed'],

  async handle({ agent, body: { uid, agentId, documentId } }, { documents, documentReads, jobQueue }) {
    const document = { agentId, id: documentId };
    const former = await documentReads.find(agentId, documentId);
    if (!former) throw noSuchDocument();
    const attempt = retryAttempt(former.attempt, newUlid());
    const begun = await documents.restart(document, { attempt, uid }, hasFailed);
    if (!begun) throw noSuchDocument();
    if (!begun.restarted) throw new ApiError('not_failed', 'Only a document that failed can be tried again.');
    try {
      await jobQueue.send({ job: 'extractDocument', uid: agent.uid, agentId, documentId, attempt });
    } catch (error) {
      await documents.fail(document, attempt, 'The document could not be tried again. Try once more.');
      throw error;
    }
    return { documentId, message: 'Document will be tried again', status: 'pending' as const };
  },
});

export const handler = lambda(retryDocument);
