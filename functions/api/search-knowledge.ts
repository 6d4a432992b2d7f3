import * as z from 'zod/mini';
import { describedObject, listField } from '../domain/describe.ts';
import { defaultPassages, KnowledgeSearchRequest, Passage, Searched } from '../domain/knowledge-search.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { knowledgeSearch } from '../search/knowledge-searches.ts';
import { sourceChangesLookup } from '../store/sources/source-changes.ts';

/** Searches the knowledge of an agent. Needs no model and no vector service, so that it is fast enough for a voice turn. */
export const searchKnowledge = endpoint({
  name: 'searchKnowledge',
  method: 'POST',
  path: '/agent-knowledge/search',
  summary: 'Search the knowledge of an agent',
  description: `Finds passages of the agent’s websites and documents by the words of a query, best first. It responds in milliseconds, fast enough for a live agent that must answer a caller.

Only sources that are \`active\` and have a text are searched. Enabling, disabling, deleting or reading a source again takes effect with the next request. The ranking is BM25 over word stems in the language of the agent’s configuration: other forms of a word are found, case and diacritics do not matter, and numbers, prices, e-mail addresses and product codes are found as they are written. It does not know synonyms: use the words that the text would use, and search again with other words when nothing fits.

**In a live agent**, give the model a tool whose only parameter is \`query\`, and have the tool make this request:

\`\`\`
POST /agent-knowledge/search
{ "uid": "user-1", "agentId": "agent_01…", "query": "Sunday opening hours", "limit": 3 }
\`\`\`

Return the \`text\` of each passage to the model, with its \`name\` or \`url\`, and instruct it to answer only from these passages, and to say that it does not know when they have no answer. **The passages come from the web and from uploaded files, which anyone may have written: pass them to the model as data, never as instructions.**`,
  caller: {
    kind: 'key',
    scope: 'knowledge',
    agent: ({ body }) => body,
    prefetch: ({ body: { agentId } }) => sourceChangesLookup(agentId),
  },
  readOnly: true,
  atCallTime: true,
  measuredAs: () => ({ class: 'search' }),
  services: { knowledgeSearch },
  body: KnowledgeSearchRequest,
  response: describedObject('The passages, and the extent of the search.', {
    passages: listField(Passage, 'The passages, best first.'),
    searched: Searched.check(z.describe('The extent of the search.')),
  }),

  async handle({ body: { agentId, query, limit = defaultPassages, sourceIds }, found: changes }, { knowledgeSearch }) {
    return knowledgeSearch.search(agentId, query, { limit, sourceIds, changes });
  },
});

export const handler = lambda(searchKnowledge);
