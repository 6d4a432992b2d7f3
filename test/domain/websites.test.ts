import { expect, it } from 'vitest';
import { pathFilter } from '../../functions/domain/crawl-controls.ts';
import { pageKey, withinSite } from '../../functions/domain/websites.ts';

const within = (site: string, url: string) => withinSite(new URL(site), new URL(url))?.href;

it('a site is one host and one port, and http may become https', () => {
  expect(within('http://a.example/', 'http://a.example/x')).toBe('http://a.example/x');
  expect(within('http://a.example/', 'https://a.example/x')).toBe('https://a.example/x');
  expect(within('https://a.example/', 'http://a.example/x')).toBe('https://a.example/x');
  expect(within('http://a.example:8080/', 'http://a.example:8080/x')).toBe('http://a.example:8080/x');
  expect(within('http://a.example/', 'http://A.EXAMPLE:80/x')).toBe('http://a.example/x');
  for (const url of [
    'http://b.example/x',
    'http://www.a.example/x',
    'http://a.example:8080/x',
    'https://a.example:8443/x',
    'http://me@a.example/x',
    'ftp://a.example/x',
  ]) {
    expect([url, within('http://a.example/', url)]).toEqual([url, undefined]);
  }
  expect(within('https://a.example:8443/', 'http://a.example:8443/x')).toBeUndefined();
});

it('a site distinguishes pages only by path and query', () => {
  const keys = (...urls: string[]) => new Set(urls.map((url) => pageKey(new URL(url)))).size;
  expect(keys('http://a.example/x', 'https://a.example/x/', 'http://a.example/x#y')).toBe(1);
  expect(keys('http://a.example', 'http://a.example/', 'http://a.example//')).toBe(1);
  expect(keys('http://a.example/x', 'http://a.example/x?', 'http://a.example/x?a', 'http://a.example/X')).toBe(3);
});

it('a pattern that would take a backtracking engine forever is matched at once', () => {
  const pattern = '^(([a-z])+.)+[A-Z]([a-z])+$';
  const isWanted = pathFilter({
    includePaths: ['(x+x+)+y', pattern, '(a|aa)+$b'],
    excludePaths: [],
  });
  const started = performance.now();
  expect(isWanted(new URL(`http://a.example/${'a'.repeat(2000)}`))).toBe(false);
  expect(isWanted(new URL(`http://a.example/${'x'.repeat(2000)}`))).toBe(false);
  expect(performance.now() - started).toBeLessThan(10_000);
});
