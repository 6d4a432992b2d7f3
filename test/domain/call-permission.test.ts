import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCallPermission, OpenHours } from '../../functions/domain/call-permission.ts';
import type { CallingRules } from '../../functions/domain/calling-rules.ts';
import { weekdays } from '../../functions/domain/time-zones.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const judge = (rules: CallingRules, at: string, timeZones: string[], attempts: string[] = []) =>
  checkCallPermission(rules, { at: Date.parse(at), timeZones, attempts: attempts.map(Date.parse) });

const findRetryTime = (verdict: ReturnType<typeof checkCallPermission>) =>
  'retryAt' in verdict && verdict.retryAt !== undefined ? new Date(verdict.retryAt).toISOString() : undefined;

/** Reads the wall clock from the formatted local time: another way than the offsets that the rules use. */
const readWallClock = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at: number) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return { time: `${parts.hour}:${parts.minute}`, weekday: parts.weekday?.toLowerCase() };
  };
};

const expectSameAsTheWallClock = (
  timeZone: string,
  rules: CallingRules & { hours: object },
  from: number,
  to: number,
) => {
  const { from: opens, to: closes, days = [...weekdays] } = rules.hours as NonNullable<CallingRules['hours']>;
  const wallClock = readWallClock(timeZone);
  const openHours = new OpenHours();
  for (let at = from; at < to; at += minute) {
    const { time, weekday } = wallClock(at);
    const isOpen = opens <= time && time < closes && (days as string[]).includes(weekday as string);
    const verdict = checkCallPermission(rules, { at, timeZones: [timeZone], attempts: [] }, openHours);
    if (verdict.allowed !== isOpen) expect.fail(`${timeZone} ${new Date(at).toISOString()}: ${time} ${weekday}`);
  }
};

/** The days of a year on which a time zone changes its offset. */
const listClockChanges = (timeZone: string, year: number): number[] => {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offset = (at: number) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  const days = Array.from({ length: 366 }, (_, index) => Date.UTC(year, 0, 1) + index * day);
  return days.filter((at) => offset(at) !== offset(at + day));
};

describe('the hours of calls', () => {
  const hours = { from: '08:00', to: '21:00' };

  it('allow a call from the first minute up to, and without, the last one', () => {
    expect(judge({ hours }, '2026-01-15T06:59:59.999Z', ['Europe/Berlin']).allowed).toBe(false);
    expect(judge({ hours }, '2026-01-15T07:00:00.000Z', ['Europe/Berlin']).allowed).toBe(true);
    expect(judge({ hours }, '2026-01-15T19:59:59.999Z', ['Europe/Berlin']).allowed).toBe(true);
    expect(judge({ hours }, '2026-01-15T20:00:00.000Z', ['Europe/Berlin']).allowed).toBe(false);
  });

  it('must hold in every time zone in which the number may lie', () => {
    const zones = ['America/New_York', 'America/Los_Angeles'];
    const verdict = judge({ hours }, '2026-01-15T13:30:00Z', zones);
    expect(verdict).toMatchObject({ allowed: false, cause: 'outside_hours' });
    expect(findRetryTime(verdict)).toBe('2026-01-15T16:00:00.000Z');
  });

  it('never hold without a time zone, and there is no moment to try again', () => {
    expect(judge({ hours }, '2026-01-15T12:00:00Z', [])).toEqual({ allowed: false, cause: 'outside_hours' });
  });

  it('that never meet in all time zones give no moment to try again', () => {
    const zones = ['Pacific/Auckland', 'America/New_York'];
    expect(judge({ hours: { from: '09:00', to: '12:00' } }, '2026-01-15T12:00:00Z', zones)).toEqual({
      allowed: false,
      cause: 'outside_hours',
    });
  });

  it('meet again when one of two time zones changes its offset', () => {
    // New York and Lima are an hour apart in summer only.
    const verdict = judge({ hours: { from: '12:00', to: '12:30' } }, '2026-06-01T00:00:00Z', [
      'America/New_York',
      'America/Lima',
    ]);
    expect(findRetryTime(verdict)).toBe('2026-11-01T17:00:00.000Z');
  });

  it('give each number of a batch the same answer as a single question', () => {
    const openHours = new OpenHours();
    const start = Date.UTC(2026, 0, 1);
    for (const hours of [
      { from: '09:00', to: '17:00' },
      { from: '12:00', to: '12:30' },
    ])
      for (let index = 0; index < 200; index += 1) {
        const attempts = [start - ((index * 7919) % 700) * hour];
        const rules = { hours, attempts: [{ max: 1, hours: 744 }] };
        const asked = { at: start, timeZones: ['America/New_York', 'America/Lima'], attempts };
        expect(checkCallPermission(rules, asked, openHours)).toEqual(checkCallPermission(rules, asked));
      }
  });

  it('hold on the named days of the week of the person', () => {
    const rules: CallingRules = { hours: { ...hours, days: ['mon', 'fri'] } };
    const verdict = judge(rules, '2026-01-16T21:00:00Z', ['Europe/Berlin']);
    expect(findRetryTime(verdict)).toBe('2026-01-19T07:00:00.000Z');
  });

  it('end at midnight when they end at 24:00', () => {
    const rules = { hours: { from: '00:00', to: '24:00' } };
    expect(judge(rules, '2026-01-15T22:59:59Z', ['Europe/Berlin']).allowed).toBe(true);
    expect(judge(rules, '2026-01-15T23:00:00Z', ['Europe/Berlin']).allowed).toBe(true);
  });

  it('follow the wall clock on each minute of the days on which it changes', () => {
    const rules = { hours: { from: '01:15', to: '03:10' } };
    for (const timeZone of [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'America/St_Johns',
    ])
      for (const change of listClockChanges(timeZone, 2026))
        expectSameAsTheWallClock(timeZone, rules, change, change + 2 * day);
  });

  it('follow the wall clock of every time zone on the days on which it changes', { tags: 'heavy' }, () => {
    const rules: CallingRules & { hours: object } = {
      hours: { from: '01:15', to: '03:10', days: ['sat', 'sun', 'fri'] },
    };
    for (const timeZone of Intl.supportedValuesOf('timeZone'))
      for (const change of listClockChanges(timeZone, 2026))
        expectSameAsTheWallClock(timeZone, rules, change - day, change + 2 * day);
  });
});

