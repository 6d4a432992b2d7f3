const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Returns the offset of a time zone from UTC at a moment, and the moment up to which it is known to hold. */
export type WallClock = (moment: number) => Offset;

/** No time zone changes its offset twice within this time. The shortest known interval is Ramadan in Egypt in 2010: 30 days. */
const step = 28 * day;

/** The wall clocks of time zones, whose offsets are computed once. Keep an instance for one request: its cache grows. */
export class WallClocks {
  readonly #clocks = new Map<string, WallClock>();

  of(timeZone: string): WallClock {
    const known = this.#clocks.get(timeZone);
    if (known) return known;
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const steps = new Map<number, Offset[]>();
    const clock: WallClock = (moment) => {
      const start = Math.floor(moment / step) * step;
      const offsets = steps.get(start) ?? listOffsets(format, start, start + step);
      steps.set(start, offsets);
      return offsets.find(({ until }) => moment < until) as Offset;
    };
    this.#clocks.set(timeZone, clock);
    return clock;
  }
}

type Offset = { offset: number; until: number };

/** Returns the offsets from `start` to `end`: one, or two if the offset changes in between. */
const listOffsets = (format: Intl.DateTimeFormat, start: number, end: number): Offset[] => {
  const before = computeOffset(format, start);
  const after = computeOffset(format, end);
  if (before === after) return [{ offset: before, until: end }];
  let [low, high] = [start, end];
  // Offsets change at whole minutes.
  while (high - low > minute) {
    const middle = low + Math.floor((high - low) / minute / 2) * minute;
    if (computeOffset(format, middle) === before) low = middle;
    else high = middle;
  }
  return [
    { offset: before, until: high },
    { offset: after, until: end },
  ];
};

/** Returns the offset from UTC of a name such as `GMT+05:45`; `GMT` alone has no offset. */
const computeOffset = (format: Intl.DateTimeFormat, moment: number): number => {
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * hour + Number(minutes) * minute);
};
