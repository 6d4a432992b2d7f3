import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { htmlReader } from '../../functions/extraction/html.ts';
import { crawlWebsite } from '../../functions/jobs/crawl-website.ts';
import { maxDeliveries, queueWorker } from '../../functions/jobs/job.ts';
import { textPiecesOf } from '../../functions/store/keys.ts';
import { type WebsiteRecord, websiteReads, websites } from '../../functions/store/sources/websites.ts';
import { table } from '../../functions/store/table.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { page, type Site, startSite } from '../support/site.ts';
import { findWebsite, restartWebsite, websiteRecord } from '../support/websites.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
let site: Site;
beforeAll(async () => {
  site = await startSite();
  process.env.CRAWL_TRUSTED_ORIGINS = site.origin;
  world = await newWorld();
});
afterEach(() => {
  vi.useRealTimers();
  noFaults();
  site.requests.length = 0;
});
afterAll(async () => {
  await htmlReader.close();
  await site.stop();
});

const add = (path = '/', more: Partial<WebsiteRecord> = {}) =>
  websites.get().add(websiteRecord(world, { url: site.origin + path, ...more }));

const messageOf = ({ agentId, id, attempt }: WebsiteRecord) =>
  JSON.stringify({ job: 'crawlWebsite', uid: world.uid, agentId, websiteId: id, attempt });

/** Delivers messages in one batch, as the given delivery of each, and returns those to be delivered again. */
const deliver = async (bodies: string[], delivery = 1): Promise<string[]> => {
  const Records = bodies.map((body, index) => ({
    messageId: String(index),
    body,
    attributes: { ApproximateReceiveCount: String(delivery) },
  }));
  const { batchItemFailures } = (await queueWorker(crawlWebsite)({ Records } as SQSEvent)) as SQSBatchResponse;
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
};

const contentOf = async (source: WebsiteRecord) => (await websiteReads.get().readTexts(source, undefined))?.content;
/** One piece each of the text, of its Markdown and of its search index. */
const piecesOfOneText = 3;
const piecesOf = async ({ id }: WebsiteRecord) => {
  let count = 0;
  for await (const _ of table.get().query(textPiecesOf(id))) count += 1;
  return count;
};

it('a message to crawl a website that is delivered twice is handled once', async () => {
  site.pages['/'] = page('home');
  const source = await add();
  expect(await deliver([messageOf(source)])).toEqual([]);
  const first = await findWebsite(source);
  expect(first?.status).toBe('ready');
  site.pages['/'] = page('changed');
  expect(await deliver([messageOf(source), messageOf(source)])).toEqual([]);
  expect(await findWebsite(source)).toEqual(first);
  expect(site.paths()).toEqual(['/']);
});

it('a message to crawl a website that is delivered twice at once leaves one whole text', async () => {
  site.pages['/'] = (_, response) => setTimeout(() => response.writeHead(200, html).end(page('home')), 100);
  const source = await add();
  expect(await Promise.all([deliver([messageOf(source)]), deliver([messageOf(source)])])).toEqual([[], []]);
  expect(await findWebsite(source)).toMatchObject({ status: 'ready', pages: 1 });
  expect(await piecesOf(source)).toBe(piecesOfOneText);
});
const html = { 'content-type': 'text/html' };

it('a message to crawl a website that arrives after a refresh has no effect', async () => {
  site.pages['/'] = page('home');
  const source = await add();
  await deliver([messageOf(source)]);
  const refreshed = await restartWebsite(source, 'second');
  site.requests.length = 0;
  expect(await deliver([messageOf(source)])).toEqual([]);
  expect([site.requests.length, (await findWebsite(source))?.status]).toEqual([0, 'pending']);
  expect(await deliver([messageOf(refreshed)])).toEqual([]);
  expect((await findWebsite(source))?.status).toBe('ready');
});

it('a message to crawl a website that was deleted or never existed has no effect', async () => {
  const source = await add();
  await websites.get().remove(source);
  expect(await deliver([messageOf(source), messageOf({ ...source, id: 'web_none' })])).toEqual([]);
  expect([await findWebsite(source), site.requests.length]).toEqual([undefined, 0]);
});

it('a crawl does not bring back a website that is deleted while the crawl runs', async () => {
  const source = await add('/deleted');
  site.pages['/deleted'] = async (_, response) => {
    await websites.get().remove(source);
    response.writeHead(200, html).end(page('home'));
  };
  expect(await deliver([messageOf(source)])).toEqual([]);
  expect([await findWebsite(source), await piecesOf(source)]).toEqual([undefined, 0]);
});

it('a crawl does not overwrite the text of a newer one', async () => {
  const source = await add('/overtaken');
  let newer: Promise<string[]> | undefined;
  site.pages['/overtaken'] = async (_, response) => {
    if (newer) {
      response.writeHead(200, html).end(page('newer'));
      return;
    }
    newer = deliver([messageOf(await restartWebsite(source, 'second'))]);
    await newer;
    response.writeHead(200, html).end(page('older'));
  };
  expect(await deliver([messageOf(source)])).toEqual([]);
  expect(await contentOf(source)).toContain('This is newer.');
  expect(await piecesOf(source)).toBe(piecesOfOneText);
});

