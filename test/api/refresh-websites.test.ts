import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { queueSender } from '../../functions/clients/job-queue.ts';
import { dayMilliseconds } from '../../functions/domain/refresh-plan.ts';
import { refreshKey, websiteKey } from '../../functions/store/keys.ts';
import { RefreshEntries } from '../../functions/store/sources/refresh-entries.ts';
import { table } from '../../functions/store/table.ts';
import { page } from '../support/site.ts';
import { until } from '../support/until.ts';
import { makeWebsites, newFolder } from '../support/websites.ts';
import { newWorld, type World } from '../support/world.ts';

/** Adds a website that is crawled again every week, and returns it when it has been read. */
const addWeekly = async (world: World, more: object = {}) => {
  const { add, settled } = makeWebsites(world);
  const { url, put } = newFolder();
  await put('', page('home'));
  const added = await add(url, { refreshEvery: 7, ...more });
  expect(added.status).toBe(200);
  return { website: await settled(added.body.websiteId), put };
};

const makeEntry = ({ agentId, id, nextRefreshAt }: { agentId: string; id: string; nextRefreshAt: string }) =>
  table.get().get(refreshKey(nextRefreshAt, { agentId, id }));

const daysUntil = (time: string, from = Date.now()) => (Date.parse(time) - from) / dayMilliseconds;

describe.concurrent('websites that are crawled again', () => {
  it('a website is crawled again after as many days as it was added with, until that is changed', async () => {
    const world = await newWorld();
    const { change, find } = makeWebsites(world);
    const { website } = await addWeekly(world);
    expect(website.refreshEvery).toBe(7);
    expect(daysUntil(website.nextRefreshAt)).toBeCloseTo(7, 2);
    const { body: daily } = await change(website.id, { refreshEvery: 1 });
    expect([daily.refreshEvery, daily.nextRefreshAt]).toEqual([
      1,
      new Date(Date.parse(website.lastCrawledAt) + dayMilliseconds).toISOString(),
    ]);
    expect(await makeEntry(daily)).toMatchObject({ uid: world.uid, days: 1 });
    // A new name changes nothing about it.
    expect((await change(website.id, { name: 'Home' })).body.nextRefreshAt).toBe(daily.nextRefreshAt);
    const { body: never } = await change(website.id, { refreshEvery: null });
    expect(never).not.toHaveProperty('refreshEvery');
    expect(await find(website.id)).not.toHaveProperty('nextRefreshAt');
    expect(await makeEntry(daily)).toBeUndefined();
  });

  it('a website that is not active is not crawled again, and is when it is active again', async () => {
    const world = await newWorld();
    const { change } = makeWebsites(world);
    const { website } = await addWeekly(world);
    const { body: inactive } = await change(website.id, { active: false });
    expect([inactive.refreshEvery, inactive.nextRefreshAt]).toEqual([7, undefined]);
    expect(await makeEntry(website)).toBeUndefined();
    const { body: active } = await change(website.id, { active: true });
    expect(daysUntil(active.nextRefreshAt, Date.parse(website.lastCrawledAt))).toBe(7);
    expect(await makeEntry(active)).toBeDefined();
  });

  it('a crawl by hand moves the next one', async () => {
    const world = await newWorld();
    const { refresh, settled } = makeWebsites(world);
    const { website } = await addWeekly(world);
    const later = new Date(Date.now() + 3 * dayMilliseconds).toISOString();
    const { agentId, id } = website;
    await table.get().change(websiteKey(agentId, id), { set: { nextRefreshAt: later } });
    expect((await refresh(id)).status).toBe(200);
    const { nextRefreshAt } = await settled(id);
    expect(daysUntil(nextRefreshAt)).toBeCloseTo(7, 2);
    expect(await makeEntry({ agentId, id, nextRefreshAt })).toBeDefined();
  });

  it('the copy of a website is crawled again as often, for the owner of the copy', async () => {
    const world = await newWorld();
    const { website } = await addWeekly(world);
    const { body: copy } = await world.call('POST', '/duplicate-agent', {
      body: { uid: world.uid, agentId: world.agentId },
    });
    const [copied] = (await makeWebsites({ ...world, agentId: copy.agentId }).list()).body.websites;
    expect([copied.refreshEvery, copied.nextRefreshAt]).toEqual([7, website.nextRefreshAt]);
    expect(await makeEntry(copied)).toMatchObject({ uid: world.uid, days: 7 });
  });

  it('a deleted website has no entry any more', async () => {
    const world = await newWorld();
    const { website } = await addWeekly(world);
    expect(await makeEntry(website)).toBeDefined();
    expect((await makeWebsites(world).remove(website.id)).status).toBe(200);
    expect(await makeEntry(website)).toBeUndefined();
  });

  it('a website that is due is crawled, and the new text of its page is found by the next search', async () => {
    const world = await newWorld();
    const { find } = makeWebsites(world);
    const { website, put } = await addWeekly(world);
    const { agentId, id } = website;
    await put('', '<title>Hours</title><main><p>On Sundays we open at eleven.</p></main>');
    const nextRefreshAt = new Date(Date.now() + 500).toISOString();
    await new RefreshEntries(table.get()).enter({
      ...{ agentId, id, nextRefreshAt },
      ...{ refreshEvery: 7, refreshFor: world.uid },
    });
    await table.get().change(websiteKey(agentId, id), { set: { nextRefreshAt } });
    await sleep(600);
    await queueSender('refreshWebsites').get().send({ job: 'refreshWebsites', uid: world.uid });
    await until(async () => (await find(id)).contentMD.includes('eleven'));
    expect(daysUntil((await find(id)).nextRefreshAt, Date.parse(nextRefreshAt))).toBe(7);
    const { body } = await world.call('POST', '/agent-knowledge/search', {
      body: { uid: world.uid, agentId, query: 'open on Sunday' },
    });
    expect(body.passages[0].text).toContain('On Sundays we open at eleven.');
  });
});
