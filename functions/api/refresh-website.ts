import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { confirmation, describe, describedObject } from '../domain/describe.ts';
import { ApiError, noSuchWebsite } from '../domain/errors.ts';
import { hasEnded } from '../domain/source-state.ts';
import { WebsiteId, WebsiteReference } from '../domain/websites.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { websites } from '../store/sources/websites.ts';

/** Crawls a website again. The former text stays until the new one is complete. */
export const refreshWebsite = endpoint({
  name: 'refreshWebsite',
  method: 'POST',
  path: '/agent-websites/refresh',
  summary: 'Crawl a website again',
  description:
    'Crawls a website again in the background, with the same settings. The former text stays until the new one is complete, and remains if the site can no longer be read.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: { websites: websites.for('restart', 'sendOrFail'), jobQueue: queueSender('crawlWebsite') },
  body: WebsiteReference,
  response: describedObject('Confirmation that the crawl was started.', {
    websiteId: WebsiteId,
    message: confirmation('Website refresh started'),
    status: z.literal('pending').check(describe('The crawl has not started yet.', 'pending')),
  }),
  errors: ['website_not_found', 'crawl_in_progress'],

  async handle({ agent, body: { uid, agentId, websiteId }, creationId: attempt }, { websites, jobQueue }) {
    const begun = await websites.restart({ agentId, id: websiteId }, { attempt, uid }, hasEnded);
    if (!begun) throw noSuchWebsite();
    if (!begun.restarted) throw new ApiError('crawl_in_progress', 'A crawl of this website is in progress.');
    const message = { job: 'crawlWebsite', uid: agent.uid, agentId, websiteId, attempt } as const;
    await websites.sendOrFail(begun.record, () => jobQueue.send(message));
    return { websiteId, message: 'Website refresh started', status: 'pending' as const };
  },
});

export const handler = lambda(refreshWebsite);
