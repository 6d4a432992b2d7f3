import * as z from 'zod/mini';
import { timestamp } from './date-time.ts';
import { component, describe, flagField, listField, objectComponent, textField, wholeField } from './describe.ts';
import { examples } from './examples.ts';
import { AgentId, Identifier, Uid } from './identifiers.ts';
import { limits } from './limits.ts';
import { RefreshEvery } from './refresh-plan.ts';
import { listedTextFields, SourceChange, warningsField } from './sources.ts';
import { cut } from './text.ts';

/** The address that a crawl starts from: of a web page, without a password in it. It is kept as it was sent. */
export const StartUrl = z.string().check(
  z.maxLength(limits.urlCharacters),
  z.refine((value) => isWebAddress(URL.parse(value)), { error: 'must be an http or https address of a website' }),
  describe('The page that the crawl starts from.', 'https://www.example.com/', { format: 'uri' }),
);

/** Checks that an address is http or https, and holds no password. */
export const isWebAddress = (url: URL | null): url is URL =>
  url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.username === '' && url.password === '';

export const FailedPage = objectComponent('FailedPage', 'A page that was not read, with the reason.', {
  url: textField('Address of the page.', 'https://www.example.com/broken'),
  reason: textField('The reason, in a sentence.', 'The page answered with status 404.'),
});
export type FailedPage = z.infer<typeof FailedPage>;

export const WebsiteStatus = z.enum(['pending', 'crawling', 'ready', 'failed']);

export const WebsiteId = Identifier.check(describe('Id of the website.', examples.websiteId));

/** A website of an agent, as a request names it. */
export const WebsiteReference = z.object({ uid: Uid, agentId: AgentId, websiteId: WebsiteId });

const listed = (description: string, example: string) => listField(z.string(), description, [example]);

export const WebsiteSummary = objectComponent('WebsiteSummary', 'A website of a knowledge base, without its text.', {
  id: textField('Id of the website.', examples.websiteId),
  agentId: AgentId,
  name: textField('Name of the website. Initially its host.', 'www.example.com'),
  url: textField('The page that the crawl starts from.', 'https://www.example.com/'),
  active: flagField('Whether the agent uses the website.', true),
  lastUpdatedBy: textField('Id of the user who last changed it.', 'demo-user'),
  lastUpdatedAt: timestamp('When it was last changed by a user, or by the service at the end of a crawl.'),
  status: WebsiteStatus.check(describe('Status of the crawl.', 'ready')),
  error: z.optional(textField('The reason of a failure, in a sentence.', 'The host was not found.')),
  ...warningsField,
  pages: wholeField('Number of pages that were read.', 5),
  failedPages: listField(FailedPage, 'The pages that could not be read.'),
  limit: wholeField('Maximum number of pages.', 5),
  maxDepth: wholeField('Maximum number of links away from the start page.', 1),
  includePaths: listed('Only paths that one of these matches are read.', '^/help/'),
  excludePaths: listed('Paths that one of these matches are not read.', '/archive/'),
  lastCrawledAt: z.optional(timestamp('When the pages were last read. Absent until they are for the first time.')),
  refreshEvery: z.optional(wholeField('Days until it is crawled again. Absent when it never is.', 7)),
  nextRefreshAt: z.optional(
    timestamp(
      'When it is crawled again. Absent when it never is, and while it is not active.',
      '2026-03-08T10:00:00.000Z',
    ),
  ),
});
export type WebsiteSummary = z.infer<typeof WebsiteSummary>;

/** A change of a website. */
export const WebsiteChange = z.extend(SourceChange, { refreshEvery: z.optional(RefreshEvery) });
export type WebsiteChange = z.infer<typeof WebsiteChange>;

/** A website with its text, which a list cuts if it is too long. */
export const Website = component(
  'Website',
  'A website of a knowledge base. `content` is JSON text, an array of `{ url, title, text }`, one for each page.',
  z.object({ ...WebsiteSummary.shape, ...listedTextFields }),
);

/** Returns the name of a website that was added without one: its host. */
export const nameOfSite = (url: string) => cut(new URL(url).host, limits.nameCharacters);

/** Returns the address of a page within a site, or undefined outside it: host and port are the same, and `http` may become `https`. */
export const withinSite = (site: URL, url: URL): URL | undefined => {
  if (!isWebAddress(url) || url.hostname !== site.hostname) return undefined;
  if (url.protocol === site.protocol) return url.port === site.port ? url : undefined;
  if (url.protocol === 'https:') return url.port === site.port ? url : undefined;
  if (url.port !== '' || site.port !== '') return undefined;
  const secure = new URL(url);
  secure.protocol = 'https:';
  return secure;
};

/** Returns a page's key: without fragment, trailing slash, `https` and tracking parameters. */
export const pageKey = (url: URL) => {
  const { host, pathname, search } = removeTracking(url);
  return `${host}${pathname.replace(/\/+$/, '')}${search}`;
};

/** Parameters that advertisers and newsletters add to links, and that change no page. */
const trackingParameters =
  /^(utm_\w+|gclid|gclsrc|gbraid|wbraid|dclid|gad_source|gad_campaignid|srsltid|_gl|_ga|fbclid|igshid|igsh|msclkid|yclid|ysclid|ttclid|twclid|li_fat_id|epik|mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi|__hs\w+|hsctatracking|vero_id|vero_conv|oly_anon_id|oly_enc_id|_openstat|wickedid|_kx)$/i;

/** Returns an address without parameters that track a visitor. The rest of the query stays as it is written. */
export const removeTracking = (url: URL): URL => {
  const parameters = url.search.slice(1).split('&');
  const kept = parameters.filter((parameter) => !trackingParameters.test(parameter.split('=', 1)[0] as string));
  if (kept.length === parameters.length) return url;
  const page = new URL(url);
  page.search = kept.join('&');
  return page;
};
