import { expect, it } from 'vitest';
import { RequestWindow } from '../../functions/domain/request-window.ts';
import { chance } from '../support/faults.ts';

const minute = 60_000;
/** The first moment of a minute. */
const start = Math.floor(Date.UTC(2027, 2, 1) / minute) * minute;

/** Takes a request, which must be accepted or refused. */
const take = (window: RequestWindow, limit: number, seconds: number) => window.take(limit, start + seconds * 1000);
const takeMany = (window: RequestWindow, limit: number, seconds: number, count: number) =>
  Array.from({ length: count }, () => take(window, limit, seconds)).filter(({ isTaken }) => isTaken).length;

it('a key gets its requests of a minute, and the minute before counts by its rest', () => {
  const window = new RequestWindow();
  expect(takeMany(window, 600, 0, 700)).toBe(600);
  expect(take(window, 600, 59.9)).toMatchObject({ isTaken: false, remaining: 0, waitSeconds: 1 });
  // Half of the former minute counts.
  expect(takeMany(window, 600, 90, 700)).toBe(300);
  expect(takeMany(window, 600, 119, 700)).toBe(290);
  // The former minute had 590.
  expect(takeMany(window, 600, 150, 700)).toBe(305);
});

it('the remaining requests and the seconds until there are more are those of the window', () => {
  const window = new RequestWindow();
  expect(take(window, 10, 37)).toEqual({ isTaken: true, limit: 10, remaining: 9, waitSeconds: 60 });
  takeMany(window, 10, 37, 4);
  // At 60 s, the five begin to decay: the first is gone after a fifth of the minute.
  expect(take(window, 10, 40)).toMatchObject({ remaining: 4, waitSeconds: 30 + 1 });
  expect(take(window, 1, 40)).toMatchObject({ isTaken: false, remaining: 0, waitSeconds: 21 });
});

it.each([1, 2, 7, 600])('after the announced wait, a key with a limit of %d has a request', (limit) => {
  const next = chance(limit);
  for (let round = 0; round < 60; round++) {
    const window = new RequestWindow();
    let at = start + Math.floor(next() * minute);
    for (let step = 0; step < 3 * limit && step < 1500; step++) {
      at += Math.floor((next() * 2 * minute) / (3 * limit));
      const { isTaken, waitSeconds } = window.take(limit, at);
      if (isTaken) continue;
      expect(waitSeconds).toBeGreaterThanOrEqual(1);
      expect(waitSeconds).toBeLessThanOrEqual(60);
      at += waitSeconds * 1000 + 1;
      expect(window.take(limit, at).isTaken).toBe(true);
    }
  }
});

it('a lowered limit announces a wait of at most a minute, which is true', () => {
  const window = new RequestWindow();
  takeMany(window, 600, 0, 600);
  const { isTaken, waitSeconds } = take(window, 10, 1);
  expect([isTaken, waitSeconds]).toEqual([false, 60]);
  expect(take(window, 10, 61.1).isTaken).toBe(true);
});

it('a clock that jumps forth and back neither locks a key nor frees it', () => {
  const window = new RequestWindow();
  takeMany(window, 10, 0, 10);
  expect(takeMany(window, 10, 3600, 20)).toBe(10);
  // The requests of the true minute are forgotten: the key has its limit once more, and not twice.
  expect(takeMany(window, 10, 1, 20)).toBe(10);
  expect(take(window, 10, 2)).toMatchObject({ isTaken: false, waitSeconds: 58 + 1 });
  expect(takeMany(window, 10, 121, 20)).toBe(10);
});

it('requests that are written twice or not at all are learned as those of others', () => {
  const window = new RequestWindow();
  takeMany(window, 100, 0, 5);
  const counts = window.beginWrite(start, 0);
  expect([...(counts ?? [])]).toEqual([[start / minute, 5]]);
  // Nothing new, and no second write within a second.
  expect(window.beginWrite(start, 5000)).toBeUndefined();
  take(window, 100, 1);
  expect(window.beginWrite(start, 900)).toBeUndefined();
  window.learn(new Map([[start / minute, 7]]));
  expect(take(window, 100, 2).remaining).toBe(100 - 5 - 1 - 2 - 1);
  window.failWrite(counts ?? new Map());
  expect([...(window.beginWrite(start, 1000) ?? [])]).toEqual([[start / minute, 7]]);
});

/** Ten instances with clocks of their own, which share what they write. */
const simulate = ({ limit, seed, arrivals }: { limit: number; seed: number; arrivals: (at: number) => number }) => {
  const next = chance(seed);
  const table = new Map<number, number>();
  const instances = Array.from({ length: 10 }, () => ({
    window: new RequestWindow(),
    skew: Math.round((next() - 0.5) * 1000),
  }));
  const taken: { at: number; instance: number }[] = [];
  for (let at = start; at < start + 5 * minute; at += 50)
    for (let one = arrivals(at); one > 0; one--) {
      const instance = Math.floor(next() * instances.length);
      const { window, skew } = instances[instance] as (typeof instances)[number];
      for (const [minute, count] of window.beginWrite(at + skew, at) ?? [])
        table.set(minute, (table.get(minute) ?? 0) + count);
      window.learn(table);
      if (window.take(limit, at + skew).isTaken) taken.push({ at, instance });
    }
  return taken;
};

const loads: Record<string, (rate: number) => (at: number) => number> = {
  steady: (rate) => {
    let due = 0;
    return () => {
      due += rate / 20;
      const whole = Math.floor(due);
      due -= whole;
      return whole;
    };
  },
  bursty: (rate) => (at) => (at % 10_000 === 0 ? rate * 10 : 0),
  'all at the turn of the minute': (rate) => (at) => (at % minute === 59_950 || at % minute === 0 ? rate * 30 : 0),
};

it.each(Object.keys(loads).flatMap((name) => [1, 2, 3].map((factor) => [name, factor] as const)))(
  'ten instances with skewed clocks take what they may of a load that is %s, %d times the limit',
  (name, factor) => {
    const limit = 600;
    const rate = (factor * limit) / 60;
    const taken = simulate({ limit, seed: factor, arrivals: (loads[name] as (typeof loads)[string])(rate) });
    // The stated error: what each instance served in the second before it wrote. A burst arrives within one second.
    const perSecond = name === 'steady' ? rate : name === 'bursty' ? rate * 10 : rate * 60;
    let worst = 0;
    for (let from = start; from < start + 4 * minute; from += 500) {
      const inWindow = taken.filter(({ at }) => at >= from && at < from + minute).length;
      worst = Math.max(worst, inWindow);
    }
    // A sliding window of two counts lets at most the limit again by its slope; see the guide.
    expect(worst).toBeLessThanOrEqual(limit * 1.05 + perSecond);
    if (factor > 1) expect(taken.length).toBeGreaterThan(0.9 * 5 * limit);
  },
);
