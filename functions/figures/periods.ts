import type { PeriodUnit } from '../domain/call-figures.ts';
import { type WallClock, WallClocks } from '../domain/wall-clocks.ts';
import { quarterMilliseconds, toDay } from './rows.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** Dates are counted in days since 1970-01-01. */
const toDate = (days: number) => toDay(days * day);
const countDays = (date: string) => Date.parse(date) / day;
/** 1970-01-01 was a Thursday. */
const lastMonday = (days: number) => days - ((((days + 3) % 7) + 7) % 7);

const periodName = {
  day: toDate,
  week: (days: number) => toDate(lastMonday(days)),
  month: (days: number) => toDate(days).slice(0, 'yyyy-mm'.length),
};

/** The periods between dates in a time zone. Since 1972, offsets are whole quarters of an hour. */
export class Periods {
  /** The names of the periods, in order; none without a unit. */
  readonly names: string[];
  /** The days of UTC that the periods touch. */
  readonly days: string[];
  readonly #clock: WallClock;
  readonly #first: number;
  readonly #end: number;
  readonly #locate: (local: number, offset: number) => number;

  constructor({ from, to, timeZone, unit }: { from: string; to: string; timeZone: string; unit?: PeriodUnit }) {
    this.#clock = new WallClocks().of(timeZone);
    this.#first = countDays(from);
    this.#end = Math.max(this.#first, countDays(to));
    const dates = Array.from({ length: this.#end - this.#first }, (_, index) => this.#first + index);
    // A time zone is less than a day ahead of UTC, or behind it.
    const days = dates.length === 0 ? [] : [this.#first - 1, ...dates, this.#end];
    this.days = days.map(toDate).filter((date) => /^\d{4}-/.test(date));
    if (unit === undefined) {
      this.names = [];
      this.#locate = () => 0;
    } else if (unit === 'hour') {
      const hours = this.#hours();
      this.names = [...hours.values()].map(({ name }) => name);
      this.#locate = (local, offset) => hours.get(hourKey(local, offset))?.position as number;
    } else {
      const positions = new Map([...new Set(dates.map(periodName[unit]))].map((name, position) => [name, position]));
      this.names = [...positions.keys()];
      this.#locate = (local) => positions.get(periodName[unit](Math.floor(local / day))) as number;
    }
  }

  /** Returns the position of the period in which a quarter of an hour lies, by its beginning in Unix milliseconds; undefined if it is in none. */
  findPeriod(start: number): number | undefined {
    const { offset } = this.#clock(start);
    const local = start + offset;
    const date = Math.floor(local / day);
    return date < this.#first || date >= this.#end ? undefined : this.#locate(local, offset);
  }

  /** Returns the hours. One is cut short where the offset changes within it. */
  #hours(): Map<string, { name: string; position: number }> {
    const hours = new Map<string, { name: string; position: number }>();
    for (let start = (this.#first - 1) * day; start < (this.#end + 1) * day; start += quarterMilliseconds) {
      const { offset } = this.#clock(start);
      const local = start + offset;
      const key = hourKey(local, offset);
      if (local < this.#first * day || local >= this.#end * day || hours.has(key)) continue;
      hours.set(key, { name: withOffset(local, offset), position: hours.size });
    }
    return hours;
  }
}

const hourKey = (local: number, offset: number) => `${Math.floor(local / hour)} ${offset}`;

/** Returns a date-time with its offset: `2026-03-01T10:00:00+01:00`. */
const withOffset = (local: number, offset: number) => {
  const [hours, minutes] = [Math.abs(offset) / hour, (Math.abs(offset) / 60_000) % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${new Date(local).toISOString().slice(0, 19)}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
};
