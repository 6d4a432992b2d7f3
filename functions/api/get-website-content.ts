import * as z from 'zod/mini';
import { noSuchWebsite } from '../domain/errors.ts';
import { nextPage, paging } from '../domain/paging.ts';
import { sourceTextFields } from '../domain/sources.ts';
import { WebsiteReference } from '../domain/websites.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { websiteReads } from '../store/websites.ts';

/** Tells the whole text of a website, in as many answers as it takes. */
export const getWebsiteContent = endpoint({
  name: 'getWebsiteContent',
  method: 'GET',
  path: '/agent-websites/content',
  summary: 'Get the whole text of a website',
  description:
    'The text, and the same as Markdown. What one answer cannot carry comes in pieces, to be joined in their order: the text first, the Markdown after it. A cursor holds for one text: once that was replaced it is refused, and reading begins again.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  services: { websiteReads: websiteReads.for('readTexts') },
  query: z.object({ ...WebsiteReference.shape, cursor: paging.cursor }),
  response: z.object({ ...sourceTextFields, ...nextPage }),
  errors: ['website_not_found'],
  errorDescriptions: {
    400: 'A parameter is invalid, or the text was replaced since the cursor was given.',
  },

  async handle({ query: { agentId, websiteId: id, cursor } }, { websiteReads }) {
    const piece = await websiteReads.readTexts({ agentId, id }, cursor);
    if (!piece) throw noSuchWebsite();
    return piece;
  },
});

export const handler = lambda(getWebsiteContent);
