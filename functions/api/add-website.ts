import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { checkPatterns } from '../crawling/path-filter.ts';
import { CrawlControls } from '../domain/crawl-controls.ts';
import { now } from '../domain/date-time.ts';
import { confirmation, describe, describedObject, wholeField } from '../domain/describe.ts';
import { AgentId, newIdentifier, Uid } from '../domain/identifiers.ts';
import { planRefresh, RefreshEvery } from '../domain/refresh-plan.ts';
import { newAttempt, websiteStates } from '../domain/source-state.ts';
import { SourceName } from '../domain/sources.ts';
import { nameOfSite, StartUrl, WebsiteId } from '../domain/websites.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { websites } from '../store/sources/websites.ts';
import { findSourceQuota } from '../store/user-quotas.ts';
import { users } from '../store/users.ts';

/** Adds a website to an agent's knowledge. It is crawled in the background; its status reports the progress. */
export const addWebsite = endpoint({
  name: 'addWebsite',
  method: 'POST',
  path: '/agent-websites',
  summary: 'Add a website',
  description:
    'Adds a website to the knowledge of an agent. It is crawled in the background, starting from `url`, nearest pages first. `status` in the list of websites reports the progress, and `failedPages` the pages that could not be read. The crawler obeys robots.txt as VoiceAgentPlatformBot, reads HTML and plain text, stays on the site, and connects to public addresses only. With `refreshEvery`, it is crawled again every so many days, within an hour of `nextRefreshAt`; pages are asked for only if they have changed.',
  caller: { kind: 'key', scope: 'knowledge', agent: ({ body }) => body },
  services: {
    websites: websites.for('add', 'sendOrRemove'),
    users: users.for('find'),
    jobQueue: queueSender('crawlWebsite'),
  },
  body: z.extend(CrawlControls, {
    uid: Uid,
    agentId: AgentId,
    url: StartUrl,
    name: z.optional(SourceName),
    refreshEvery: z.optional(RefreshEvery),
  }),
  response: describedObject('The new website, with the limits that were applied.', {
    websiteId: WebsiteId,
    message: confirmation('Website added successfully'),
    status: z.literal('pending').check(describe('The crawl has not started yet.', 'pending')),
    limit: wholeField('Maximum number of pages, as applied.', 5),
    maxDepth: wholeField('Maximum number of links away from the first page, as applied.', 1),
  }),
  errors: ['quota_exceeded'],

  async handle({ principal, agent, body, creationId }, { websites, users, jobQueue }) {
    const { uid, agentId, url, name = nameOfSite(url), limit, maxDepth, includePaths, excludePaths } = body;
    const refreshEvery = body.refreshEvery ?? undefined;
    await checkPatterns(body);
    const nextRefreshAt = planRefresh({ active: true }, { active: true, refreshEvery }, Date.now());
    const websiteId = newIdentifier('web', creationId);
    const website = {
      id: websiteId,
      agentId,
      name,
      url,
      active: true,
      pages: 0,
      failedPages: [],
      ...newAttempt(websiteStates, creationId),
      limit,
      maxDepth,
      includePaths,
      excludePaths,
      refreshEvery,
      refreshFor: refreshEvery ? agent.uid : undefined,
      nextRefreshAt,
      lastUpdatedBy: uid,
      lastUpdatedAt: now(),
    };
    const record = await websites.add(website, await findSourceQuota(agent, principal, users));
    const message = { job: 'crawlWebsite', uid: agent.uid, agentId, websiteId, attempt: creationId } as const;
    await websites.sendOrRemove(record, () => jobQueue.send(message));
    return { websiteId, message: 'Website added successfully', status: 'pending' as const, limit, maxDepth };
  },
});

export const handler = lambda(addWebsite);
