import * as z from 'zod/mini';
import { textField } from './describe.ts';

const form = ({ input }: { input?: unknown }) =>
  input === undefined
    ? 'is required'
    : 'must be an RFC 3339 date-time with an offset: a calendar date and a time up to 23:59:59, such as 2026-01-31T12:00:00Z';

/**
 * What ISO 8601 and RFC 3339 allow. Seconds, colons and minutes of an offset may be missing, and letters small. Behind the offset,
 * Java and JavaScript name the zone in brackets (RFC 9557), which changes nothing.
 */
const spellings =
  /^(?<year>\d{4})-?(?<month>\d\d)-?(?<day>\d\d)[Tt ](?<hour>\d\d):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?:[Zz]|(?<sign>[-+\u2212 ])(?<hours>\d\d)(?::?(?<minutes>\d\d))?)(?:\[[^\]]{1,64}\]){0,2}$/;

/** Writes a date-time as ECMAScript does. A space before the offset was a `+` that an address did not encode. */
const normalize = (text: string): string => {
  const found = spellings.exec(text)?.groups;
  if (!found) return text;
  const { year, month, day, hour, minute, second = '00', fraction, sign, hours, minutes = '00' } = found;
  const offset = sign === undefined ? 'Z' : `${sign.replace(' ', '+').replace('\u2212', '-')}${hours}:${minutes}`;
  const write = (seconds: string) =>
    `${year}-${month}-${day}T${hour}:${minute}:${seconds}${fraction ? `.${fraction}` : ''}${offset}`;
  return second === '60' ? (readLeapSecond(write('59')) ?? write(second)) : write(second);
};

/** Returns the second after a leap second: UTC inserts one at the end of a month, and computers count none. */
const readLeapSecond = (secondBefore: string): string | undefined => {
  const after = new Date(Date.parse(secondBefore) + 1000);
  const text = Number.isNaN(after.getTime()) ? '' : after.toISOString();
  return /-01T00:00:00/.test(text) ? text : undefined;
};

/** An ISO 8601 date-time with its offset, kept as UTC to the millisecond so that text order is time order. */
export const DateTime = z
  .pipe(
    z
      .pipe(
        z.pipe(z.string({ error: form }), z.transform(normalize)),
        z.iso.datetime({ offset: true, error: form, abort: true }),
      )
      .check(
        // A UTC year without exactly four digits is written with a sign, which breaks the text order.
        z.refine((value) => /^\d{4}-/.test(new Date(value).toISOString()), {
          error: 'must lie within the years 0 to 9999 of UTC',
        }),
      ),
    z.transform((value) => new Date(value).toISOString()),
  )
  .check(z.meta({ type: 'string', format: 'date-time' }));

/** A time in a response: ISO 8601, in UTC. */
export const timestamp = (description: string, example = '2026-03-01T10:00:00.000Z') =>
  textField(description, example, { format: 'date-time' });

export const now = () => new Date().toISOString();
