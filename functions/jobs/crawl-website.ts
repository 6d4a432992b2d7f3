import { webPages } from '../clients/public-web/web-pages.ts';
import { crawl } from '../crawling/crawl.ts';
import type { CrawledPage } from '../crawling/page-visitor.ts';
import { now } from '../domain/date-time.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { pagesText, proseText } from '../domain/sources.ts';
import { indexNewText } from '../search/source-index.ts';
import { agents } from '../store/agents/agents.ts';
import { documentReads } from '../store/sources/documents.ts';
import { websiteReads, websites } from '../store/sources/websites.ts';
import { queueJob, queueWorker } from './job.ts';

/** Crawls a website and stores the text of its pages. A website without a readable page becomes `failed`, with the reason. */
export const crawlWebsite = queueJob({
  name: 'crawlWebsite',
  message: jobMessages.crawlWebsite,
  services: {
    websites: websites.for('start', 'finish', 'fail', 'deleteOrphans'),
    websiteReads: websiteReads.for('list'),
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
    const { pages, failedPages, warnings, failure } = await crawl(webPages, run.record, deadlines.until);
    if (failure !== undefined) {
      await websites.fail(source, attempt, failure, { failedPages });
      return;
    }
    const texts = { content: pagesText(pages), contentMD: proseText(pages.map(markdownOf).join('\n\n---\n\n')) };
    // A change of the language after this read finds the website in progress, and indexes it again.
    const language = await agents.languageOf(agentId, uid);
    const index = await indexNewText(source, 'website', texts, language, [websiteReads, documentReads]);
    if ('failure' in index) return void (await websites.fail(source, attempt, index.failure, { failedPages }));
    await websites.finish(
      source,
      { attempt, revision: run.revision },
      { ...texts, index },
      { pages: pages.length, failedPages, warnings, lastCrawledAt: now() },
    );
  },
});

/** Formats a page as a section: a heading with its title, its URL, and its text without a repeated heading. */
const markdownOf = ({ url, title, markdown }: CrawledPage) => {
  const heading = `# ${title}`;
  const rest = markdown.startsWith(`${heading}\n`) || markdown === heading ? markdown.slice(heading.length) : markdown;
  return `${heading}\n\n<${url}>\n\n${rest.trim()}`.trim();
};

export const handler = queueWorker(crawlWebsite);
