import { type PathPatterns, pathFilter, patternErrors } from '../domain/crawl-controls.ts';
import { invalidField, invalidRequest } from '../domain/errors.ts';
import { runInWorker, WorkerAbortedError } from '../extraction/sandboxed-worker.ts';

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

/** Compiles patterns in a sandboxed worker. Returns their errors. */
export const patternCompiler = runInWorker('compilePatterns', import.meta.url, patternErrors, {
  timeoutSeconds: 5,
  heapMegabytes: 64,
});

/** Throws a 400 for patterns that do not compile, or not in time. */
export const checkPatterns = async ({ includePaths, excludePaths }: PathPatterns): Promise<void> => {
  if (includePaths.length + excludePaths.length === 0) return;
  const errors = await patternCompiler.run({ includePaths, excludePaths }).catch((error: Error) => {
    throw error instanceof WorkerAbortedError ? invalidField('includePaths', 'take too long to compile') : error;
  });
  if (errors.length > 0) throw invalidRequest(errors);
};
