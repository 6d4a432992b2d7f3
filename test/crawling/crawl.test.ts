import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { WebPages } from '../../functions/clients/public-web/web-pages.ts';
import { crawl } from '../../functions/crawling/crawl.ts';
import { PageVisitor } from '../../functions/crawling/page-visitor.ts';
import { pathMatcher } from '../../functions/crawling/path-filter.ts';
import type { CrawlControls } from '../../functions/domain/crawl-controls.ts';
import { pageReader } from '../../functions/extraction/page.ts';
import { endlessHtmlReader, limits } from '../support/endless-html-reader.ts';
import { page, type Reply, type Site, startSite } from '../support/site.ts';

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.stop();
});
afterAll(() => Promise.all([pageReader.close(), pathMatcher.close()]));

const openSite = async (pages: Record<string, Reply>) => {
  const site = await startSite(pages);
  sites.push(site);
  return site;
};

type Controls = Partial<CrawlControls> & { start?: string; milliseconds?: number; trusted?: Site[] };

/** Crawls a site, and returns the paths of its pages, and the others with their reasons. */
const crawlSite = async (
  site: Site,
  { start = '/', milliseconds = 60_000, trusted = [], ...controls }: Controls = {},
) => {
  const webPages = new WebPages({ trustedOrigins: new Set([site, ...trusted].map(({ origin }) => origin)) });
  const bounds = { limit: 10, maxDepth: 10, includePaths: [], excludePaths: [], ...controls };
  const { pages, failedPages, failure, warnings } = await crawl(
    webPages,
    { ...bounds, url: new URL(start, site.origin).href },
    Date.now() + milliseconds,
  );
  const path = ({ url }: { url: string }) => url.replace(site.origin, '');
  return {
    all: pages,
    pages: pages.map(path),
    failed: Object.fromEntries(failedPages.map((failed) => [path(failed), failed.reason])),
    failure,
    warnings,
  };
};

const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [n === 0 ? '/' : `/${n}`, page(`page ${n}`, `/${n + 1}`)]),
  ) as Record<string, Reply>;

it('a crawl reads the start page, and the pages it links to, nearest first, each once', async () => {
  const site = await openSite({
    '/': page('home', '/a', '/b', '/', '#top', '/a#part'),
    '/a': page('a', '/c', '/b', '/'),
    '/b': page('b', '/d', '/a/'),
    '/c': page('c'),
    '/d': page('d'),
  });
  const { pages, all, failed } = await crawlSite(site);
  expect(pages).toEqual(['/', '/a', '/b', '/c', '/d']);
  expect(all[1]).toMatchObject({ url: `${site.origin}/a`, title: 'a' });
  expect(all[1]?.text).toBe('This is a.\n\nto c to b to');
  expect(failed).toEqual({});
  expect(site.paths().sort()).toEqual(['/', '/a', '/b', '/c', '/d']);
});

it.each([
  [1, ['/', '/1']],
  [2, ['/', '/1', '/2']],
  [10, ['/', '/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9']],
])('a crawl follows no more than %i links in a row', async (maxDepth, expected) => {
  expect((await crawlSite(await openSite(chain(20)), { maxDepth })).pages).toEqual(expected);
});

it('a crawl reads no more pages than its limit, and tries no more than twice as many', async () => {
  const links = Array.from({ length: 40 }, (_, n) => `/${n + 1}`);
  const good = await openSite({ ...chain(41), '/': page('home', ...links) });
  expect((await crawlSite(good, { limit: 4 })).pages).toEqual(['/', '/1', '/2', '/3']);
  expect(good.paths().length).toBe(4);
  const broken = await openSite({ '/': page('home', ...links), '/8': page('eight'), '/9': page('nine') });
  const { pages, failed } = await crawlSite(broken, { limit: 5 });
  expect(pages).toEqual(['/', '/8', '/9']);
  expect(broken.paths().length).toBe(10);
  expect(Object.keys(failed).length).toBe(7);
  expect((await crawlSite(good, { limit: 1 })).pages).toEqual(['/']);
});

