import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { pageReader } from '../../functions/extraction/page.ts';
import { crawlWebsite } from '../../functions/jobs/crawl-website.ts';
import { giveUp } from '../../functions/jobs/give-up.ts';
import { maxDeliveries, queueWorker } from '../../functions/jobs/job.ts';
import type { WebsiteRecord } from '../../functions/store/sources/website-reads.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { page, type Site, startSite } from '../support/site.ts';
import { countPieces } from '../support/uploads.ts';
import { findWebsite, websiteRecord } from '../support/websites.ts';
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
  await pageReader.close();
  await site.stop();
});

const add = (path = '/', more: Partial<WebsiteRecord> = {}) =>
  websites.get().add(websiteRecord(world, { url: site.origin + path, ...more }));

const makeMessage = ({ agentId, id, attempt }: WebsiteRecord) =>
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

const html = { 'content-type': 'text/html' };

it('a message to crawl a website that was deleted or never existed has no effect', async () => {
  const source = await add();
  await websites.get().remove(source);
  expect(await deliver([makeMessage(source), makeMessage({ ...source, id: 'web_none' })])).toEqual([]);
  expect([await findWebsite(source), site.requests.length]).toEqual([undefined, 0]);
});

it('a crawl does not bring back a website that is deleted while the crawl runs', async () => {
  const source = await add('/deleted');
  site.pages['/deleted'] = async (_, response) => {
    await websites.get().remove(source);
    response.writeHead(200, html).end(page('home'));
  };
  expect(await deliver([makeMessage(source)])).toEqual([]);
  expect([await findWebsite(source), await countPieces(source.id)]).toEqual([undefined, 0]);
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
  expect(await deliver([poison[0] as string, makeMessage(one), ...poison.slice(1), makeMessage(two)])).toEqual([
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
    expect(await deliver([makeMessage(source)], delivery)).toEqual(['0']);
    expect((await findWebsite(source))?.status).toBe('crawling');
  }
  expect(await deliver([makeMessage(source)], maxDeliveries)).toEqual(['0']);
  // It is a dead letter then.
  noFaults();
  expect(await deliverMessage(giveUp, JSON.parse(makeMessage(source)))).toBe(true);
  expect(await findWebsite(source)).toMatchObject({
    status: 'failed',
    error: 'The crawl failed because of a problem in the service. Refresh the website.',
  });
  // A late delivery still completes it.
  expect(await deliver([makeMessage(source)])).toEqual([]);
  const done = await findWebsite(source);
  expect(done).toMatchObject({ status: 'ready', pages: 1 });
  expect(done).not.toHaveProperty('error');
  expect(await deliver([makeMessage(source)])).toEqual([]);
  expect(await findWebsite(source)).toEqual(done);
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
  await Promise.all([deliver([makeMessage(source)], maxDeliveries), died]);
  const deadlineAt = (await died) as number;
  expect(deadlineAt).toBeGreaterThanOrEqual(began + crawlWebsite.timeoutSeconds * 1000);
  expect(deadlineAt).toBeLessThan(Date.now() + crawlWebsite.timeoutSeconds * 1000);
});
