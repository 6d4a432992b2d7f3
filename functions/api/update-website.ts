import * as z from 'zod/mini';
import { noSuchWebsite } from '../domain/errors.ts';
import { WebsiteChange, WebsiteReference, WebsiteSummary } from '../domain/websites.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { websites } from '../store/sources/websites.ts';

/** Enables, disables or renames a website, or changes when it is crawled again. */
export const updateWebsite = endpoint({
  name: 'updateWebsite',
  method: 'PATCH',
  path: '/agent-websites',
  summary: 'Enable, disable or rename a website, or set when it is crawled again',
  description:
    'Updates the fields that are sent. An agent does not use a website whose `active` is false, and such a website is not crawled again. With `refreshEvery`, the website is crawled again within an hour of `nextRefreshAt`: that many days after the last crawl.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: { websites: websites.for('change') },
  body: z.object({ ...WebsiteReference.shape, ...WebsiteChange.shape }),
  response: WebsiteSummary,
  errors: ['website_not_found'],

  async handle({ agent, body: { uid, agentId, websiteId: id, ...change } }, { websites }) {
    const website = await websites.change({ agentId, id }, change, { uid, owner: agent.uid });
    if (!website) throw noSuchWebsite();
    return website;
  },
});

export const handler = lambda(updateWebsite);