it('a crawl treats a fragment and a trailing slash as the same page, and a query as another', async () => {
  const site = await openSite({
    '/': page('home', '/a', '/a/', '/a#x', '/a?x=1', '/a?x=2', '/a?x=1#y'),
    '/a': page('a'),
  });
  expect((await crawlSite(site)).pages).toEqual(['/', '/a', '/a?x=1', '/a?x=2']);
});

it('a crawl stays on the host and the port of its start page', async () => {
  const other = await openSite({ '/x': page('other') });
  const site = await openSite({
    '/': page(
      'home',
      `${other.origin}/x`,
      `http://localhost:${other.port}/x`,
      '//example.com/y',
      'https://127.0.0.1/z',
      '/a',
    ),
    '/a': page('a'),
  });
  const { pages, failed } = await crawlSite(site, { trusted: [other] });
  expect([pages, failed, other.requests]).toEqual([['/', '/a'], {}, []]);
});

it('a crawl treats the host that its start page redirects to as the site', async () => {
  const site = await openSite({ '/home': page('home', '/a'), '/a': page('a') });
  const old = await openSite({ '/': { status: 301, headers: { location: `${site.origin}/home` } } });
  const { pages, all } = await crawlSite(old, { trusted: [site] });
  expect(pages).toEqual([`${site.origin}/home`, `${site.origin}/a`]);
  expect(all[0]?.title).toBe('home');
});

it('a crawl does not follow another page to another site, and reads a page with two addresses once', async () => {
  const other = await openSite({ '/x': page('other') });
  const site = await openSite({
    '/': page('home', '/away', '/one', '/two'),
    '/away': { status: 302, headers: { location: `${other.origin}/x` } },
    '/one': { status: 302, headers: { location: '/both' } },
    '/two': { status: 302, headers: { location: '/both' } },
    '/both': page('both', '/both', '/one'),
  });
  const { pages, failed } = await crawlSite(site, { trusted: [other] });
  expect(pages).toEqual(['/', '/both']);
  expect(failed).toEqual({ '/away': 'The page redirects to another site.' });
  expect(other.requests).toEqual([]);
});

it('a crawl reads only paths that are included, none that is excluded, and the start page in any case', async () => {
  const site = await openSite({
    '/': page('home', '/help/a', '/help/old/b', '/shop', '/%C3%BCber-uns?help'),
    '/help/a': page('a'),
    '/help/old/b': page('b'),
    '/shop': page('shop'),
    '/%C3%BCber-uns': page('us'),
  });
  const paths = (includePaths: string[], excludePaths: string[] = []) =>
    crawlSite(site, { includePaths, excludePaths }).then(({ pages }) => pages);
  expect(await paths(['^/help/'])).toEqual(['/', '/help/a', '/help/old/b']);
  expect(await paths(['^/help/'], ['old'])).toEqual(['/', '/help/a']);
  expect(await paths([], ['help', '^/$'])).toEqual(['/', '/shop', '/%C3%BCber-uns?help']);
  expect(await paths(['über', 'SHOP'])).toEqual(['/', '/%C3%BCber-uns?help']);
  expect(await paths(['(?i)SHOP'])).toEqual(['/', '/shop']);
});

it('a crawl finds pages by the base of their links', async () => {
  const site = await openSite({
    '/': '<base href="/docs/"><p>home</p><a href="a">a</a>',
    '/docs/a': page('a'),
  });
  expect((await crawlSite(site)).pages).toEqual(['/', '/docs/a']);
});

it('a crawl reads plain text too, and reports why it does not read anything else', async () => {
  const site = await openSite({
    '/': page('home', '/a.txt', '/b.pdf', '/gone', '/empty', '/script', '/loop', '/cut'),
    '/a.txt': { body: 'Just\r\ntext.', headers: { 'content-type': 'text/plain' } },
    '/b.pdf': { body: '%PDF-1.7', headers: { 'content-type': 'application/pdf' } },
    '/empty': { body: '' },
    '/script': '<div id="app"></div><script>render()</script>',
    '/loop': { status: 302, headers: { location: '/loop' } },
    '/cut': (request) => request.socket.destroy(),
  });
  const { all, failed } = await crawlSite(site);
  expect(all[1]).toMatchObject({
    url: `${site.origin}/a.txt`,
    title: '/a.txt',
    text: 'Just\ntext.',
    markdown: 'Just\ntext.',
  });
  expect(all.length).toBe(2);
  expect(failed).toEqual({
    '/b.pdf': 'The page is neither HTML nor plain text but application/pdf.',
    '/gone': 'The page answered with status 404.',
    '/empty': 'The page contains no text.',
    '/script': 'The page contains no text. Scripts, which may create some, are not run.',
    '/loop': 'The page redirects too often.',
    '/cut': 'The connection to the site failed.',
  });
});

