import type { AttemptRule, CallingHours, CallingRules } from './calling-rules.ts';
import { weekdays } from './time-zones.ts';
import { type WallClock, WallClocks } from './wall-clocks.ts';

/** `retryAt` is the first moment, in Unix milliseconds, at which all rules hold. Absent if there is none within a year. */
export type CallingVerdict =
  | { allowed: true }
  | { allowed: false; cause: 'outside_hours' | 'too_many_attempts'; retryAt?: number };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The time for which the rules are evaluated in advance. */
const horizon = 366 * day;

/** Decides whether a person may be called (Unix milliseconds). The hours must hold in each of `timeZones`. */
export const checkCallPermission = (
  rules: CallingRules,
  { at, timeZones, attempts }: { at: number; timeZones: string[]; attempts: number[] },
  openHours = new OpenHours(),
): CallingVerdict => {
  const attemptsHoldFrom = firstMomentByAttempts(rules.attempts ?? [], attempts, at);
  const inHours = (moment: number) =>
    rules.hours ? openHours.firstMoment(rules.hours, timeZones, { from: moment, until: at + horizon }) : moment;
  const first = inHours(at);
  const hoursHold = first === at;
  if (hoursHold && attemptsHoldFrom <= at) return { allowed: true };
  const retryAt = attemptsHoldFrom === at ? first : inHours(attemptsHoldFrom);
  return {
    allowed: false,
    cause: hoursHold ? 'too_many_attempts' : 'outside_hours',
    ...(retryAt !== undefined && retryAt <= at + horizon && { retryAt }),
  };
};

/** Returns the first moment, not before `at`, at which no rule has its maximum of attempts in its period. */
const firstMomentByAttempts = (rules: AttemptRule[], attempts: number[], at: number): number => {
  const newestFirst = attempts.toSorted((a, b) => b - a);
  return rules.reduce((moment, { max, hours }) => {
    const last = newestFirst[max - 1];
    return last === undefined ? moment : Math.max(moment, last + hours * hour);
  }, at);
};

/** The moments at which hours hold in several time zones. An instance keeps the answers for the numbers of a batch. */
export class OpenHours {
  readonly #clocks = new WallClocks();
  /** By hours and time zones: from each moment of an answer up to `first`, the first moment within the hours is `first`. */
  readonly #known = new Map<string, Answer[]>();

  /** Returns the first moment from `from` on that is within the hours in all time zones; undefined if there is none by `until`. */
  firstMoment(hours: CallingHours, timeZones: string[], { from, until }: Period): number | undefined {
    if (timeZones.length === 0) return undefined;
    const question = `${hours.from} ${hours.to} ${hours.days} ${until} ${timeZones}`;
    const known = this.#known.get(question) ?? [];
    this.#known.set(question, known);
    const clocks = timeZones.map((timeZone) => this.#clocks.of(timeZone));
    const first = firstMomentInHours(toWeek(hours), clocks, { from, until }, known);
    known.push({ from, first });
    return first > until ? undefined : first;
  }
}

type Period = { from: number; until: number };
type Answer = { from: number; first: number };

/** Returns the first moment that is within the hours in all time zones; infinity if there is none. */
const firstMomentInHours = (week: Week, clocks: WallClock[], { from, until }: Period, known: Answer[]): number => {
  let unchangedFrom = from;
  for (let moment = from; moment <= until; ) {
    const answer = known.find((one) => one.from <= moment && moment <= one.first);
    if (answer) return answer.first;
    const next = Math.max(...clocks.map((clock) => firstInZone(week, clock, moment, until)));
    if (next === moment) return moment;
    moment = next;
    if (moment < unchangedFrom + 7 * day) continue;
    // Until an offset changes, every week is like this one.
    const unchangedUntil = Math.min(...clocks.map((clock) => nextChange(clock, unchangedFrom, until)));
    moment = Math.max(moment, unchangedUntil);
    unchangedFrom = moment;
  }
  return Number.POSITIVE_INFINITY;
};

/** Returns the first moment after another at which an offset changes; a moment after `until` if it does not change by then. */
const nextChange = (clock: WallClock, moment: number, until: number): number => {
  const { offset } = clock(moment);
  let next = moment;
  do next = clock(next).until;
  while (next <= until && clock(next).offset === offset);
  return next;
};

/** The hours in minutes of a day, and the days on which they hold, Sunday first. */
type Week = { from: number; to: number; holdsOn: boolean[] };

const toWeek = ({ from, to, days = [...weekdays] }: CallingHours): Week => ({
  from: parseMinutes(from) * minute,
  to: parseMinutes(to) * minute,
  holdsOn: weekdays.map((weekday) => days.includes(weekday)),
});

/** Returns the minutes of a time of day such as `08:30`. */
const parseMinutes = (time: string): number => {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
};

/** Returns the first moment within the hours, or a moment after `end`. */
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

/** Returns the time from a wall-clock time until the hours begin; 0 within them. They hold on at least one day. */
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
