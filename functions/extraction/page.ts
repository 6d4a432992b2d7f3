import type { SourceWarning } from '../domain/sources.ts';
import { type ReadHtml, readHtml } from './html.ts';
import { decodePage } from './page-text.ts';
import { maxCpuSeconds, ReadingBudget } from './reading-budget.ts';
import { runInWorker } from './sandboxed-worker.ts';
import { xhtmlToHtml } from './xhtml.ts';

/** A page as it was received. */
export type ReceivedPage = { url: string; contentType: string; bytes: Uint8Array };

/** The content of a page and what is missing in it. */
export type PageContent = ReadHtml & { warnings?: SourceWarning[] };

/** The content of a page, or the reason in a sentence why it cannot be read. */
export type ReadPage = PageContent | { failure: string };

/** The version of this reader. After a change, pages are read again that servers say are the same. */
export const pageReaderVersion = 2;

export const readPage = ({ url, contentType, bytes }: ReceivedPage): ReadPage => {
  const page = decodePage(bytes, contentType);
  if ('failure' in page) return page;
  const budget = new ReadingBudget(bytes.length);
  const { warnings } = page;
  if (page.kind === 'text') {
    const text = page.text.replace(/\r\n?/g, '\n').trim();
    return { title: '', text, markdown: text, links: [], hasScripts: false, frames: [], warnings };
  }
  const html = page.kind === 'xhtml' ? xhtmlToHtml(page.text) : page.text;
  const content = readHtml({ html, url, budget });
  return { ...content, warnings: [...(warnings ?? []), ...budget.warnings] };
};

/** The longest time that a page is read, however busy the machine is. */
export const pageSeconds = 15;

/** Reads untrusted pages of HTML or plain text in a sandboxed worker. */
export const pageReader = runInWorker(
  'readPage',
  import.meta.url,
  (page: ReceivedPage, begin): ReadPage => {
    begin();
    return readPage(page);
  },
  { timeoutSeconds: pageSeconds, cpuSeconds: ({ bytes }) => maxCpuSeconds(bytes.length), heapMegabytes: 512 },
);
