import { bulkSender } from '../clients/job-queue.ts';
import { sendDueCrawls } from '../crawling/send-due-crawls.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { dueWebsites } from '../store/sources/due-websites.ts';
import { users } from '../store/users.ts';
import { queueJob, queueWorker } from './job.ts';

/** Starts the crawls of websites that have become due since the last run. */
export const refreshWebsites = queueJob({
  name: 'refreshWebsites',
  message: jobMessages.refreshWebsites,
  services: {
    dueWebsites: dueWebsites.for('between', 'lastLook', 'saveLook'),
    users: users.for('findMany'),
    crawlQueue: bulkSender('crawlWebsite'),
  },
  timeoutSeconds: jobTimeoutSeconds,
  everyMinutes: 15,

  handle: (_, services) => sendDueCrawls(services, Date.now()),
});

export const handler = queueWorker(refreshWebsites);
