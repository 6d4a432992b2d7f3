import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sendDueCrawls } from '../../functions/crawling/send-due-crawls.ts';
import { dayMilliseconds } from '../../functions/domain/refresh-plan.ts';
import { pageReader } from '../../functions/extraction/page.ts';
import { crawlWebsite } from '../../functions/jobs/crawl-website.ts';
import { giveUp } from '../../functions/jobs/give-up.ts';
import { refreshKey } from '../../functions/store/keys.ts';
import { crawledWebsites } from '../../functions/store/sources/crawled-websites.ts';
import { dueWebsites } from '../../functions/store/sources/due-websites.ts';
import { RefreshEntries } from '../../functions/store/sources/refresh-entries.ts';
import type { WebsiteRecord } from '../../functions/store/sources/website-reads.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import '../support/quiet-logs.ts';
import { countUnits } from '../bench/units.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { isQueued } from '../support/queued.ts';
import { page, type Site, startSite } from '../support/site.ts';
import { findWebsite, websiteRecord } from '../support/websites.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
let site: Site;
beforeAll(async () => {
  site = await startSite({ '/': page('home') });
  process.env.CRAWL_TRUSTED_ORIGINS = site.origin;
  world = await newWorld();
});
afterEach(noFaults);
afterAll(async () => {
  await pageReader.close();
  await site.stop();
});

/** A moment that the service under test does not reach, so that it crawls no website of these tests. */
const someday = Date.parse('2040-05-01T00:00:30.000Z');
const after = (milliseconds: number) => new Date(someday + milliseconds).toISOString();

/** Adds a website that has been read and is due at a time. */
const add = (more: Partial<WebsiteRecord> = {}) =>
  websites.get().add(
    websiteRecord(world, {
      ...{ url: `${site.origin}/`, status: 'ready', attempt: 'first' },
      ...{ refreshEvery: 7, refreshFor: world.uid, nextRefreshAt: after(0) },
      ...more,
    }),
  );

/** Looks once for websites that have become due since another time, and returns the messages about one agent. */
const look = async (since: number, now: number, agentId = world.agentId) => {
  const sent: { agentId: string; websiteId: string; dueAt?: number; attempt: string; job: string }[] = [];
  const saved: number[] = [];
  await sendDueCrawls(
    {
      dueWebsites: {
        between: (from, to) => dueWebsites.get().between(from, to),
        lastLook: async () => since,
        saveLook: async (until) => void saved.push(until),
      },
      users: users.get(),
      crawlQueue: { sendMany: async (messages) => void sent.push(...messages) },
    },
    now,
  );
  expect(saved).toEqual([now]);
  return sent.filter((message) => message.agentId === agentId);
};

const minute = 60_000;
const startDue = (source: WebsiteRecord, attempt: string, now = someday + minute) =>
  crawledWebsites.get().startDue(source, attempt, { dueAt: someday, now, timeoutSeconds: 360 });

it('a look finds the websites that became due since the last one, at the ends of a day too, and no other', async () => {
  const { agentId } = await newWorld();
  const day = dayMilliseconds;
  const [due, later, ended] = [
    await add({ agentId, nextRefreshAt: after(-minute) }),
    await add({ agentId, nextRefreshAt: after(5 * minute) }),
    await add({ agentId, nextRefreshAt: after(-20 * minute) }),
  ];
  const found = async (since: number, now: number) =>
    (await look(someday + since, someday + now, agentId)).map(({ websiteId, dueAt = 0 }) => [
      websiteId,
      dueAt - someday,
    ]);
  // The last minute before midnight, and the first one after it.
  expect(await found(-2 * minute, minute)).toEqual([[due.id, -minute]]);
  expect(await found(0, 10 * minute)).toEqual([[later.id, 5 * minute]]);
  expect(await found(10 * minute, 6 * day)).toEqual([]);
  expect(await found(7 * day - 2 * minute, 7 * day)).toEqual([[due.id, 7 * day - minute]]);
  // Nobody looked for a month.
  const all = await found(-day, 30 * day);
  expect(all.map(([id]) => id).sort()).toEqual([due.id, later.id, ended.id].sort());
  for (const source of [due, later, ended]) await websites.get().remove(source);
  expect(await found(-day, 30 * day)).toEqual([]);
});

