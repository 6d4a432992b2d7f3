import type { ReadHtml } from '../../functions/extraction/html.ts';
import { runInWorker } from '../../functions/extraction/sandboxed-worker.ts';

/** A reader of HTML that never finishes a page with the word "endless", and is aborted after a second. */
export const endlessHtmlReader = runInWorker(
  'endlessHtmlReader',
  import.meta.url,
  ({ html }: { html: string; url: string }): ReadHtml => {
    while (html.includes('endless'));
    return { title: '', text: html, markdown: html, links: [] };
  },
  { timeoutSeconds: 1, heapMegabytes: 32 },
);