it('a crawl continues from a start page that has only links, and fails when nothing could be read', async () => {
  const framed = await openSite({ '/': '<nav><a href="/a">a</a></nav>', '/a': page('a') });
  expect((await crawlSite(framed)).pages).toEqual(['/a']);
  const gone = await openSite({});
  expect(await crawlSite(gone)).toMatchObject({
    pages: [],
    failed: { '/': 'The page answered with status 404.' },
    failure: 'The page answered with status 404.',
  });
});

it('a crawl follows a page that sends its visitors on within the site, and keeps the text of one that sends them elsewhere', async () => {
  const refresh = (content: string, text = 'One moment, please.') =>
    `<meta http-equiv="Refresh" content="${content}"><p>${text}</p>`;
  const site = await openSite({
    '/': refresh('0; url=/home'),
    '/home': page('home', '/moved', '/slides', '/out', '/loop'),
    '/moved': refresh("5;URL='new.html'"),
    '/new.html': page('new'),
    '/slides': refresh('60; url=/slide2', 'The first slide.'),
    '/slide2': page('slide2'),
    '/out': refresh('0; url=https://elsewhere.example/', 'We have a new site.'),
    '/loop': refresh('0; url=/loop2'),
    '/loop2': refresh('0; url=/loop'),
  });
  const { pages, all, failed } = await crawlSite(site);
  expect(pages).toEqual(['/home', '/new.html', '/slides', '/out', '/slide2']);
  expect(all.map(({ text }) => text)).not.toContain('One moment, please.');
  expect(failed).toEqual({ '/loop': 'The page redirects too often.' });
});

it('a crawl does not follow a page to one that robots.txt forbids', async () => {
  const site = await openSite({
    '/robots.txt': 'User-agent: *\nDisallow: /secret',
    '/': '<meta http-equiv="refresh" content="0;/secret"><p>Wait</p>',
    '/secret': page('secret'),
  });
  expect(await crawlSite(site)).toMatchObject({ pages: [], failure: expect.stringContaining('robots.txt') });
  expect(site.paths()).not.toContain('/secret');
});

it('a crawl reads the pages of frames as links', async () => {
  const site = await openSite({
    '/': '<frameset cols="20%,80%"><frame src="nav.html"><frame src="main.html"><noframes>Update!</noframes></frameset>',
    '/nav.html': '<nav><a href="/a">a</a></nav>',
    '/main.html': `${page('main')}<iframe src="/inner"></iframe><iframe src="https://elsewhere.example/"></iframe>`,
    '/a': page('a'),
    '/inner': page('inner'),
  });
  expect(await crawlSite(site)).toMatchObject({
    pages: ['/main.html', '/a', '/inner'],
    failed: {
      '/': 'The page has no text of its own. It shows other pages in frames, which count as its links.',
      '/nav.html': 'The page contains no text.',
    },
  });
});

it('a page that only shows a page of another site in a frame says so', async () => {
  const site = await openSite({
    '/': '<iframe src="https://booking.example/widget"></iframe><script>track()</script>',
  });
  expect((await crawlSite(site)).failure).toContain(
    'The page has no text of its own. It shows a page of another site in a frame, which is not read: booking.example.',
  );
});

it('a crawl reads a page once, whatever its links say about where a visitor comes from', async () => {
  const site = await openSite({
    '/': page('home', '/a?utm_source=x&gclid=1', '/a?fbclid=2', '/a', '/b?msclkid=3&page=2', '/b?page=2&UTM_Medium=y'),
    '/a': page('a'),
    '/b?page=2': page('b'),
  });
  expect((await crawlSite(site, { start: '/?utm_campaign=z' })).pages).toEqual(['/?utm_campaign=z', '/a', '/b?page=2']);
});

