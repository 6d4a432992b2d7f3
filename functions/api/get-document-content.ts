import * as z from 'zod/mini';
import { DocumentReference } from '../domain/documents.ts';
import { noSuchDocument } from '../domain/errors.ts';
import { describedPage, paging } from '../domain/paging.ts';
import { sourceTextFields } from '../domain/sources.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { documentReads } from '../store/sources/documents.ts';

/** Returns the whole text of a document, over one or more responses. */
export const getDocumentContent = endpoint({
  name: 'getDocumentContent',
  method: 'GET',
  path: '/agent-documents/content',
  memoryMegabytes: 1024,
  summary: 'Get the complete text of a document',
  description:
    'Returns the text, and the same text as Markdown. A text that is too large for one response comes in pages: join `content` of all pages, and `contentMD` of all pages, in their order. A document without text has empty fields.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  services: { documentReads: documentReads.for('readTexts') },
  query: z.object({ ...DocumentReference.shape, cursor: paging.cursor }),
  response: describedPage('A page of the text.', { ...sourceTextFields }),
  errors: ['document_not_found'],
  errorDescriptions: { 400: 'A parameter is invalid, or the text was replaced since the cursor was issued.' },

  async handle({ query: { agentId, documentId: id, cursor } }, { documentReads }) {
    const piece = await documentReads.readTexts({ agentId, id }, cursor);
    if (!piece) throw noSuchDocument();
    return piece;
  },
});

export const handler = lambda(getDocumentContent);
