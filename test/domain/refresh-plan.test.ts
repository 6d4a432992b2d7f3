import { expect, it } from 'vitest';
import { dayMilliseconds, dueBetween, nextDue, nextTry, planRefresh } from '../../functions/domain/refresh-plan.ts';

const start = Date.parse('2026-03-01T23:59:30.000Z');
const hour = 60 * 60 * 1000;

/** Looks every so often for a year, and returns the days on which a website was crawled; `fails` says how each crawl ends. */
const crawlsInYear = (days: number, every: number, fails: (crawl: number) => boolean = () => false): number[] => {
  const entry = { from: start + days * dayMilliseconds, days };
  let [next, failures] = [entry.from, 0];
  const crawls: number[] = [];
  let looked = start;
  for (let now = start; now <= start + 365 * dayMilliseconds; now += every) {
    const due = dueBetween(entry, looked, now);
    looked = now;
    if (due === undefined || next > now) continue;
    next = nextDue({ from: next, days }, now);
    failures = fails(crawls.length + 1) ? failures + 1 : 0;
    crawls.push((due - start) / dayMilliseconds);
    next = nextTry(next, days, failures);
  }
  return crawls;
};

it.each([
  [1, 365],
  [7, 52],
  [30, 12],
  [90, 4],
])('a website that is due every %d days is crawled %d times in a year', (days, times) => {
  expect(crawlsInYear(days, hour / 4)).toHaveLength(times);
});

it('a website that always fails is tried the first three times that it is due, and then every third time', () => {
  expect(crawlsInYear(1, hour, () => true).slice(0, 6)).toEqual([1, 2, 3, 6, 9, 12]);
});

it('a website that is read again after failures is due as often as before', () => {
  expect(crawlsInYear(1, hour, (crawl) => crawl < 5).slice(0, 7)).toEqual([1, 2, 3, 6, 9, 10, 11]);
});

it('a website that became due while nobody looked is crawled once at the next look', () => {
  expect(crawlsInYear(1, 100 * dayMilliseconds)).toEqual([100, 200, 300]);
});

const at = (days: number) => new Date(start + days * dayMilliseconds).toISOString();

it('the plan of a website follows its last crawl, is never in the past, and stays where nothing of it changes', () => {
  const plan = (before: object, after: object) =>
    planRefresh({ active: true, ...before }, { active: true, ...after }, start);
  expect(plan({}, { refreshEvery: 7 })).toBe(at(7));
  expect(plan({ lastCrawledAt: at(-2) }, { refreshEvery: 7 })).toBe(at(5));
  expect(plan({ lastCrawledAt: at(-20) }, { refreshEvery: 7 })).toBe('2026-03-02T00:00:30.000Z');
  const planned = { refreshEvery: 7, nextRefreshAt: at(3), lastCrawledAt: at(-4) };
  expect(plan(planned, { refreshEvery: 7 })).toBe(at(3));
  expect(plan(planned, { refreshEvery: 1 })).toBe('2026-03-02T00:00:30.000Z');
  expect(plan(planned, {})).toBeUndefined();
  expect(plan(planned, { refreshEvery: 7, active: false })).toBeUndefined();
});