it('a crawl keeps the canonical one of two copies, and pages that name another page by mistake', async () => {
  const canonical = (path: string, text: string) => `<link rel="canonical" href="${path}"><p>${text}</p>`;
  const site = await openSite({
    '/': page('home', '/shoes?session=7', '/print/hours', '/hats', '/gloves', '/away'),
    '/shoes?session=7': canonical('/shoes', 'Shoes of all sizes.'),
    '/shoes': canonical('/shoes', 'Shoes of all sizes.'),
    '/print/hours': canonical('/hours', 'Nine to five.'),
    '/hours': canonical('/hours', 'Nine to five.'),
    '/hats': canonical('/', 'Hats of felt.'),
    '/gloves': canonical('/', 'Gloves of leather.'),
    '/away': canonical('https://elsewhere.example/', 'Sold elsewhere, too.'),
  });
  const { pages } = await crawlSite(site);
  expect(pages.sort()).toEqual(['/', '/away', '/gloves', '/hats', '/hours', '/shoes']);
  expect(site.paths()).not.toContain('https://elsewhere.example/');
});

it('a page whose compressed text ends too early is read with a warning, and one without any text fails with the reason', async () => {
  const send = (text: string, end: number): Reply => {
    const headers = { 'content-encoding': 'gzip', etag: '"1"' };
    return { headers, body: gzipSync(text).subarray(0, end) };
  };
  const site = await openSite({ '/': send(`${page('home', '/none')} ${randomUUID()}`, -9), '/none': send('text', 10) });
  const { all, failed, warnings } = await crawlSite(site);
  const cutOff = 'The page arrived incomplete: its compressed text ends too early.';
  expect(warnings).toEqual([{ code: 'cut', message: `${site.origin}/: ${cutOff}` }]);
  expect(all).toMatchObject([{ text: expect.stringContaining('home'), validators: {} }]);
  expect(failed).toEqual({ '/none': cutOff });
});

it('a crawl says which page has bytes that are no text', async () => {
  const site = await openSite({
    '/': { body: Buffer.concat([Buffer.from('<p>Größe, Maß, Öl'), Buffer.from([0xff])]) },
  });
  const { all, warnings } = await crawlSite(site);
  expect(all[0]?.text).toBe('Größe, Maß, Öl\ufffd');
  expect(warnings).toEqual([{ code: 'undecodable_bytes', message: expect.stringMatching(/^http.*: Some bytes are/) }]);
});

it('a crawl gives up a page that its reader does not finish, and reads the next', async () => {
  const site = await openSite({ '/trap': '<p>endless</p>', '/a': page('a') });
  const reader = new WebPages({ trustedOrigins: new Set([site.origin]) }).open();
  const visitor = new PageVisitor(reader, Date.now() + 60_000, undefined, endlessHtmlReader);
  const visit = (path: string) => visitor.visit(new URL(path, site.origin), () => {});
  const { timeoutSeconds } = limits;
  limits.timeoutSeconds = 0.5;
  expect((await visit('/trap')).error?.message).toBe('The page was not read within 15 seconds.');
  limits.timeoutSeconds = timeoutSeconds;
  expect((await visit('/a')).page?.text).toContain('This is a.');
  await endlessHtmlReader.close();
  await reader.close();
});

it('a crawl reports which page has links that its path patterns cannot match in time', {
  tags: 'heavy',
  timeout: 20_000,
}, async () => {
  const links = Array.from({ length: 20 }, (_, n) => `/${'a'.repeat(1900)}${n}`);
  const site = await openSite({ '/': page('home', ...links) });
  // No pattern matches, so every machine tries all of them.
  const includePaths = Array.from({ length: 50 }, () => '(a|b|c|d|e|f){1000}$');
  const { pages, failed } = await crawlSite(site, { includePaths });
  expect(pages).toEqual(['/']);
  expect(failed).toEqual({ '/': expect.stringMatching(/^The links of this page were not followed: .* patterns\.$/) });
});