it('a website of a suspended user is not crawled, and is crawled when it is due next after the suspension', async () => {
  const { agentId, uid } = await newWorld();
  const source = await add({ agentId, refreshFor: uid });
  const week = 7 * dayMilliseconds;
  const lookInWeek = (number: number) =>
    look(someday + number * week - minute, someday + number * week + minute, agentId);
  await users.get().change(uid, { suspended: true });
  expect(await lookInWeek(0)).toEqual([]);
  await users.get().change(uid, { suspended: false });
  expect(await lookInWeek(1)).toHaveLength(1);
  const run = await startDue(source, 'due', someday + week + minute);
  expect(run).toMatchObject({ record: { status: 'crawling', nextRefreshAt: after(2 * week) } });
  await websites.get().remove(source);
});

it('two workers that begin the same crawl, or look at the same time, crawl a website once', async () => {
  const source = await add();
  const begun = await Promise.all(['one', 'two', 'three'].map((attempt) => startDue(source, attempt)));
  expect(begun.filter((run) => run !== undefined)).toHaveLength(1);
  const { record } = begun.find((run) => typeof run === 'object') as { record: WebsiteRecord };
  expect(record).toMatchObject({ status: 'crawling', nextRefreshAt: after(7 * dayMilliseconds) });
  const { attempt = '' } = record;
  // The same message, delivered twice: its second worker waits until the first one has certainly ended.
  expect(await startDue(source, attempt)).toBe('running');
  expect(await startDue(source, attempt, someday + 2 * minute)).toBe('running');
  const again = await startDue(source, attempt, someday + 8 * minute);
  expect(again).toMatchObject({ record: { attempt, nextRefreshAt: record.nextRefreshAt } });
  await websites.get().remove(source);
});

it('a message that is delivered to two workers at once crawls the pages once', async () => {
  site.pages['/once'] = page('once');
  const nextRefreshAt = new Date(Date.now() - minute).toISOString();
  const source = await add({ url: `${site.origin}/once`, nextRefreshAt });
  // The service under test may look now, too.
  const dueAt = Date.parse(nextRefreshAt);
  const { agentId, id } = source;
  const message = { job: 'crawlWebsite', uid: world.uid, agentId, websiteId: id, attempt: 'due', dueAt };
  const messages = [message, message, { ...message, attempt: 'other' }];
  await Promise.all(messages.map((one) => deliverMessage(crawlWebsite, one)));
  expect(await deliverMessage(crawlWebsite, message)).toBe(true);
  expect(site.paths().filter((path) => path === '/once')).toHaveLength(1);
  expect(await findWebsite(source)).toMatchObject({ status: 'ready', pages: 1 });
  await websites.get().remove(source);
});

it('a crawl that is due and fails for a reason of the service is tried again by its next delivery', async () => {
  site.pages['/again'] = page('again');
  const nextRefreshAt = new Date(Date.now() - minute).toISOString();
  const source = await add({ url: `${site.origin}/again`, nextRefreshAt });
  const { agentId, id } = source;
  const dueAt = Date.parse(nextRefreshAt);
  const message = { job: 'crawlWebsite', uid: world.uid, agentId, websiteId: id, attempt: 'due', dueAt };
  injectFaults((operation) => (operation === 'BatchWriteItem' ? 'kill' : undefined));
  expect(await deliverMessage(crawlWebsite, message)).toBe(false);
  noFaults();
  expect(await deliverMessage(crawlWebsite, message, 2)).toBe(true);
  expect(await findWebsite(source)).toMatchObject({ status: 'ready', pages: 1 });
  await websites.get().remove(source);
});

it('the dead letter of a crawl that was due is sent again for a day, and then left until the website is due again', async () => {
  const source = await add();
  const { agentId, id } = source;
  const message = { job: 'crawlWebsite', uid: world.uid, agentId, websiteId: id, attempt: 'due', dueAt: Date.now() };
  expect(await deliverMessage(giveUp, message)).toBe(true);
  expect(await isQueued(id)).toBe(true);
  const old = await add();
  const late = { ...message, websiteId: old.id, dueAt: Date.now() - 25 * 60 * minute };
  expect(await deliverMessage(giveUp, late)).toBe(true);
  expect(await isQueued(old.id)).toBe(false);
  for (const one of [source, old]) await websites.get().remove(one);
});

