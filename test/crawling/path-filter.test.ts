import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { checkPatterns, pathMatcher, patternCompiler, wantedUrls } from '../../functions/crawling/path-filter.ts';
import { patternErrors } from '../../functions/domain/crawl-controls.ts';
import { longestTurn } from '../support/longest-turn.ts';

const site = 'https://site.example';
afterAll(() => Promise.all([pathMatcher.close(), patternCompiler.close()]));

it('path patterns keep the URLs whose paths they include, in their order', async () => {
  const urls = ['/help/a', '/shop', '/help/old/b'].map((path) => site + path);
  expect(await wantedUrls({ includePaths: ['^/help/'], excludePaths: ['old'] }, urls)).toEqual([urls[0]]);
  expect(await wantedUrls({ includePaths: [], excludePaths: [] }, urls)).toEqual(urls);
});

it('path patterns that take too long are aborted, and never block the event loop', async () => {
  // No pattern matches, so every machine tries all of them.
  const patterns = Array.from({ length: 50 }, () => '(a|b|c|d|e|f){1000}$');
  const urls = Array.from({ length: 20 }, (_, index) => `${site}/${'a'.repeat(1990)}${index}`);
  const matching = wantedUrls({ includePaths: patterns, excludePaths: patterns }, urls);
  expect(await longestTurn(matching)).toBeLessThan(1000);
  // Which bound is reached first depends on the machine.
  const error = await matching.catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'WorkerAbortedError', reason: expect.stringMatching(/time|memory/) });
  expect(await wantedUrls({ includePaths: ['^/a'], excludePaths: [] }, [`${site}/a`])).toEqual([`${site}/a`]);
});

it('path patterns of any kind that are accepted match or are aborted in bounded time', async () => {
  const piece = fc.constantFrom(
    'a',
    '.',
    '*',
    '+',
    '?',
    '(',
    ')',
    '|',
    '[^x]',
    '{1,30}',
    '{100}',
    '\\pL',
    '(?i)',
    '^',
    '$',
    '\\b',
  );
  const pattern = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(pattern, { minLength: 1, maxLength: 3 }), async (includePaths) => {
      // A rejected list of patterns does not count as a run.
      fc.pre(patternErrors({ includePaths, excludePaths: [] }).length === 0);
      const started = performance.now();
      const matching = wantedUrls({ includePaths, excludePaths: [] }, [`${site}/${'ab'.repeat(1000)}`]);
      expect(await longestTurn(matching)).toBeLessThan(1000);
      await matching.catch(({ name }) => expect(name).toBe('WorkerAbortedError'));
      expect(performance.now() - started).toBeLessThan(8000);
    }),
    { numRuns: 10, maxSkipsPerRun: 1000 },
  );
}, 60_000);

it('patterns that take long to compile are refused after a bounded time, and never block the event loop', async () => {
  const patterns = Array.from({ length: 50 }, () => 'x{1000}'.repeat(28));
  const checking = checkPatterns({ includePaths: patterns, excludePaths: patterns });
  expect(await longestTurn(checking)).toBeLessThan(1000);
  await expect(checking).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('too long'),
  });
}, 20_000);
