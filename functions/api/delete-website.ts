import { queueSender } from '../clients/job-queue.ts';
import { deletionResponse } from '../domain/describe.ts';
import { noSuchWebsite } from '../domain/errors.ts';
import { rescueDelaySeconds } from '../domain/timeouts.ts';
import { WebsiteReference } from '../domain/websites.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { websites } from '../store/sources/websites.ts';

/** Deletes a website in any state, with its text. A crawl in progress stores nothing. */
export const deleteWebsite = endpoint({
  name: 'deleteWebsite',
  method: 'DELETE',
  path: '/agent-websites',
  summary: 'Delete a website',
  description:
    'Deletes a website in any status. Its text is deleted before the response; a crawl in progress stores nothing.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ query }) => query },
  services: { websites: websites.for('remove'), jobQueue: queueSender('crawlWebsite') },
  query: WebsiteReference,
  response: deletionResponse('the website', 'Website deleted successfully'),
  errors: ['website_not_found'],

  async handle({ agent: { uid }, query: { agentId, websiteId: id } }, { websites, jobQueue }) {
    // Completes the deletion if this function dies.
    const message = { job: 'crawlWebsite', uid, agentId, websiteId: id, attempt: 'deletion' } as const;
    await jobQueue.send(message, rescueDelaySeconds);
    if (!(await websites.remove({ agentId, id }))) throw noSuchWebsite();
    return { message: 'Website deleted successfully' };
  },
});

export const handler = lambda(deleteWebsite);