it('a message to crawl a website whose function is killed anywhere is delivered again, and completes', async () => {
  site.pages['/'] = page('home');
  let kills = 0;
  for (let fatal = 0; ; fatal++) {
    const source = await add();
    let calls = 0;
    injectFaults(() => (calls++ === fatal ? 'kill' : undefined));
    const failed = await deliver([messageOf(source)]);
    noFaults();
    if (failed.length === 0) break;
    kills += 1;
    expect((await findWebsite(source))?.status).toMatch(/^(pending|crawling)$/);
    expect(await deliver([messageOf(source)], 2)).toEqual([]);
    expect(await findWebsite(source)).toMatchObject({ status: 'ready', pages: 1 });
    expect(await contentOf(source)).toContain('This is home.');
  }
  expect(kills).toBeGreaterThanOrEqual(3);
});

it('a message to crawl a website that always fails delays no other message of its batch', async () => {
  site.pages['/'] = page('home');
  const [one, two] = [await add(), await add()];
  const poison = [
    'not json',
    '{}',
    'null',
    '[]',
    JSON.stringify({ job: 'crawlWebsite', uid: 'somebody', agentId: 'a#b', websiteId: 1 }),
  ];
  expect(await deliver([poison[0] as string, messageOf(one), ...poison.slice(1), messageOf(two)])).toEqual([
    '0',
    '2',
    '3',
    '4',
    '5',
  ]);
  expect((await findWebsite(one))?.status).toBe('ready');
  expect((await findWebsite(two))?.status).toBe('ready');
});

it('a crawl that cannot be done ends as failed, with a reason, when its message is given up', async () => {
  site.pages['/'] = page('home');
  const source = await add();
  injectFaults((operation) => (operation === 'BatchWriteItem' ? 'kill' : undefined));
  for (let delivery = 1; delivery < maxDeliveries; delivery++) {
    expect(await deliver([messageOf(source)], delivery)).toEqual(['0']);
    expect((await findWebsite(source))?.status).toBe('crawling');
  }
  // It is a dead letter then, for the operator to look at.
  expect(await deliver([messageOf(source)], maxDeliveries)).toEqual(['0']);
  expect(await findWebsite(source)).toMatchObject({
    status: 'failed',
    error: 'The crawl failed because of a problem in the service. Refresh the website.',
  });
  // The operator has mended the cause, and sends it again.
  noFaults();
  expect(await deliver([messageOf(source)])).toEqual([]);
  const done = await findWebsite(source);
  expect(done).toMatchObject({ status: 'ready', pages: 1 });
  expect(done).not.toHaveProperty('error');
  expect(await deliver([messageOf(source)])).toEqual([]);
  expect(await findWebsite(source)).toEqual(done);
});

it('a crawl whose function dies at every delivery ends as failed, with a reason, after the last deadline', async () => {
  site.pages['/'] = page('home');
  const source = await add('/', { deadlineAt: Date.now() + 3_600_000 });
  let began = 0;
  for (let delivery = 1; delivery <= maxDeliveries; delivery++) {
    // The process dies after it has recorded the start of its work, so it cannot report that it gives up.
    let calls = 0;
    injectFaults(() => (++calls > 1 ? 'kill' : undefined));
    began = Date.now();
    expect(await deliver([messageOf(source)], delivery)).toEqual(['0']);
    noFaults();
    expect((await findWebsite(source))?.status).toBe('crawling');
  }
  const [ended, timeoutMilliseconds] = [Date.now(), crawlWebsite.timeoutSeconds * 1000];
  vi.setSystemTime(began + timeoutMilliseconds - 1);
  expect((await findWebsite(source))?.status).toBe('crawling');
  vi.setSystemTime(ended + timeoutMilliseconds);
  expect(await findWebsite(source)).toMatchObject({
    status: 'failed',
    error: 'The crawl did not end in time. Refresh the website to try again.',
  });
  vi.useRealTimers();
  // After a refresh, it is read as usual.
  expect(await deliver([messageOf(await restartWebsite(source, 'second'))])).toEqual([]);
  expect((await findWebsite(source))?.status).toBe('ready');
});

it('a crawl whose last function dies silently ends as failed after the deadline of that function', async () => {
  const source = await add('/dies');
  const died = new Promise<number | undefined>((resolve) => {
    site.pages['/dies'] = async (_, response) => {
      resolve((await findWebsite(source))?.deadlineAt);
      response.destroy();
    };
  });
  const began = Date.now();
  await Promise.all([deliver([messageOf(source)], maxDeliveries), died]);
  const deadlineAt = (await died) as number;
  expect(deadlineAt).toBeGreaterThanOrEqual(began + crawlWebsite.timeoutSeconds * 1000);
  expect(deadlineAt).toBeLessThan(Date.now() + crawlWebsite.timeoutSeconds * 1000);
});
