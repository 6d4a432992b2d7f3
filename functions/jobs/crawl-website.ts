import { decodeTime } from 'ulid';
import { webPages } from '../clients/public-web/web-pages.ts';
import { crawl } from '../crawling/crawl.ts';
import { formatPages, listReadingTimes, packVisits, unpackFormerPages } from '../crawling/former-pages.ts';
import { now } from '../domain/date-time.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { pagesText, proseText } from '../domain/sources.ts';
import { indexNewText } from '../search/source-index.ts';
import type { ServicesOf } from '../service.ts';
import { agents } from '../store/agents/agents.ts';
import { type CrawlRun, crawledWebsites } from '../store/sources/crawled-websites.ts';
import { documentReads } from '../store/sources/documents.ts';
import { timeOfReading } from '../store/sources/source-texts.ts';
import { websiteReads } from '../store/sources/website-reads.ts';
import { queueJob, queueWorker } from './job.ts';

const services = {
  websites: crawledWebsites.for(
    'start',
    'startDue',
    'release',
    'finish',
    'finishUnchanged',
    'failCrawl',
    'deleteOrphans',
  ),
  websiteReads: websiteReads.for('list', 'wholeTexts', 'visits'),
  documentReads: documentReads.for('list'),
  agents: agents.for('findLanguage'),
  webPages,
};
type Services = ServicesOf<typeof services>;

const timeoutSeconds = 360;

/** Crawls a website and stores a changed text. Without a readable page it becomes `failed`. */
export const crawlWebsite = queueJob({
  name: 'crawlWebsite',
  message: jobMessages.crawlWebsite,
  services,
  isAwaited: true,
  timeoutSeconds,
  memoryMegabytes: 1769,

  async handle({ uid, agentId, websiteId: id, attempt, dueAt }, services, { until, lastDeliveryEndsAt }) {
    const { websites } = services;
    const source = { agentId, id };
    if (dueAt === undefined) {
      const run = await websites.start(source, attempt, lastDeliveryEndsAt);
      return run ? readPages(run, { uid, attempt, until }, services) : websites.deleteOrphans(source);
    }
    const run = await websites.startDue(source, attempt, { dueAt, now: Date.now(), timeoutSeconds });
    // If that worker has died, a later delivery takes its place.
    if (run === 'running') throw new Error('Another worker crawls the website, or has died.');
    if (!run) return websites.deleteOrphans(source);
    try {
      await readPages(run, { uid, attempt, until }, services);
    } catch (error) {
      await websites.release(source, attempt);
      throw error;
    }
  },
});

/** Reads the pages of a website until a time (Unix milliseconds), and ends its crawl. */
const readPages = async (
  run: CrawlRun,
  { uid, attempt, until }: { uid: string; attempt: string; until: number },
  { websites, websiteReads, documentReads, agents, webPages }: Services,
): Promise<void> => {
  const { record, revision } = run;
  const { agentId, id, text } = record;
  const source = { agentId, id };
  const former = text && (await websiteReads.wholeTexts(id, text));
  const visits = text && former && (await websiteReads.visits(id, text));
  const formerPages = visits && unpackFormerPages(visits, former);
  const { pages, failedPages, warnings, failure } = await crawl(webPages, record, until, formerPages);
  if (failure !== undefined) return websites.failCrawl(run, attempt, failure, { failedPages });
  const texts = { content: pagesText(pages), contentMD: proseText(formatPages(pages)) };
  const fields = { pages: pages.length, failedPages, failedCrawls: 0, lastCrawledAt: now() };
  const isSame = texts.content.whole === former?.content && texts.contentMD.whole === former.contentMD;
  if (isSame && text) {
    // The text of an older release, or of a copied agent, has no visits.
    const missing = visits ? undefined : packVisits(pages);
    await websites.finishUnchanged(source, { attempt, revision }, text, fields, missing);
    return;
  }
  // A change of the language after this read finds the website in progress, and indexes it again.
  const language = await agents.findLanguage(agentId, uid);
  const index = await indexNewText(source, 'website', texts, language, [websiteReads, documentReads]);
  if ('failure' in index) return websites.failCrawl(run, attempt, index.failure, { failedPages });
  const known = text && former && { content: former.content, getTime: (page: number) => timeOfReading(text, page) };
  const pagesReadAt = listReadingTimes(pages, decodeTime(revision), known);
  const newTexts = { ...texts, index, visits: packVisits(pages), pagesReadAt };
  await websites.finish(source, { attempt, revision }, newTexts, { ...fields, warnings });
};

export const handler = queueWorker(crawlWebsite);
