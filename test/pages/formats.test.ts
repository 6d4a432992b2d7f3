import { expect, it } from 'vitest';
import {
  endOfDay,
  formatBytes,
  formatDuration,
  formatNearTime,
  startOfDay,
} from '../../functions/pages/console/formats.ts';

it.each([
  ['2026-03-01', 'Asia/Kathmandu', '2026-02-28T18:15:00.000Z', '2026-03-01T18:15:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  // The clocks change between midnight in UTC and midnight there.
  ['2026-04-05', 'Pacific/Auckland', '2026-04-04T11:00:00.000Z', '2026-04-05T12:00:00.000Z'],
  ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
])('the day %s in %s begins and ends as its clocks say', (date, timeZone, start, end) => {
  expect([startOfDay(date, timeZone), endOfDay(date, timeZone)]).toEqual([start, end]);
});

it('a size and a duration are written in the units that people read', () => {
  expect([0, 1023, 1536, 1024 ** 2 - 1, 10 * 1024 ** 2].map(formatBytes)).toEqual([
    ...['0 bytes', '1,023 bytes', '1.5 KB', '1,024 KB', '10 MB'],
  ]);
  expect([0, 59.6, 212, 3600, 45_296].map(formatDuration)).toEqual(['0:00', '1:00', '3:32', '1:00:00', '12:34:56']);
});

it('a time of the present year, as its zone counts years, has no year', () => {
  const now = new Date('2027-01-01T02:00:00Z');
  const format = (at: string, timeZone: string) => formatNearTime(at, timeZone, false, now).replace(/\s/gu, ' ');
  expect(format('2026-03-01T15:00:00Z', 'America/New_York')).toBe('Mar 1, 10:00 AM');
  expect(format('2026-03-01T15:00:00Z', 'Europe/Berlin')).toBe('Mar 1, 2026, 4:00 PM');
});
