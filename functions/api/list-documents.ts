import pMap from 'p-map';
import * as z from 'zod/mini';
import { documented } from '../domain/documented.ts';
import { Document, downloadOf } from '../domain/documents.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { jsonBytes } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { fillPage, fromCursor, nextPage, paging } from '../domain/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { files } from '../outside/files.ts';
import { type DocumentRecord, documents } from '../store/documents.ts';

/** What a download link and the fields of an answer add to a record. */
const linkBytes = 1200;

/** Lists the documents of an agent's knowledge base, with their texts unless they are not wanted. */
export const listDocuments = endpoint({
  name: 'listDocuments',
  method: 'GET',
  path: '/agent-documents',
  summary: 'List an agent’s documents',
  description: `By the time they were added. Of each text at most ${limits.listedTextCharacters.toLocaleString('en')} characters are listed (\`truncated\` says so), and with the texts at most ${limits.pageSourcesWithText} documents a page; \`content=false\` makes a short list of them all.`,
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  may: ['dynamodb:BatchGetItem', 'dynamodb:Query', 's3:GetObject'],
  uses: { documents, files },
  query: z
    .object({
      uid: Uid,
      agentId: AgentId,
      content: z.optional(
        z.enum(['true', 'false']).check(documented('`false` leaves `content` and `contentMD` out.', 'false')),
      ),
      ...paging,
    })
    .check(
      z.refine(({ content, limit }) => content === 'false' || (limit ?? 1) <= limits.pageSourcesWithText, {
        error: `must be at most ${limits.pageSourcesWithText} when the texts are listed too`,
        path: ['limit'],
      }),
    ),
  response: z.object({ documents: z.array(Document).check(z.describe('The documents, oldest first.')), ...nextPage }),
  errors: { 400: 'A parameter is invalid.', 401: 'The key is unknown, or its user may not use this agent.' },

  async handle({ query: { agentId, content, limit, cursor } }, { documents, files }) {
    const collection = `documents:${agentId}`;
    const after = fromCursor(collection, cursor);
    const withTexts = content !== 'false';
    const { items, ...next } = await fillPage(documents.list(agentId, { after, limit: limit && limit + 1 }), {
      collection,
      limit,
      positionOf: ({ id }: DocumentRecord) => id,
      weigh: (record) =>
        jsonBytes(record.name) * 3 +
        linkBytes +
        (withTexts && record.text ? record.text.content.listedBytes + record.text.contentMD.listedBytes : 0),
    });
    const listed = withTexts ? await documents.withTexts(items) : items;
    const answered = await pMap(listed, async (record) => {
      const download = downloadOf(record);
      return { ...record, ...(download && { fileUrl: await files.downloadUrl(download) }) };
    });
    return { documents: answered, ...next };
  },
});

export const handler = lambda(listDocuments);
