import * as z from 'zod/mini';
import { Purpose } from './consent-decisions.ts';
import { timestamp } from './date-time.ts';
import { describe, listField } from './describe.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { isTimeZone, weekdays } from './time-zones.ts';

const timeOfDay = (pattern: RegExp, example: string, description: string) =>
  z
    .string()
    .check(
      z.regex(pattern, { error: `must be a time of day such as ${example}` }),
      describe(description, example, { pattern: pattern.source }),
    );

const CallingHours = z
  .strictObject({
    from: timeOfDay(/^([01]\d|2[0-3]):[0-5]\d$/, '08:00', 'The first minute in which a person may be called.'),
    to: timeOfDay(
      /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/,
      '21:00',
      'The first minute in which a person may no longer be called, later than `from`. `24:00` is the end of the day.',
    ),
    days: z.optional(
      list(z.enum(weekdays), { min: 1, max: weekdays.length, items: 'days' }).check(
        z.refine((days) => new Set(days).size === days.length, { error: 'must be different days' }),
        describe('The days on which a person may be called. Default: every day.', ['mon', 'tue', 'wed', 'thu', 'fri']),
      ),
    ),
  })
  .check(
    z.refine(({ from, to }) => from.padStart(5, '0') < to, { error: 'must be later than `from`', path: ['to'] }),
    z.describe('The hours in which people may be called, on the wall clock of the person who is called.'),
  );
export type CallingHours = z.infer<typeof CallingHours>;

const AttemptRule = z.strictObject({
  max: z
    .int()
    .check(z.minimum(1), z.maximum(100), describe('How many attempts are allowed in any period of `hours`.', 3)),
  hours: z.int().check(z.minimum(1), z.maximum(744), describe('The length of the period in hours.', 168)),
});
export type AttemptRule = z.infer<typeof AttemptRule>;

const timeZone = (description: string) =>
  z
    .string()
    .check(
      z.maxLength(limits.timeZoneCharacters, { abort: true }),
      z.refine(isTimeZone, { error: 'must be an IANA time zone such as Europe/Berlin' }),
      describe(description, 'America/New_York'),
    );

/** The time zone of the person who is called, as a caller knows it. */
export const TimeZone = timeZone(
  'Outbound: the time zone of the person who is called, as an IANA name. Default: every time zone in which the number may lie.',
);

/** The fields by which a rejection describes the next possible attempt. */
export const RetryAt = z.optional(
  timestamp('The first moment at which all rules for outbound calls hold. Absent if there is none within a year.'),
);
export const TimeZones = z.optional(
  listField(z.string(), 'The time zones in all of which the hours must hold.', ['America/New_York', 'America/Detroit']),
);

/** The consent without which an agent calls nobody. */
const ConsentRule = z
  .strictObject({
    purpose: Purpose,
    maxAgeDays: z.optional(
      z
        .int()
        .check(
          z.minimum(1),
          z.maximum(limits.consentAgeDays),
          describe('After how many days a consent is over, whatever its own end is. Default: never.', 365),
        ),
    ),
  })
  .check(
    describe('The consent without which the agent calls nobody. Absent: none is needed.', {
      purpose: 'marketing',
      maxAgeDays: 365,
    }),
  );
export type ConsentRule = z.infer<typeof ConsentRule>;

/** Whether people may be called, when and how often: `configuration.calling` of an agent. */
export const CallingRules = z
  .strictObject({
    hours: z.optional(CallingHours),
    attempts: z.optional(
      list(AttemptRule, { max: 3 }).check(
        describe('How often one number may be called. All rules must hold.', [{ max: 3, hours: 168 }]),
      ),
    ),
    consent: z.optional(ConsentRule),
    timeZone: z.optional(
      timeZone(
        'The time zone for a number whose time zone is unknown, as an IANA name. Default: the agent’s `timeZone`.',
      ),
    ),
  })
  .check(
    describe('Whether people may be called, when and how often. The rules apply to outbound calls.', {
      hours: { from: '08:00', to: '21:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
      attempts: [{ max: 3, hours: 168 }],
    }),
  );
export type CallingRules = z.infer<typeof CallingRules>;

/** The longest period of the rules' attempts: an older attempt does not count. Zero without such rules. */
export const attemptWindowMilliseconds = ({ attempts = [] }: CallingRules): number =>
  Math.max(0, ...attempts.map(({ hours }) => hours * 3_600_000));
