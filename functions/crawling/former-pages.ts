import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Validators } from '../clients/public-web/web-pages.ts';
import type { Page } from '../domain/sources.ts';
import { type PageContent, pageReaderVersion } from '../extraction/page.ts';
import type { CrawledPage, FormerPage, FormerPages } from './page-visitor.ts';

/** What is kept of a crawl beside its texts: the length of each page in the Markdown, and what the texts do not have. */
type Visits = {
  reader: number;
  pages: { markdownUnits: number; validators: Validators; content: Omit<PageContent, 'title' | 'text' | 'markdown'> }[];
};

const separator = '\n\n---\n\n';

/** Formats pages as one Markdown text: for each a heading with its title, its URL, and its text without a repeated heading. */
export const formatPages = (pages: CrawledPage[]): string => pages.map(formatPage).join(separator);

const formatPage = ({ url, title, markdown }: CrawledPage): string => {
  const heading = `# ${title}`;
  const rest = markdown.startsWith(`${heading}\n`) || markdown === heading ? markdown.slice(heading.length) : markdown;
  return `${heading}\n\n<${url}>\n\n${rest.trim()}`.trim();
};

/** Visits that take more bytes are not kept: they fit into one item. */
const maxBytes = 350_000;

/** Packs what the next crawl needs to ask only for pages that have changed; undefined when no server can tell, or it is too much. */
export const packVisits = (pages: CrawledPage[]): Uint8Array | undefined => {
  if (!pages.some(({ validators }) => hasValidator(validators))) return undefined;
  const visits: Visits = {
    reader: pageReaderVersion,
    pages: pages.map((page) => {
      const { title: _title, text: _text, markdown: _markdown, ...content } = page.content;
      return { markdownUnits: formatPage(page).length, validators: page.validators, content };
    }),
  };
  const packed = deflateRawSync(JSON.stringify(visits));
  return packed.length <= maxBytes ? packed : undefined;
};

const hasValidator = ({ etag, lastModified }: Validators) => etag !== undefined || lastModified !== undefined;

/** Returns when each page was first read (Unix milliseconds), also by a former crawl; undefined if all are new. */
export const listReadingTimes = (
  pages: CrawledPage[],
  now: number,
  former: { content: string; getTime: (page: number) => number } | undefined,
): number[] | undefined => {
  const known = new Map(
    ((former ? JSON.parse(former.content) : []) as Page[]).map(({ url, text }, page) => [url, { text, page }]),
  );
  const times = pages.map(({ url, text }) => {
    const same = known.get(url);
    return former && same?.text === text.toWellFormed() ? former.getTime(same.page) : now;
  });
  return times.some((time) => time !== now) ? times : undefined;
};

/** Returns the pages of a former crawl from its visits and its texts. */
export const unpackFormerPages = (packed: Uint8Array, texts: { content: string; contentMD: string }): FormerPages => {
  const { reader, pages: visits } = JSON.parse(inflateRawSync(packed).toString()) as Visits;
  if (reader !== pageReaderVersion) return new Map();
  const pages = JSON.parse(texts.content) as Page[];
  const former = new Map<string, FormerPage>();
  let start = 0;
  for (const [index, { markdownUnits, validators, content }] of visits.entries()) {
    const { url, title, text } = pages[index] as Page;
    const section = texts.contentMD.slice(start, start + markdownUnits);
    start += markdownUnits + separator.length;
    const markdown = `# ${title}\n${section.slice(`# ${title}\n\n<${url}>`.length)}`;
    if (hasValidator(validators)) former.set(url, { content: { ...content, title, text, markdown }, validators });
  }
  return former;
};
