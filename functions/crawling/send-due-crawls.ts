import { newUlid } from '../domain/identifiers.ts';
import type { JobMessage } from '../domain/job-messages.ts';
import type { DueWebsite, DueWebsites } from '../store/sources/due-websites.ts';
import type { Users } from '../store/users.ts';

type Services = {
  dueWebsites: Pick<DueWebsites, 'between' | 'lastLook' | 'saveLook'>;
  users: Pick<Users, 'findMany'>;
  crawlQueue: { sendMany(messages: JobMessage<'crawlWebsite'>[]): Promise<void> };
};

const websitesAtOnce = 100;

/** Sends a message for each website due since the last look, which is saved at the end. Repeating is safe. */
export const sendDueCrawls = async ({ dueWebsites, users, crawlQueue }: Services, now: number): Promise<void> => {
  let found: DueWebsite[] = [];
  const send = async () => {
    const owners = await users.findMany(found.map(({ uid }) => uid));
    // The website of a suspended user keeps its plan: it is crawled when it is due next after the suspension.
    const due = found.filter(({ uid }) => !owners.get(uid)?.suspended);
    await crawlQueue.sendMany(due.map((website) => ({ job: 'crawlWebsite', ...website, attempt: newUlid() })));
    found = [];
  };
  for await (const website of dueWebsites.between(await dueWebsites.lastLook(), now)) {
    found.push(website);
    if (found.length === websitesAtOnce) await send();
  }
  await send();
  await dueWebsites.saveLook(now);
};