it('a website that is not active, or was crawled by hand, is not crawled when its entry says so', async () => {
  const [inactive, byHand] = [await add(), await add()];
  const owner = world.uid;
  await websites.get().change(inactive, { active: false }, { uid: owner, owner });
  await websites.get().restart(byHand, { attempt: 'by hand', uid: owner }, () => true);
  expect((await findWebsite(inactive))?.nextRefreshAt).toBeUndefined();
  expect((await findWebsite(byHand))?.nextRefreshAt).not.toBe(after(0));
  const found = await look(someday - minute, someday + minute);
  // The website crawled by hand is due at this time of the day, every seventh day.
  expect(found.filter(({ dueAt }) => dueAt === someday)).toEqual([]);
  for (const source of [inactive, byHand]) {
    expect(await startDue(source, 'due', Date.now())).toBeUndefined();
    await websites.get().remove(source);
  }
});

it('an entry whose website is gone or has another time is deleted when it is found', async () => {
  const source = await add();
  const entry = { ...source, nextRefreshAt: after(3 * minute) };
  await new RefreshEntries(table.get()).enter(entry);
  expect(await look(someday + 2 * minute, someday + 4 * minute)).toHaveLength(1);
  const dueAt = someday + 3 * minute;
  await crawledWebsites.get().startDue(source, 'due', { dueAt, now: dueAt, timeoutSeconds: 360 });
  expect(await table.get().get(refreshKey(entry.nextRefreshAt, source))).toBeUndefined();
  expect(await look(someday - minute, someday + 4 * minute)).toHaveLength(1);
  await websites.get().remove(source);
  await new RefreshEntries(table.get()).enter(source);
  expect(await startDue(source, 'due')).toBeUndefined();
  expect(await look(someday - minute, someday + 4 * minute)).toEqual([]);
});

it('a website that has failed three times in a row is found whenever it is due, and tried every third time', async () => {
  const source = await add({ refreshEvery: 1, failedCrawls: 2 });
  const run = await startDue(source, 'due');
  if (!run || run === 'running') throw new Error('It is due.');
  await crawledWebsites.get().failCrawl(run, 'due', 'The host was not found.', {});
  expect(await findWebsite(source)).toMatchObject({ status: 'failed', nextRefreshAt: after(3 * dayMilliseconds) });
  const tried: number[] = [];
  for (const day of [1, 2, 3]) {
    const dueAt = someday + day * dayMilliseconds;
    const now = dueAt + minute;
    expect(await look(dueAt - minute, now)).toMatchObject([{ websiteId: source.id }]);
    const begun = await crawledWebsites.get().startDue(source, `day-${day}`, { dueAt, now, timeoutSeconds: 360 });
    if (begun) tried.push(day);
  }
  expect(tried).toEqual([3]);
  await websites.get().remove(source);
});

it('a change of the plan during a crawl that fails stays', async () => {
  const source = await add({ failedCrawls: 5 });
  const run = await startDue(source, 'due');
  if (!run || run === 'running') throw new Error('It is due.');
  await websites.get().change(source, { refreshEvery: null }, { uid: world.uid, owner: world.uid });
  await crawledWebsites.get().failCrawl(run, 'due', 'The host was not found.', {});
  const found = await findWebsite(source);
  expect(found).toMatchObject({ status: 'failed', failedCrawls: 6 });
  expect(found).not.toHaveProperty('nextRefreshAt');
  await websites.get().remove(source);
});

it('a crawl that is due and finds nothing new costs two write units, and its look none for the website', async () => {
  site.pages['/quiet'] = page('quiet');
  const past = (minutes: number) => new Date(Date.now() - minutes * minute).toISOString();
  const source = await add({ url: `${site.origin}/quiet`, nextRefreshAt: past(1) });
  const { agentId, id } = source;
  const message = { job: 'crawlWebsite', uid: world.uid, agentId, websiteId: id };
  const crawl = (attempt: string, dueAt: string) =>
    deliverMessage(crawlWebsite, { ...message, attempt, dueAt: Date.parse(dueAt) });
  expect(await crawl('one', past(1))).toBe(true);
  await table.get().change({ pk: `AGENT#${agentId}`, sk: `WEBSITE#${id}` }, { set: { nextRefreshAt: past(1) } });
  const units = countUnits(table.get().client);
  expect(await crawl('two', past(1))).toBe(true);
  expect(units.take().write).toBe(2);
  const found = await findWebsite(source);
  expect([found?.attempt, found?.status, found?.pages]).toEqual(['two', 'ready', 1]);
  await websites.get().remove(source);
});
