import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { judgeSize, parseSizes } from '../.ci/bundles.ts';

it.each([
  ['of a listed size', 'listAgents', 300, 300],
  ['that grew by 4 %', 'listAgents', 312, 300],
  ['that is new and small', 'anyNewFunction', 400, undefined],
  ['of a large class', 'crawlWebsite', 1700, 1650],
])('the size of a bundle %s is accepted', (_, name, kibibytes, listed) => {
  expect(judgeSize(name, kibibytes, listed)).toBeUndefined();
});

it.each([
  ['that grew by 6 %', 'listAgents', 318, 300, /more than 5 %/],
  ['that shrank by 6 %', 'listAgents', 282, 300, /more than 5 %/],
  ['that is new and too large', 'anyNewFunction', 500, undefined, /exceeds 480 KiB/],
  ['that leaves its class by small steps', 'listAgents', 481, 479, /exceeds 480 KiB/],
  ['that would fit into a smaller class', 'crawlWebsite', 480, 480, /belongs into the class parsers/],
])('the size of a bundle %s is refused', (_, name, kibibytes, listed, problem) => {
  expect(judgeSize(name, kibibytes, listed)).toMatch(problem);
});

it('the sizes that two sides of a merge listed are read, the last one of each function', () => {
  expect(parseSizes('# A comment.\na 1\nb 2\na 3\n')).toEqual(new Map(Object.entries({ a: 3, b: 2 })));
});

it('the listed sizes fit the classes of their functions', () => {
  const sizes = parseSizes(readFileSync('.ci/bundle-sizes.txt', 'utf8'));
  expect(sizes.size).toBeGreaterThan(80);
  expect([...sizes].filter(([name, kibibytes]) => judgeSize(name, kibibytes, kibibytes))).toEqual([]);
});
