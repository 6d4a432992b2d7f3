import * as z from 'zod/mini';
import { files } from '../clients/files.ts';
import { now } from '../domain/date-time.ts';
import { confirmation, describe, describedObject } from '../domain/describe.ts';
import { DocumentId, fileKey, guessTextType, newDocumentId } from '../domain/documents.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { waitingForFile } from '../domain/source-state.ts';
import { SourceName } from '../domain/sources.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { documents } from '../store/sources/documents.ts';
import { findSourceQuota } from '../store/user-quotas.ts';
import { users } from '../store/users.ts';

/** Adds a text to an agent's knowledge as a document, for callers that cannot send a file, such as AI clients. */
export const addDocumentText = endpoint({
  name: 'addDocumentText',
  method: 'POST',
  path: '/agent-documents/text',
  summary: 'Add a text as a document',
  description: `Adds a text of up to ${formatLimit('documentTextBytes')} to the knowledge of an agent, as a document with this name. A name that ends in \`.md\` makes it Markdown. The text is indexed in the background; \`status\` of the document reports the progress.`,
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: {
    documents: documents.for('add', 'receive', 'remove'),
    files: files.for('put'),
    users: users.for('find'),
  },
  body: z.object({
    uid: Uid,
    agentId: AgentId,
    name: SourceName,
    content: z.string().check(
      z.refine((text) => text.trim() !== '', { error: 'must not be empty' }),
      z.refine((text) => Buffer.byteLength(text) <= limits.documentTextBytes, {
        error: `must have at most ${formatLimit('documentTextBytes')}`,
      }),
      z.refine((text) => text.isWellFormed(), { error: 'holds half of a surrogate pair' }),
      describe('The text, or Markdown.', '# Opening hours\n\nWe are open from nine to five.'),
    ),
  }),
  response: describedObject('The new document.', {
    documentId: DocumentId,
    name: SourceName,
    message: confirmation('Document added successfully'),
    status: z.literal('pending').check(describe('The text is indexed in the background.', 'pending')),
  }),
  errors: ['quota_exceeded'],

  async handle({ principal, agent, body: { uid, agentId, name, content }, creationId }, { documents, files, users }) {
    const bytes = Buffer.from(content);
    const id = newDocumentId(creationId, 0);
    const changed = { lastUpdatedBy: uid, lastUpdatedAt: now() };
    const type = guessTextType(name);
    const document = { agentId, id, ...changed, name, type, size: bytes.length, active: true, ...waitingForFile() };
    await documents.add(document, await findSourceQuota(agent, principal, users));
    try {
      // The bucket's notification of the file starts the extraction, even if it comes late.
      const { etag } = await files.put(fileKey(document), bytes);
      await documents.receive(document, etag);
    } catch (error) {
      await documents.remove(document);
      throw error;
    }
    return { documentId: id, name, message: 'Document added successfully', status: 'pending' as const };
  },
});

export const handler = lambda(addDocumentText);
