import { Agent, request } from 'undici';
import { WebPages } from '../../../functions/clients/public-web/web-pages.ts';
import { crawl } from '../../../functions/crawling/crawl.ts';
import { htmlReader } from '../../../functions/extraction/html.ts';
import { type Site, startSite } from '../../support/site.ts';
import { type Figure, median, type Row } from '../benchmark.ts';

const pages = 10;
const rounds = 15;
const paragraphs = 120;

const pathOf = (number: number) => (number === 0 ? '/' : `/${number}`);

/** A page of some 40 KB with what pages have: navigation, headings, a table, links to the others. */
const pageOf = (number: number) => {
  const links = Array.from(
    { length: pages },
    (_, other) => `<li><a href="${pathOf(other)}#top">Page ${other}</a></li>`,
  );
  const body = Array.from(
    { length: paragraphs },
    (_, n) =>
      `<p>Paragraph ${n} of page ${number}: <b>we are open</b> from nine to five, on <a href="${pathOf((number + 1) % pages)}">every working day</a>, and our number is ${'four one five '.repeat(12)}.</p>`,
  );
  const rows = Array.from({ length: 40 }, (_, n) => `<tr><td>Article ${n}</td><td>${n}.50</td><td>on stock</td></tr>`);
  return `<!doctype html><title>Page ${number}</title><nav><ul>${links.join('')}</ul></nav><main><h1>Page ${number}</h1>${body.join('\n')}<table><tr><th>What</th><th>Price</th><th></th></tr>${rows.join('')}</table></main><script>track()</script>`;
};

/** How fast a site is crawled, against fetching the same pages one after the other and reading nothing of them. */
export const crawlPace: Row = {
  name: 'crawl',
  title: 'Crawling a site of ten pages',

  async measure(_open, say) {
    const site = await startSite();
    try {
      const figures: Figure[] = [];
      for (const delayMilliseconds of [0, 100]) {
        const what = delayMilliseconds === 0 ? 'that answers at once' : `that takes ${delayMilliseconds} ms a page`;
        say(what);
        for (let number = 0; number < pages; number++) {
          site.pages[pathOf(number)] = { body: pageOf(number), delayMilliseconds };
        }
        const [ours, plain] = await paces(site, delayMilliseconds === 0 ? rounds : 3);
        figures.push({
          what,
          ours: { value: ours, unit: 'pages/s' },
          against: {
            what: 'fetched one by one, unread',
            quantity: { value: plain, unit: 'pages/s' },
            ratio: Math.max(ours, plain) / Math.min(ours, plain),
          },
        });
      }
      return figures;
    } finally {
      await htmlReader.close();
      await site.stop();
    }
  },
};

/** Pages a second, ours and plain fetches taken in turns, so that both see the same machine. */
const paces = async (site: Site, most: number): Promise<[number, number]> => {
  const ours: number[] = [];
  const plain: number[] = [];
  const webPages = new WebPages({ trustedOrigins: new Set([site.origin]) });
  const controls = { url: `${site.origin}/`, limit: pages, maxDepth: 1, includePaths: [], excludePaths: [] };
  for (let round = 0; round <= most; round++) {
    let began = performance.now();
    const crawled = await crawl(webPages, controls, Date.now() + 60_000);
    const took = performance.now() - began;
    if (crawled.pages.length !== pages) throw new Error(`${crawled.pages.length} pages were read, not ${pages}.`);
    began = performance.now();
    await fetchAll(crawled.pages.map(({ url }) => url));
    // The first round warms up.
    if (round === 0) continue;
    ours.push((pages * 1000) / took);
    plain.push((pages * 1000) / (performance.now() - began));
  }
  return [median(ours), median(plain)];
};

const fetchAll = async (urls: string[]) => {
  const dispatcher = new Agent();
  for (const url of urls) await (await request(url, { dispatcher })).body.text();
  await dispatcher.close();
};
