import { listField } from '../domain/describe.ts';
import { formatWhole } from '../domain/format-whole.ts';
import { limits } from '../domain/limits.ts';
import { describedPage } from '../domain/paging.ts';
import { SourceListQuery } from '../domain/sources.ts';
import { Website } from '../domain/websites.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { websiteReads } from '../store/sources/website-reads.ts';

/** Lists the websites of an agent, each with its status. */
export const listWebsites = endpoint({
  name: 'listWebsites',
  method: 'GET',
  path: '/agent-websites',
  memoryMegabytes: 1024,
  summary: 'List the websites of an agent',
  description: `Returns the websites in the order in which they were added, with the status of each crawl. A list has at most ${formatWhole(limits.listedTextCharacters)} characters of each text (\`truncated\` is then true) and at most ${limits.pageSourcesWithText} websites with texts per page. \`content=false\` omits the texts.`,
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  services: { websiteReads: websiteReads.for('page') },
  query: SourceListQuery,
  response: describedPage('A page of websites.', { websites: listField(Website, 'The websites, oldest first.') }),

  async handle({ query: { agentId, content, limit, cursor } }, { websiteReads }) {
    const { items, ...next } = await websiteReads.page(agentId, { limit, cursor, withTexts: content !== false });
    return { websites: items, ...next };
  },
});

export const handler = lambda(listWebsites);