describe('the attempts of calls', () => {
  const rules = { attempts: [{ max: 2, hours: 24 }] };

  it('that reach the maximum of a period forbid the next one until the oldest leaves the period', () => {
    const attempts = ['2026-01-15T08:00:00Z', '2026-01-15T18:00:00Z'];
    const verdict = judge(rules, '2026-01-16T07:59:59Z', [], attempts);
    expect(verdict).toMatchObject({ allowed: false, cause: 'too_many_attempts' });
    expect(findRetryTime(verdict)).toBe('2026-01-16T08:00:00.000Z');
    expect(judge(rules, '2026-01-16T08:00:00Z', [], attempts).allowed).toBe(true);
  });

  it('need no time zone', () => {
    expect(judge(rules, '2026-01-15T12:00:00Z', []).allowed).toBe(true);
  });
});

describe('the moment to try again', () => {
  const time = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  const anyHours = fc
    .tuple(
      fc.integer({ min: 0, max: 1439 }),
      fc.integer({ min: 1, max: 1440 }),
      fc.subarray([...weekdays], { minLength: 1 }),
    )
    .filter(([from, to]) => from < to)
    .map(([from, to, days]) => ({ from: time(from), to: time(to), days }));
  const start = Date.UTC(2026, 0, 1);
  const anyRules = fc.record({
    hours: fc.option(anyHours, { nil: undefined }),
    attempts: fc.array(fc.record({ max: fc.integer({ min: 1, max: 5 }), hours: fc.integer({ min: 1, max: 744 }) }), {
      maxLength: 3,
    }),
  });
  const anyZones = fc.uniqueArray(
    fc.constantFrom('Europe/Berlin', 'America/New_York', 'America/Los_Angeles', 'Asia/Kolkata', 'Australia/Lord_Howe'),
    { minLength: 1, maxLength: 3 },
  );

  it('is the first one at which all rules hold: a second earlier they do not', () => {
    fc.assert(
      fc.property(
        anyRules,
        anyZones,
        fc.integer({ min: start, max: start + 365 * day }),
        fc.array(fc.integer({ min: -40 * day, max: 0 }), { maxLength: 12 }),
        fc.integer({ min: 0, max: 366 * day }),
        (rules, timeZones, at, ago, later) => {
          const attempts = ago.map((before) => at + before);
          const verdict = checkCallPermission(rules, { at, timeZones, attempts });
          const judge = (moment: number) => checkCallPermission(rules, { at: moment, timeZones, attempts }).allowed;
          if (verdict.allowed) return;
          if (verdict.retryAt === undefined || at + later < verdict.retryAt)
            expect(judge(at + later), `${later} ms later`).toBe(false);
          if (verdict.retryAt === undefined) return;
          expect(verdict.retryAt).toBeGreaterThan(at);
          expect(judge(verdict.retryAt)).toBe(true);
          expect(judge(Math.max(at, verdict.retryAt - 1000))).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});
