import * as z from 'zod/mini';
import { timestamp } from './date-time.ts';
import { describe } from './describe.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { isTimeZone } from './time-zones.ts';

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

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
    z.refine(({ from, to }) => minutesOf(from) < minutesOf(to), { error: 'must be later than `from`', path: ['to'] }),
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

/** What a rejection by the rules says of the next attempt. */
export const RetryAt = z.optional(
  timestamp('The first moment at which all rules for outbound calls hold. Absent if there is none within a year.'),
);
export const TimeZones = z.optional(
  z
    .array(z.string())
    .check(describe('The time zones in all of which the hours must hold.', ['America/New_York', 'America/Detroit'])),
);

/** When people may be called, and how often: `configuration.calling` of an agent. */
export const CallingRules = z
  .strictObject({
    hours: z.optional(CallingHours),
    attempts: z.optional(
      list(AttemptRule, { max: 3 }).check(
        describe('How often one number may be called. All rules must hold.', [{ max: 3, hours: 168 }]),
      ),
    ),
    timeZone: z.optional(
      timeZone(
        'The time zone for a number whose time zone is unknown, as an IANA name. Default: the agent’s `timeZone`.',
      ),
    ),
  })
  .check(
    describe('When people may be called, and how often. The rules apply to outbound calls.', {
      hours: { from: '08:00', to: '21:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
      attempts: [{ max: 3, hours: 168 }],
    }),
  );
export type CallingRules = z.infer<typeof CallingRules>;

/** `retryAt` is the first moment, in Unix milliseconds, at which all rules hold. Absent if there is none within a year. */
export type CallingVerdict =
  | { allowed: true }
  | { allowed: false; cause: 'outside_hours' | 'too_many_attempts'; retryAt?: number };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How far ahead the rules are evaluated. */
const horizon = 366 * day;

/** The longest period of the rules' attempts: an older attempt does not count. Zero without such rules. */
export const attemptWindowMilliseconds = ({ attempts = [] }: CallingRules): number =>
  Math.max(0, ...attempts.map(({ hours }) => hours * hour));

/**
 * Decides whether a person may be called at a moment. The hours must hold in every one of `timeZones`; without a time zone
 * they never hold. `attempts` are the moments of all attempts that count, in any order. All times are Unix milliseconds.
 */
export const judgeCall = (
  rules: CallingRules,
  { at, timeZones, attempts }: { at: number; timeZones: string[]; attempts: number[] },
  wallClocks = new WallClocks(),
): CallingVerdict => {
  const attemptsHoldFrom = firstMomentByAttempts(rules.attempts ?? [], attempts, at);
  const inHours = (moment: number) =>
    rules.hours
      ? firstMomentInHours(
          rules.hours,
          timeZones.map((timeZone) => wallClocks.of(timeZone)),
          moment,
          at + horizon,
        )
      : moment;
  const hoursHold = inHours(at) === at;
  if (hoursHold && attemptsHoldFrom <= at) return { allowed: true };
  const retryAt = inHours(attemptsHoldFrom);
  return {
    allowed: false,
    cause: hoursHold ? 'too_many_attempts' : 'outside_hours',
    ...(retryAt !== undefined && retryAt <= at + horizon && { retryAt }),
  };
};

/** The first moment, not before `at`, at which no rule has its maximum of attempts in its period. */
const firstMomentByAttempts = (rules: AttemptRule[], attempts: number[], at: number): number => {
  const newestFirst = attempts.toSorted((a, b) => b - a);
  return rules.reduce((moment, { max, hours }) => {
    const last = newestFirst[max - 1];
    return last === undefined ? moment : Math.max(moment, last + hours * hour);
  }, at);
};

/** The first moment, not before `start`, at which it is in the hours in all time zones; undefined if there is none by `end`. */
const firstMomentInHours = (
  hours: CallingHours,
  clocks: WallClock[],
  start: number,
  end: number,
): number | undefined => {
  if (clocks.length === 0) return undefined;
  const week = weekOf(hours);
  for (let moment = start; moment <= end; ) {
    const next = Math.max(...clocks.map((clock) => firstInZone(week, clock, moment, end)));
    if (next === moment) return moment;
    moment = next;
  }
  return undefined;
};

/** The hours in minutes of a day, and the days on which they hold, Sunday first. */
type Week = { from: number; to: number; holdsOn: boolean[] };

const weekOf = ({ from, to, days = [...weekdays] }: CallingHours): Week => ({
  from: minutesOf(from) * minute,
  to: minutesOf(to) * minute,
  holdsOn: weekdays.map((weekday) => days.includes(weekday)),
});

/** The minutes of a time of day such as `08:30`. */
export const minutesOf = (time: string): number => {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
};

/**
 * The first moment from `start` on at which it is in the hours in a time zone; after `end` if there is none before.
 * The wall clock runs evenly between two changes of the offset, so each step goes to the next opening or the next change.
 */
const firstInZone = (week: Week, clock: WallClock, start: number, end: number): number => {
  let moment = start;
  while (moment <= end) {
    const { offset, until } = clock(moment);
    const wait = untilOpen(week, moment + offset);
    if (moment + wait < until) return moment + wait;
    moment = until;
  }
  return moment;
};

/** How long after a wall-clock time the hours begin; 0 within them. There is always a day on which they hold. */
const untilOpen = ({ from, to, holdsOn }: Week, wall: number): number => {
  const midnight = Math.floor(wall / day) * day;
  const today = new Date(midnight).getUTCDay();
  for (let ahead = 0; ahead <= 7; ahead += 1) {
    if (!holdsOn[(today + ahead) % 7]) continue;
    const opens = midnight + ahead * day + from;
    if (wall < opens) return opens - wall;
    if (wall < midnight + ahead * day + to) return 0;
  }
  return Number.POSITIVE_INFINITY;
};

/** Returns the offset of a time zone from UTC at a moment, and the moment up to which it is known to hold. */
type WallClock = (moment: number) => Offset;

/** No time zone changes its offset twice in so short a time. The shortest known interval is a month: Ramadan in Morocco. */
const step = 7 * day;

/** The wall clocks of time zones, whose offsets are computed once. Keep it for one request: it grows with what is asked. */
export class WallClocks {
  readonly #clocks = new Map<string, WallClock>();

  of(timeZone: string): WallClock {
    const known = this.#clocks.get(timeZone);
    if (known) return known;
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const steps = new Map<number, Offset[]>();
    const clock: WallClock = (moment) => {
      const start = Math.floor(moment / step) * step;
      const offsets = steps.get(start) ?? offsetsIn(format, start, start + step);
      steps.set(start, offsets);
      return offsets.find(({ until }) => moment < until) as Offset;
    };
    this.#clocks.set(timeZone, clock);
    return clock;
  }
}

type Offset = { offset: number; until: number };

/** The offsets from `start` to `end`: one, or two where it changes between. */
const offsetsIn = (format: Intl.DateTimeFormat, start: number, end: number): Offset[] => {
  const before = offsetAt(format, start);
  const after = offsetAt(format, end);
  if (before === after) return [{ offset: before, until: end }];
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(format, middle) === before) low = middle;
    else high = middle;
  }
  return [
    { offset: before, until: high },
    { offset: after, until: end },
  ];
};

/** The offset from UTC, of a name such as `GMT+05:45`; `GMT` alone is none. */
const offsetAt = (format: Intl.DateTimeFormat, moment: number): number => {
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * hour + Number(minutes) * minute);
};
