import { webPages } from '../clients/public-web/web-pages.ts';
import { crawl } from '../crawling/crawl.ts';
import { formerPagesOf, markdownOf, packVisits } from '../crawling/former-pages.ts';
import { now } from '../domain/date-time.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { pagesText, proseText } from '../domain/sources.ts';
import { indexNewText } from '../search/source-index.ts';
import { agents } from '../store/agents/agents.ts';
import { documentReads } from '../store/sources/documents.ts';
import { websiteReads, websites } from '../store/sources/websites.ts';
import { queueJob, queueWorker } from './job.ts';

/**
 * Crawls a website and stores the text of its pages. Pages are asked for only if they have changed, and the same text is not stored
 * again. A website without a readable page becomes `failed`, with the reason.
 */
export const crawlWebsite = queueJob({
  name: 'crawlWebsite',
  message: jobMessages.crawlWebsite,
  services: {
    websites: websites.for('start', 'finish', 'finishUnchanged', 'fail', 'deleteOrphans'),
    websiteReads: websiteReads.for('list', 'wholeTexts', 'visits'),
    documentReads: documentReads.for('list'),
    agents: agents.for('languageOf'),
    webPages,
  },
  isAwaited: true,
  timeoutSeconds: 360,
  memoryMegabytes: 1769,

  async handle(
    { uid, agentId, websiteId: id, attempt },
    { websites, websiteReads, documentReads, agents, webPages },
    deadlines,
  ) {
    const source = { agentId, id };
    const run = await websites.start(source, attempt, deadlines.lastDeliveryEndsAt);
    if (!run) return websites.deleteOrphans(source);
    const { text } = run.record;
    const former = text && (await websiteReads.wholeTexts(id, text));
    const visits = text && former && (await websiteReads.visits(id, text));
    const formerPages = visits && formerPagesOf(visits, former);
    const { pages, failedPages, warnings, failure } = await crawl(webPages, run.record, deadlines.until, formerPages);
    if (failure !== undefined) {
      await websites.fail(source, attempt, failure, { failedPages });
      return;
    }
    const texts = { content: pagesText(pages), contentMD: proseText(markdownOf(pages)) };
    const fields = { pages: pages.length, failedPages, lastCrawledAt: now() };
    const isSame = texts.content.whole === former?.content && texts.contentMD.whole === former.contentMD;
    if (isSame && text) {
      // The text of an older release, or of a copied agent, has no visits.
      const missing = visits ? undefined : packVisits(pages);
      await websites.finishUnchanged(source, { attempt, revision: run.revision }, text, fields, missing);
      return;
    }
    // A change of the language after this read finds the website in progress, and indexes it again.
    const language = await agents.languageOf(agentId, uid);
    const index = await indexNewText(source, 'website', texts, language, [websiteReads, documentReads]);
    if ('failure' in index) return void (await websites.fail(source, attempt, index.failure, { failedPages }));
    await websites.finish(
      source,
      { attempt, revision: run.revision },
      { ...texts, index, visits: packVisits(pages) },
      { ...fields, warnings },
    );
  },
});

export const handler = queueWorker(crawlWebsite);
