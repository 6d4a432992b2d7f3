import * as z from 'zod/mini';
import { noSuchWebsite } from '../domain/errors.ts';
import { SourceChange } from '../domain/sources.ts';
import { WebsiteReference, WebsiteSummary } from '../domain/websites.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { websites } from '../store/sources/websites.ts';

/** Enables, disables or renames a website. */
export const updateWebsite = endpoint({
  name: 'updateWebsite',
  method: 'PATCH',
  path: '/agent-websites',
  summary: 'Enable, disable or rename a website',
  description: 'Updates the fields that are sent. An agent does not use a website whose `active` is false.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: { websites: websites.for('edit') },
  body: z.object({ ...WebsiteReference.shape, ...SourceChange.shape }),
  response: WebsiteSummary,
  errors: ['website_not_found'],

  async handle({ body: { uid, agentId, websiteId: id, ...change } }, { websites }) {
    const website = await websites.edit({ agentId, id }, change, uid);
    if (!website) throw noSuchWebsite();
    return website;
  },
});

export const handler = lambda(updateWebsite);
