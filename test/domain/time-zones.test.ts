import { expect, it } from 'vitest';
import { isTimeZone } from '../../functions/domain/time-zones.ts';

it.each(['Europe/Berlin', 'UTC', 'Etc/GMT+5', 'america/new_york'])('%s is a time zone', (name) => {
  expect(isTimeZone(name)).toBe(true);
});

it.each(['+02:00', '-0500', '+00:07', '+01', 'UTC+1', 'Europe/Nowhere', ''])('%s is not a time zone', (name) => {
  expect(isTimeZone(name)).toBe(false);
});