it('a crawl ends in time, with the pages read until then', async () => {
  const site = await openSite({
    '/': page('home', '/slow', '/slower', '/slowest', '/next'),
    '/slow': { body: page('slow'), delayMilliseconds: 30_000 },
    '/slower': () => {},
    '/slowest': () => {},
    '/next': page('next'),
  });
  const started = Date.now();
  const { pages, failed } = await crawlSite(site, { milliseconds: 1200 });
  expect(Date.now() - started).toBeLessThan(15_000);
  expect(pages).toEqual(['/']);
  const tooLate = 'The crawl ran out of time before this page was read.';
  expect(failed).toEqual({ '/slow': tooLate, '/slower': tooLate, '/slowest': tooLate });
  expect(site.paths()).not.toContain('/next');
});

it('a crawl reports a page with too deep nesting, and reads the others', async () => {
  const site = await openSite({
    '/': page('home', '/trap', '/deep', '/a'),
    '/trap': `${'<div>'.repeat(20_000)}x`,
    '/deep': `${'<div>'.repeat(3000)}x`,
    '/a': page('a'),
  });
  const { pages, failed } = await crawlSite(site);
  expect(pages).toEqual(['/', '/deep', '/a']);
  expect(failed).toEqual({ '/trap': 'The page is too large or too intricate to be read.' });
});

describe('robots.txt', () => {
  const home = { '/': page('home', '/a', '/b'), '/a': page('a'), '/b': page('b') };
  const forbidden = 'The site’s robots.txt does not allow this page to be read.';
  const crawlWith = async (robots: Reply, pages: Record<string, Reply> = home) => {
    const site = await openSite({ ...pages, '/robots.txt': robots });
    const result = await crawlSite(site);
    return { ...result, asked: site.paths().sort() };
  };
  const text = (body: string): Reply => ({ body, headers: { 'content-type': 'text/plain' } });

  it('robots.txt is obeyed for every page, and requested once', async () => {
    const site = await openSite({ ...home, '/robots.txt': text('User-agent: *\nDisallow: /a') });
    const { pages, failed } = await crawlSite(site);
    expect([pages, failed]).toEqual([['/', '/b'], { '/a': forbidden }]);
    expect(site.requests.filter(({ path }) => path === '/robots.txt').length).toBe(1);
    expect(site.paths()).not.toContain('/a');
  });

  it('robots.txt is obeyed for the start page too, which then fails', async () => {
    const { asked, failure, failed } = await crawlWith(text('User-agent: *\nDisallow: /'));
    expect([asked, failure, failed]).toEqual([[], forbidden, { '/': forbidden }]);
  });

  it('robots.txt is read behind its mark, by the group for the crawler’s name', async () => {
    const robots = '\ufeffUser-agent: VoiceAgentPlatformBot\r\nDisallow: /a\r\n\r\nUser-agent: *\r\nDisallow: /';
    expect((await crawlWith(text(robots))).pages).toEqual(['/', '/b']);
  });

  it('a missing robots.txt allows everything, and nothing while its server fails', async () => {
    expect((await crawlWith({ status: 404 })).pages).toEqual(['/', '/a', '/b']);
    const { asked, failure } = await crawlWith({ status: 503 });
    expect(asked).toEqual([]);
    expect(failure).toBe('The site’s robots.txt could not be read, and without it no page may be.');
  });

  it('robots.txt is obeyed for the target of a redirect', async () => {
    const { pages, failed } = await crawlWith(text('User-agent: *\nDisallow: /private'), {
      '/': page('home', '/door'),
      '/door': { status: 302, headers: { location: '/private' } },
      '/private': page('private'),
    });
    expect([pages, failed]).toEqual([['/'], { '/door': forbidden }]);
  });

  it('robots.txt does not count toward the pages that may be tried', async () => {
    const links = Array.from({ length: 30 }, (_, n) => `/no/${n}`);
    const { pages } = await crawlWith(text('User-agent: *\nDisallow: /no/'), {
      '/': page('home', ...links, '/yes'),
      '/yes': page('yes'),
    });
    expect(pages).toEqual(['/', '/yes']);
  });
});
