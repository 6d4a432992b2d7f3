import { type PathPatterns, pathFilter } from '../domain/crawl-controls.ts';
import { runInWorker } from '../extraction/sandboxed-worker.ts';

/** Matches paths with patterns in a sandboxed worker: linear time is still long when patterns and paths are. */
export const pathMatcher = runInWorker(
  'matchPaths',
  import.meta.url,
  ({ urls, ...patterns }: PathPatterns & { urls: string[] }): string[] => {
    const isWanted = pathFilter(patterns);
    return urls.filter((url) => isWanted(new URL(url)));
  },
  { timeoutSeconds: 5, heapMegabytes: 64 },
);

/** Returns the URLs whose paths the patterns of a crawl include. */
export const wantedUrls = async ({ includePaths, excludePaths }: PathPatterns, urls: string[]): Promise<string[]> =>
  urls.length === 0 || includePaths.length + excludePaths.length === 0
    ? urls
    : pathMatcher.run({ includePaths, excludePaths, urls });
