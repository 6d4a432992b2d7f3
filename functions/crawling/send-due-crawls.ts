import { newUlid } from '../domain/identifiers.ts';
import type { JobMessage } from '../domain/job-messages.ts';
import type { DueWebsites } from '../store/sources/due-websites.ts';

type Services = {
  dueWebsites: Pick<DueWebsites, 'between' | 'lastLook' | 'saveLook'>;
  crawlQueue: { sendMany(messages: JobMessage<'crawlWebsite'>[]): Promise<void> };
};

const messagesAtOnce = 100;

/**
 * Sends a message for each website that has become due since the last look, at `now` (Unix milliseconds). The look is saved at the
 * end: if this is interrupted, or runs twice at the same time, messages are sent again, and each website is crawled once.
 */
export const sendDueCrawls = async ({ dueWebsites, crawlQueue }: Services, now: number): Promise<void> => {
  let messages: JobMessage<'crawlWebsite'>[] = [];
  for await (const website of dueWebsites.between(await dueWebsites.lastLook(), now)) {
    messages.push({ job: 'crawlWebsite', ...website, attempt: newUlid() });
    if (messages.length < messagesAtOnce) continue;
    await crawlQueue.sendMany(messages);
    messages = [];
  }
  await crawlQueue.sendMany(messages);
  await dueWebsites.saveLook(now);
};
