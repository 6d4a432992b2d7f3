import { RE2JS } from 're2js';
import * as z from 'zod/mini';
import { describe } from './describe.ts';
import type { ErrorDetail } from './errors.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';

/** Declares a whole number from 1. A number larger than `max` becomes `max`. */
const capped = (max: number, fallback: number, description: string) =>
  z._default(
    z
      .pipe(
        z
          .number()
          .check(
            z.refine((value) => Number.isInteger(value) && value >= 1, { error: 'must be a whole number from 1' }),
          ),
        z.transform((value) => Math.min(value, max)),
      )
      .check(describe(description, fallback, { type: 'integer', minimum: 1 })),
    fallback,
  );

/** Compiling a pattern may take long: the operation does it, in a sandboxed worker. */
const PathPattern = z.string().check(z.maxLength(limits.pathPatternCharacters));

const pathPatterns = (description: string, example: string) =>
  z._default(list(PathPattern, { max: limits.pathPatterns }).check(describe(description, [example])), []);

const patternSyntax = 'Regular expressions that match anywhere in the path, without look-around and back-references.';

/** The limits of a crawl. */
export const CrawlControls = z.object({
  limit: capped(limits.crawlPages, 5, `Maximum number of pages; at most ${limits.crawlPages} are applied.`),
  maxDepth: capped(
    limits.crawlDepth,
    1,
    `Maximum number of links away from the start page; at most ${limits.crawlDepth} are applied.`,
  ),
  includePaths: pathPatterns(`Only pages whose path matches one of these are read. ${patternSyntax}`, '^/help/'),
  excludePaths: pathPatterns(`Pages whose path matches one of these are not read. ${patternSyntax}`, '/archive/'),
});
export type CrawlControls = z.infer<typeof CrawlControls>;

/** The patterns that select the paths of a crawl. */
export type PathPatterns = Pick<CrawlControls, 'includePaths' | 'excludePaths'>;

/** The CPU time that the patterns of one request may take to compile. */
const maxCompileMicroseconds = 300_000;

/** Returns the errors of patterns that do not compile, or that follow those that used up the time. */
export const patternErrors = (patterns: PathPatterns): ErrorDetail[] => {
  const before = process.threadCpuUsage();
  return (['includePaths', 'excludePaths'] as const).flatMap((field) =>
    patterns[field].flatMap((pattern, index) => {
      const { user, system } = process.threadCpuUsage(before);
      const isLate = user + system > maxCompileMicroseconds;
      const fault = isLate ? 'these patterns take too long to compile' : findPatternFault(pattern);
      const message = `${JSON.stringify(pattern)} is not a regular expression that matches in linear time: ${fault}`;
      return fault === undefined ? [] : [{ path: `${field}.${index}`, message }];
    }),
  );
};

/** The limits of a crawl, with its patterns compiled. */
export const CompiledCrawlControls = CrawlControls.check(
  z.check(({ value, issues }) => {
    for (const { path, message } of patternErrors(value)) {
      issues.push({ code: 'custom', message, path: path.split('.'), input: value });
    }
  }),
);

const findPatternFault = (pattern: string): string | undefined => {
  try {
    compile(pattern);
  } catch (error) {
    return (error as Error).message.replace(/^error parsing regexp: /, '');
  }
};

const compile = (pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern));

/** Returns a check of whether a page may be read. Patterns are matched against its path as it is sent, and decoded. */
export const pathFilter = ({ includePaths, excludePaths }: PathPatterns): ((url: URL) => boolean) => {
  const included = includePaths.map(compile);
  const excluded = excludePaths.map(compile);
  return ({ pathname }) => {
    const forms = [...new Set([pathname, readable(pathname)])];
    const meets = (pattern: RE2JS) => forms.some((form) => pattern.test(form));
    return !excluded.some(meets) && (included.length === 0 || included.some(meets));
  };
};

const readable = (pathname: string) => {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
};
