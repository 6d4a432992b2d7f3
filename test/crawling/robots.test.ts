import fc from 'fast-check';
import robotsParser from 'robots-parser';
import { afterAll, describe, expect, it } from 'vitest';
import { robotsFilter } from '../../functions/crawling/robots.ts';
import { limits } from '../../functions/domain/limits.ts';
import { anyCharacter } from '../support/any-character.ts';
import { robotsJudge } from '../support/judge-robots.ts';

const crawler = 'VoiceAgentPlatformBot';
const site = 'https://site.example';
const isAllowed = (robots: string, path: string) => robotsFilter(robots, crawler)(new URL(site + path));
/** Its types describe a default export that the module does not have. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

afterAll(() => robotsJudge.close());

it.each([
  ['the longest matching rule decides', 'Disallow: /a\nAllow: /a/b', { '/a/b/c': true, '/a/c': false, '/': true }],
  ['the allowing one of two rules of the same length decides', 'Disallow: /a\nAllow: /a', { '/a': true }],
  ['a wildcard is any text', 'Disallow: /*/private*.pdf', { '/x/private/a.pdf?b': false, '/private/a.pdf': true }],
  ['a dollar sign is the end', 'Disallow: /*.php$', { '/a.php': false, '/a.php?b': true, '/a.php.php': false }],
  ['a dollar sign within a rule stands for itself', 'Disallow: /a$b', { '/a$b': false, '/a': true }],
  ['letters beyond ASCII match in either form', 'Disallow: /ü\nDisallow: /%c3%a4', { '/ü': false, '/ä': false }],
  ['a query is part of the path', 'Disallow: /*?print=', { '/a?print=1': false, '/a': true }],
  ['consecutive wildcards are one', `Disallow: /${'*'.repeat(400_000)}x$`, { '/abc': true, '/abx': false }],
  ['a rule without a path has no effect', 'Disallow:\nAllow:', { '/': true }],
] as [string, string, Record<string, boolean>][])('in a robots.txt, %s', (_, rules, expected) => {
  const robots = `User-agent: *\n${rules}`;
  expect(Object.fromEntries(Object.keys(expected).map((path) => [path, isAllowed(robots, path)]))).toEqual(expected);
});

it('a robots.txt is read as far as its first thousand rules for the crawler', () => {
  const others = 'User-agent: OtherBot\nDisallow: /\n'.repeat(5000);
  const rules = Array.from({ length: limits.robotsRules + 1 }, (_, index) => `Disallow: /${index}$`).join('\n');
  const robots = `${others}User-agent: *\n${rules}`;
  expect(isAllowed(robots, `/${limits.robotsRules - 1}`)).toBe(false);
  expect(isAllowed(robots, `/${limits.robotsRules}`)).toBe(true);
});

it('a robots.txt is judged like the package robots-parser judges it', () => {
  const path = fc.stringMatching(/^\/[ab/%2fFü?=.]{0,6}$/);
  const pattern = fc.stringMatching(/^\/?([ab/ü.?=]|%2f|%2F|\*[ab/.]){0,6}[*$]?$/);
  const line = fc.oneof(
    fc.constantFrom('*', crawler, 'voiceagentplatformbot/2.0', 'OtherBot').map((agent) => `User-agent: ${agent}`),
    fc.tuple(fc.constantFrom('Allow', 'disallow', ' Disallow '), pattern).map(([field, rule]) => `${field}: ${rule}`),
    fc.constantFrom('', '# comment', 'Sitemap: https://site.example/map.xml', 'Crawl-delay: 5', 'nonsense', 'a b: c'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), path, (lines, path) => {
      const robots = lines.join('\n');
      const theirs = parseRobots(`${site}/robots.txt`, robots).isAllowed(`${site}${path}`, crawler);
      expect(isAllowed(robots, path)).toBe(theirs);
    }),
    { numRuns: 1000 },
  );
});

describe('a robots.txt made to do harm is judged in bounded time and memory', () => {
  const fill = (piece: string, end = '') =>
    piece.repeat(Math.floor((limits.robotsBytes - end.length) / piece.length)) + end;
  const urls = [site, `${site}/${'a'.repeat(2000)}`, `${site}/${'ab'.repeat(1000)}?${'a'.repeat(20)}`];
  it.each([
    ['many agents and many rules', `${'User-agent:*\n'.repeat(17_000)}${fill('Disallow:/\n').slice(0, 240_000)}`],
    ['one rule of wildcards', `User-agent: *\nDisallow: /${fill('*')}`],
    ['one rule of letters and wildcards', `User-agent: *\nDisallow: /${fill('*a')}b`],
    ['rules of wildcards', `User-agent: *\n${fill(`Disallow: ${'*a'.repeat(1000)}b\n`)}`],
    ['rules that nearly match', `User-agent: *\n${fill(`Disallow: *${'a'.repeat(1990)}b\n`)}`],
    ['lines without an end', fill('User-agent: '.padEnd(1000, ' '))],
    ['one line of white space', `User-agent: *\n${fill(' ')}`],
    ['empty lines', fill('\r')],
    ['agents of its own', fill('User-agent: bot\nDisallow: /\n')],
    ['fields without values', fill('a-')],
  ])('a robots.txt of %s is judged in bounded time and memory', async (_, robots) => {
    expect(await robotsJudge.run({ robots, urls })).toHaveLength(urls.length);
  });

  it('any robots.txt is judged in bounded time and memory', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'User-agent: *\n',
        'Disallow: ',
        'Allow: /',
        '*',
        '$',
        '/',
        'a',
        '%',
        '#',
        ':',
        '\r',
        '\n',
        '\0',
        ' ',
      ),
      fc.string({ unit: anyCharacter, maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 8 }),
        fc.array(piece, { maxLength: 8 }),
        async (a, b) => {
          const robots = `User-agent: *\n${fill(a.join('') || 'x').slice(0, limits.robotsBytes / 2)}${fill(b.join('') || 'x')}`;
          const judged = await robotsJudge.run({ robots: robots.slice(0, limits.robotsBytes), urls });
          expect(judged).toHaveLength(urls.length);
        },
      ),
      { numRuns: 15 },
    );
  });
});
