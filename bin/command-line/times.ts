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

/** Parses a time in the future, or `never`. */
export const futureOrNever = (text: string): string => (text === 'never' ? text : future(text));

/** Parses a time: a duration before now, a date (00:00 UTC) or a date-time. */
export const past = (text: string): string => toTime(text, -1);

/** Parses a date (00:00 UTC) or a date-time of a file, which means the same on any day. Throws for another text. */
export const absoluteTime = (text: string): string => {
  const isRelative = /^(today|yesterday)$/.test(text);
  const read = z.safeParse(DateTime, isRelative ? undefined : toDateTime(text));
  if (read.success) return read.data;
  throw new Error(
    `is ${JSON.stringify(text)}: it must be a date (2027-01-31, 31.1.2027) or a date-time (2027-01-31 12:00, or with an offset 2027-01-31T12:00:00Z). Without an offset it is UTC`,
  );
};

const toTime = (text: string, sign: 1 | -1): string => {
  if (/^\d+[smhdw]$/.test(text)) return new Date(Date.now() + sign * duration(text)).toISOString();
  const read = z.safeParse(DateTime, toDateTime(text));
  if (read.success) return read.data;
  throw new InvalidArgumentError(
    'It must be a date (2027-01-31, 31.1.2027, today, yesterday), a date-time (2027-01-31 12:00, or with an offset 2027-01-31T12:00:00Z) or a duration (30d). Without an offset it is UTC.',
  );
};

const daysAgo = (days: number) => new Date(Date.now() - days * milliseconds.d).toISOString().slice(0, 10);

/** Completes a date or a time as people write it to a date-time in UTC. */
const toDateTime = (text: string): string => {
  if (text === 'today') return toDateTime(daysAgo(0));
  if (text === 'yesterday') return toDateTime(daysAgo(1));
  const [, day, month, year, rest = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(.*)$/.exec(text) ?? [];
  if (day && month) return toDateTime(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${rest}`);
  const [, date, time, seconds = ':00'] = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?)?$/.exec(text) ?? [];
  return date ? `${date}T${time ? `${time}${seconds}` : '00:00:00'}Z` : text;
};
