import { files } from '../clients/files.ts';
import { listField } from '../domain/describe.ts';
import { Document, type Download, fileFields } from '../domain/documents.ts';
import { formatWhole } from '../domain/format-whole.ts';
import { limits } from '../domain/limits.ts';
import { describedPage } from '../domain/paging.ts';
import { SourceListQuery } from '../domain/sources.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { documentReads } from '../store/sources/documents.ts';

/** Lists the documents of an agent, with their texts by default. */
export const listDocuments = endpoint({
  name: 'listDocuments',
  method: 'GET',
  path: '/agent-documents',
  memoryMegabytes: 1024,
  summary: 'List the documents of an agent',
  description: `Returns the documents in the order in which they were added. A list has at most ${formatWhole(limits.listedTextCharacters)} characters of each text (\`truncated\` is then true) and at most ${limits.pageSourcesWithText} documents with texts per page. \`content=false\` omits the texts.`,
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  services: { documentReads: documentReads.for('page'), files: files.for('downloadUrl') },
  query: SourceListQuery,
  response: describedPage('A page of documents.', { documents: listField(Document, 'The documents, oldest first.') }),

  async handle({ query: { agentId, content, limit, cursor } }, { documentReads, files }) {
    const withTexts = content !== false;
    const { items, ...next } = await documentReads.page(agentId, { limit, cursor, withTexts });
    const signUrl = (download: Download) => files.downloadUrl(download);
    return { documents: items.map((record) => ({ ...record, ...fileFields(record, signUrl) })), ...next };
  },
});

export const handler = lambda(listDocuments);
