import fc from 'fast-check';
import robotsParser from 'robots-parser';
import { afterAll, describe, expect, it } from 'vitest';
import { robotsFilter } from '../../functions/crawling/robots.ts';
import { limits } from '../../functions/domain/limits.ts';
import { robotsJudge } from '../support/judge-robots.ts';

const crawler = 'VoiceAgentPlatformBot';
const site = 'https://site.example';
const isAllowed = (robots: string, path: string) => robotsFilter(robots, crawler)(new URL(site + path));
/** Its types describe a default export that the module does not have. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

afterAll(() => robotsJudge.close());

it.each([
  [
    'the parts of a rule do not overlap',
    'Disallow: /*ab*b$\nDisallow: /a*a$',
    { '/ab': true, '/a': true, '/abb': false },
  ],
  ['parts in the middle do not overlap', 'Disallow: /*ab*b', { '/ab': true, '/abab': false }],
  ['a dollar sign within a rule stands for itself', 'Disallow: /a$b', { '/a$b': false, '/a': true }],
  ['letters beyond ASCII match in either form', 'Disallow: /ü\nDisallow: /%c3%a4', { '/ü': false, '/ä': false }],
  ['consecutive wildcards are one', `Disallow: /${'*'.repeat(400_000)}x$`, { '/abc': true, '/abx': false }],
] as [string, string, Record<string, boolean>][])('in a robots.txt, %s', (_, rules, expected) => {
  const robots = `User-agent: *\n${rules}`;
  expect(Object.fromEntries(Object.keys(expected).map((path) => [path, isAllowed(robots, path)]))).toEqual(expected);
});

describe('a robots.txt is judged like Google’s parser judges it', () => {
  const foo = 'user-agent: FooBot';
  const judge =
    (robots: string, agent = 'FooBot') =>
    (path: string) =>
      robotsFilter(robots, agent)(new URL(`http://foo.bar${path}`));
  const twoGroups =
    'allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n';
  /** Fills a line up to one character before its maximum length. */
  const long = (letter: string, field: string) => `/x/${letter.repeat(16_662 - `${field}: /x/`.length)}`;

  it.each([
    ['no file', '', 'FooBot', ['/'], []],
    ['an agent that is nobody', `${foo}\ndisallow: /`, '', ['/'], []],
    ['a group', `${foo}\ndisallow: /`, 'FooBot', [], ['/', '/x/y']],
    ['unknown fields', 'foo: FooBot\nbar: /', 'FooBot', ['/x/y'], []],
    ['missing colons', 'user-agent FooBot\ndisallow /', 'FooBot', [], ['/x/y']],
    ['several groups of an agent', twoGroups, 'FooBot', ['/x/b', '/z/d'], ['/y/c', '/foo/bar/']],
    ['rules after empty lines', twoGroups, 'BarBot', ['/y/c', '/w/a'], ['/z/d', '/foo/bar/']],
    ['two agents of a group', twoGroups, 'BazBot', ['/z/d'], ['/foo/bar/']],
    ['fields in any case', 'uSeR-aGeNt: FooBot\nAlLoW: /x/\nDISALLOW: /', 'FooBot', ['/x/y'], ['/a/b']],
    ['agents in any case', 'User-Agent: FOO BAR\nAllow: /x/\nDisallow: /', 'foo', ['/x/y'], ['/a/b']],
    [
      'an agent up to its first space',
      'User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /',
      'Foo',
      ['/x/y'],
      ['/a'],
    ],
    [
      'an agent that no name can be',
      'User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /',
      'Foo Bar',
      [],
      ['/x/y'],
    ],
    ['a group for all', `user-agent: *\nallow: /\n${foo}\ndisallow: /`, 'FooBot', [], ['/x/y']],
    ['an empty group of its own', `user-agent: *\ndisallow: /\n${foo}`, 'FooBot', ['/x/y'], []],
    ['a group for the others', `user-agent: *\nallow: /\n${foo}\ndisallow: /`, 'BarBot', ['/x/y'], []],
    ['only groups of others', `${foo}\nallow: /\nuser-agent: BarBot\ndisallow: /`, 'QuxBot', ['/x/y'], []],
    ['paths in their case', `${foo}\ndisallow: /X/`, 'FooBot', ['/x/y'], ['/X/y']],
    ['its own group alone', `User-agent: *\nDisallow: /x/\n${foo}\nDisallow: /y/`, 'FooBot', ['/x/page'], ['/y/page']],
    ['encoded ASCII', `${foo}\nDisallow: /\nAllow: /b/%62%61%7A`, 'FooBot', ['/b/%62%61%7A'], ['/b/baz']],
    ['comments', `${foo}\n# Disallow: /\nDisallow: /foo/quz#qux\nAllow: /`, 'FooBot', ['/foo/bar'], ['/foo/quz']],
    [
      'an index page',
      'User-Agent: *\nAllow: /allowed-slash/index.html\nDisallow: /',
      'foobot',
      ['/allowed-slash/', '/allowed-slash/index.html'],
      ['/allowed-slash/index.htm', '/anyother-url'],
    ],
    [
      'a line that is too long',
      `${foo}\ndisallow: ${long('a', 'disallow')}/qux`,
      'FooBot',
      ['/fux'],
      [`${long('a', 'disallow')}/fux`],
    ],
    [
      'long lines that allow',
      `${foo}\ndisallow: /\nallow: ${long('a', 'allow')}/qux\nallow: ${long('b', 'allow')}/qux`,
      'FooBot',
      [`${long('a', 'allow')}/qux`, `${long('b', 'allow')}/fux`],
      ['/'],
    ],
    ['ends of lines of all kinds', `user-agent: foo\rallow: /x\r\n${foo}\r\r\ndisallow: /`, 'FooBot', [], ['/x']],
    [
      'a sitemap after the agents',
      `user-agent: foo\n${foo}\n\nSitemap: http://a.b/s.xml\nDisallow: /`,
      'foo',
      [],
      ['/'],
    ],
  ] as [string, string, string, string[], string[]][])('%s', (_, robots, agent, allowed, forbidden) => {
    const isAllowed = judge(robots, agent);
    expect(allowed.filter((path) => !isAllowed(path))).toEqual([]);
    expect(forbidden.filter(isAllowed)).toEqual([]);
  });
});

