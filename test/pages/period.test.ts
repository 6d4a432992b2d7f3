import { afterEach, expect, it, vi } from 'vitest';
import { before, readPeriod } from '../../functions/pages/console/components/period.ts';

afterEach(() => vi.useRealTimers());

it.each([
  [{}, '2026-02-03', '2026-03-05'],
  [{ period: '7-days' }, '2026-02-26', '2026-03-05'],
  [{ period: 'this-week' }, '2026-03-02', '2026-03-05'],
  [{ period: 'last-week' }, '2026-02-23', '2026-03-02'],
  [{ period: 'this-month' }, '2026-03-01', '2026-03-05'],
  [{ period: 'last-month' }, '2026-02-01', '2026-03-01'],
  [{ period: 'custom', from: '2026-01-10', to: '2026-01-12' }, '2026-01-10', '2026-01-13'],
])('the period %j is from %s until the day before %s', (filters, from, to) => {
  // It is Wednesday, 4 March, in Auckland, and Tuesday elsewhere.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-03T12:00:00Z') });
  expect(readPeriod(filters, 'Pacific/Auckland')).toEqual({ from, to });
});

it('the period before another one has its length', () => {
  expect(before({ from: '2026-03-05', to: '2026-03-12' })).toEqual({ from: '2026-02-26', to: '2026-03-05' });
});
