import { expect, it } from 'vitest';
import { FairQueue } from '../../bin/local/fair-queue.ts';
import { sendDueCrawls } from '../../functions/crawling/send-due-crawls.ts';
import { messageGroup } from '../../functions/domain/job-messages.ts';

const now = Date.parse('2026-03-01T10:00:00.000Z');

/** Sends the crawls of websites that are due, and returns their owners in the order in which a fair queue begins them. */
const crawledInTurn = async (owners: string[], concurrency: number) => {
  const started: string[] = [];
  const queue = new FairQueue(concurrency);
  const ended: Promise<void>[] = [];
  await sendDueCrawls(
    {
      dueWebsites: {
        async *between() {
          for (const [index, uid] of owners.entries())
            yield { uid, agentId: `agent-${uid}`, websiteId: `website-${index}`, dueAt: now };
        },
        lastLook: async () => 0,
        saveLook: async () => {},
      },
      users: { findMany: async () => new Map() },
      crawlQueue: {
        async sendMany(messages) {
          for (const message of messages) {
            const end = Promise.withResolvers<void>();
            ended.push(end.promise);
            queue.add(messageGroup(message) ?? 'nobody', async () => {
              started.push(message.uid);
              await new Promise((resolve) => setImmediate(resolve));
              end.resolve();
            });
          }
        },
      },
    },
    now,
  );
  await Promise.all(ended);
  return started;
};

it('of 1,000 websites that are due in one hour, those of nine small users are crawled among the first 200', async () => {
  const small = Array.from({ length: 90 }, (_, index) => `small-${index % 9}`);
  const started = await crawledInTurn([...Array.from({ length: 910 }, () => 'large'), ...small], 8);
  expect(started).toHaveLength(1000);
  expect(started.findLastIndex((uid) => uid !== 'large')).toBeLessThan(200);
});
