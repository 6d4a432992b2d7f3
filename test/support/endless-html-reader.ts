import type { ReadPage, ReceivedPage } from '../../functions/extraction/page.ts';
import { runInWorker } from '../../functions/extraction/sandboxed-worker.ts';

/** Tests change the time. */
export const limits = { timeoutSeconds: 60, heapMegabytes: 32 };

/** A reader of pages that never finishes one with the word "endless". */
export const endlessHtmlReader = runInWorker(
  'endlessHtmlReader',
  import.meta.url,
  ({ bytes }: ReceivedPage): ReadPage => {
    const text = new TextDecoder().decode(bytes);
    while (text.includes('endless'));
    return { title: '', text, markdown: text, links: [], hasScripts: false, frames: [] };
  },
  limits,
);
