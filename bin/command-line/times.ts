import { InvalidArgumentError } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { DateTime } from '../../functions/domain/date-time.ts';

const milliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const maxMilliseconds = 100 * 366 * milliseconds.d;

/** Parses a duration such as `90m`, `24h` or `30d`. Returns milliseconds. */
export const duration = (text: string): number => {
  const [, amount, unit] = /^(\d{1,10})([smhdw])$/.exec(text) ?? [];
  const length = amount && unit ? Number(amount) * milliseconds[unit as keyof typeof milliseconds] : Number.NaN;
  if (length <= maxMilliseconds) return length;
  throw new InvalidArgumentError('It must be a number with a unit (s, m, h, d or w), such as 90m, 24h or 30d.');
};

/** Parses a time in the future: a duration from now, a date (00:00 UTC) or a date-time. */
export const future = (text: string): string => {
  const at = toTime(text, +1);
  if (Date.parse(at) <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return at;
};

/** Parses a time: a duration before now, a date (00:00 UTC) or a date-time. */
export const past = (text: string): string => toTime(text, -1);

const toTime = (text: string, sign: 1 | -1): string => {
  if (/^\d+[smhdw]$/.test(text)) return new Date(Date.now() + sign * duration(text)).toISOString();
  const dateTime = z.safeParse(z.iso.date(), text).success ? `${text}T00:00:00Z` : text;
  const read = z.safeParse(DateTime, dateTime);
  if (read.success) return read.data;
  throw new InvalidArgumentError(
    'It must be a date (2027-01-31), a date-time with its offset (2027-01-31T12:00:00Z) or a duration (30d).',
  );
};
