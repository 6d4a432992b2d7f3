import type { AttemptRule, CallingHours, CallingRules } from './calling-rules.ts';
import { weekdays } from './time-zones.ts';

/** `retryAt` is the first moment, in Unix milliseconds, at which all rules hold. Absent if there is none within a year. */
export type CallingVerdict =
  | { allowed: true }
  | { allowed: false; cause: 'outside_hours' | 'too_many_attempts'; retryAt?: number };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How far ahead the rules are evaluated. */
const horizon = 366 * day;

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

/** Returns the minutes of a time of day such as `08:30`. */
const minutesOf = (time: string): number => {
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
