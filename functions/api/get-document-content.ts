import * as z from 'zod/mini';
import { DocumentReference } from '../domain/documents.ts';
import { invalidField, noSuchDocument } from '../domain/errors.ts';
import { fromCursor, nextPage, paging, toCursor } from '../domain/paging.ts';
import { sourceTextFields } from '../domain/sources.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { documents } from '../store/documents.ts';

/** Gives the whole text of a document, in pieces where one answer cannot carry it. */
export const getDocumentContent = endpoint({
  name: 'getDocumentContent',
  method: 'GET',
  path: '/agent-documents/content',
  summary: 'Get the whole text of a document',
  description:
    'The text, and the same as Markdown. What one answer cannot carry comes in pieces, to be joined in their order: the text first, the Markdown after it. A document without a text has empty ones.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  may: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  uses: { documents },
  query: z.object({ ...DocumentReference.shape, cursor: paging.cursor }),
  response: z.object({ ...sourceTextFields, ...nextPage }),
  errors: {
    400: 'A parameter is invalid.',
    401: 'The key is unknown, or its user may not use this agent.',
    404: 'There is no such document.',
  },

  refusals: ['document_not_found'],

  async handle({ query: { agentId, documentId, cursor } }, { documents }) {
    const collection = `document-content:${documentId}`;
    const [revision = '', piece] = fromCursor(collection, cursor)?.split(':') ?? [];
    const position = piece === undefined ? undefined : { revision, piece: Number(piece) };
    for (let attempt = 0; ; attempt++) {
      const record = await documents.find(agentId, documentId);
      if (!record) throw noSuchDocument();
      const read = await documents.readText(record, position);
      if (read !== 'gone') {
        const { next, ...text } = read;
        return { ...text, ...(next && { nextCursor: toCursor(collection, `${next.revision}:${next.piece}`) }) };
      }
      // The text was replaced while it was read.
      if (position) throw invalidField('cursor', 'is of a text that was replaced; begin again without it');
      if (attempt === 5) throw new Error('The text of a document kept changing while it was read.');
    }
  },
});

export const handler = lambda(getDocumentContent);