it.each([
  ['a field without its hyphen', 'Useragent: *\nDisallow: /a', '/a'],
  ['a field with a space', 'User agent: *\nDisallow: /a', '/a'],
  ...['Dissallow', 'Dissalow', 'Disalow', 'Diasllow', 'Disallaw', 'Desallow'].map((field) => [
    `the field ${field}`,
    `User-agent: *\n${field}: /a`,
    '/a',
  ]),
  ['a path whose tilde a link escapes', 'User-agent: *\nDisallow: /~ada/', '/%7eada/x'],
  ['a path with a question mark', 'User-agent: *\nDisallow: /print?', '/print?'],
  ['an escaped tilde', 'User-agent: *\nDisallow: /%7Eada/', '/~ada/x'],
])('a robots.txt with %s forbids what its owner means', (_, robots, path) => {
  expect([isAllowed(robots as string, path as string), isAllowed(robots as string, '/')]).toEqual([false, true]);
});

it('a robots.txt is read as far as its first thousand rules for the crawler', () => {
  const others = 'User-agent: OtherBot\nDisallow: /\n'.repeat(5000);
  const rules = Array.from({ length: limits.robotsRules + 1 }, (_, index) => `Disallow: /${index}$`).join('\n');
  const robots = `${others}User-agent: *\n${rules}`;
  expect(isAllowed(robots, `/${limits.robotsRules - 1}`)).toBe(false);
  expect(isAllowed(robots, `/${limits.robotsRules}`)).toBe(true);
});

it('a robots.txt is judged like the package robots-parser judges it', () => {
  // The package takes no account of a question mark at the end.
  const path = fc.stringMatching(/^\/[ab/%2fFü?=.]{0,6}$/).filter((text) => !/^[^?]*\?$/.test(text));
  const pattern = fc.stringMatching(/^\/?([ab/ü.?=]|%2f|%2F|\*[ab/.]){0,6}[*$]?$/);
  const agent = fc
    .constantFrom('*', crawler, 'voiceagentplatformbot/2.0', 'OtherBot')
    .map((name) => `User-agent: ${name}`);
  const rule = fc.oneof(
    fc.tuple(fc.constantFrom('Allow', 'disallow', ' Disallow '), pattern).map(([field, path]) => `${field}: ${path}`),
    fc.constant('Crawl-delay: 5'),
  );
  const other = fc.constantFrom('', '# comment', 'Sitemap: https://site.example/map.xml', 'nonsense', 'a b: c');
  // The package has no groups without rules, and other lines between two agents split their group there.
  const group = fc
    .tuple(fc.array(agent, { minLength: 1, maxLength: 3 }), rule, fc.array(fc.oneof(rule, other), { maxLength: 4 }))
    .map(([agents, first, rest]) => [...agents, first, ...rest]);
  fc.assert(
    fc.property(fc.array(group, { maxLength: 4 }), path, (groups, path) => {
      const robots = groups.flat().join('\n');
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
    ['rules that nearly match', `User-agent: *\n${fill(`Disallow: *${'a'.repeat(1990)}b\n`)}`],
    ['lines without an end', fill('User-agent: '.padEnd(1000, ' '))],
  ])('a robots.txt of %s is judged in bounded time and memory', async (_, robots) => {
    expect(await robotsJudge.run({ robots, urls })).toHaveLength(urls.length);
  });
});
