import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { timeZonesOfNumber } from '../../functions/calling/number-time-zones.ts';

/** Numbers of every country and kind, and what Python's phonenumbers 9.0.43 returns for them. */
const samples: Record<string, string> = JSON.parse(
  readFileSync(new URL('../support/samples/number-time-zones.json', import.meta.url), 'utf8'),
);

it('the time zones of a number are those that libphonenumber returns, for two thousand numbers of all countries', () => {
  const found = Object.keys(samples).map((number) => [number, timeZonesOfNumber(number).join('&')]);
  expect(Object.fromEntries(found)).toEqual(samples);
});

it('the time zones of a number of the United States are those of its area', () => {
  expect(timeZonesOfNumber('+12125550123')).toEqual(['America/New_York']);
});

it('a number that no country has is in no time zone', () => {
  expect(timeZonesOfNumber('+9990001234567')).toEqual([]);
});
