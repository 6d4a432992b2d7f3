import * as z from 'zod/mini';
import { noSuchWebsite } from '../domain/errors.ts';
import { describedPage, paging } from '../domain/paging.ts';
import { sourceTextFields } from '../domain/sources.ts';
import { WebsiteReference } from '../domain/websites.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { websiteReads } from '../store/sources/website-reads.ts';

/** Returns the whole text of a website, over one or more responses. */
export const getWebsiteContent = endpoint({
  name: 'getWebsiteContent',
  method: 'GET',
  path: '/agent-websites/content',
  memoryMegabytes: 1024,
  summary: 'Get the complete text of a website',
  description:
    'Returns the text, and the same text as Markdown. A text that is too large for one response comes in pages: join `content` of all pages, and `contentMD` of all pages, in their order. A cursor is valid for one version of the text: after a refresh start again without a cursor.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  services: { websiteReads: websiteReads.for('readTexts') },
  query: z.object({ ...WebsiteReference.shape, cursor: paging.cursor }),
  response: describedPage('A page of the text.', { ...sourceTextFields }),
  errors: ['website_not_found'],
  errorDescriptions: { 400: 'A parameter is invalid, or the text was replaced since the cursor was issued.' },

  async handle({ query: { agentId, websiteId: id, cursor } }, { websiteReads }) {
    const piece = await websiteReads.readTexts({ agentId, id }, cursor);
    if (!piece) throw noSuchWebsite();
    return piece;
  },
});

export const handler = lambda(getWebsiteContent);
