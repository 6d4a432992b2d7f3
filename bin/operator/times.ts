import { InvalidArgumentError } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { DateTime } from '../../functions/domain/date-time.ts';

const milliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const longest = 100 * 366 * milliseconds.d;

/** A length of time such as `90m`, `24h` or `30d`, in milliseconds. */
export const duration = (text: string): number => {
  const [, count, unit] = /^(\d{1,10})([smhdw])$/.exec(text) ?? [];
  const length = count && unit ? Number(count) * milliseconds[unit as keyof typeof milliseconds] : Number.NaN;
  if (length <= longest) return length;
  throw new InvalidArgumentError('It must be a number and a unit (s, m, h, d or w), such as 90m, 24h or 30d.');
};

/** A moment to come: a length of time from now, a date (its beginning in UTC), or a date-time with its offset. */
export const future = (text: string): string => {
  const at = momentOf(text);
  if (Date.parse(at) <= Date.now()) throw new InvalidArgumentError('It must lie in the future.');
  return at;
};

const momentOf = (text: string): string => {
  if (/^\d+[smhdw]$/.test(text)) return new Date(Date.now() + duration(text)).toISOString();
  const dateTime = z.safeParse(z.iso.date(), text).success ? `${text}T00:00:00Z` : text;
  const read = z.safeParse(DateTime, dateTime);
  if (read.success) return read.data;
  throw new InvalidArgumentError(
    'It must be a date (2027-01-31), a date-time with its offset (2027-01-31T12:00:00Z) or a length of time (30d).',
  );
};
