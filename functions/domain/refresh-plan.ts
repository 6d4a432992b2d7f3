import * as z from 'zod/mini';
import { describe } from './describe.ts';
import { limits } from './limits.ts';

/** The days between two crawls of a website, in a request; `null`: it is crawled again only by hand. */
export const RefreshEvery = z
  .nullable(z.int().check(z.minimum(1), z.maximum(limits.refreshDays)))
  .check(
    describe(
      `Days until the website is crawled again, 1 to ${limits.refreshDays}. \`null\` means never, which is the default.`,
      7,
    ),
  );

export const dayMilliseconds = 24 * 60 * 60 * 1000;

/** A website is due `from` a time on (Unix milliseconds), and every `days` days after it, at the same time of the day in UTC. */
export type RefreshPlan = { from: number; days: number };

/** Returns the first time after another one at which a website is due. */
export const nextDue = ({ from, days }: RefreshPlan, after: number): number => {
  if (after < from) return from;
  const period = days * dayMilliseconds;
  return from + (Math.floor((after - from) / period) + 1) * period;
};

/** Returns the last time at which a website became due between two looks; undefined when it did not. */
export const dueBetween = (plan: RefreshPlan, after: number, until: number): number | undefined => {
  const next = nextDue(plan, until) - plan.days * dayMilliseconds;
  return next >= plan.from && next > after ? next : undefined;
};

/** The number of failures in a row after which only every third time is tried. */
const maxFailures = 3;

/** Returns when a website is tried again that is due next at a time: after three failures in a row, only every third time. */
export const nextTry = (due: number, days: number, failures: number): number =>
  failures < maxFailures ? due : due + 2 * days * dayMilliseconds;

/** A website that is due at once is due after this time, so that the next look finds it. */
const soonMilliseconds = 60_000;

type Refreshed = {
  active: boolean;
  refreshEvery?: number;
  nextRefreshAt?: string;
  lastCrawledAt?: string;
};

/** Returns when a website is crawled again after a change of its settings; undefined when it is not. */
export const planRefresh = (before: Refreshed, after: Refreshed, now: number): string | undefined => {
  const { active, refreshEvery } = after;
  if (!active || refreshEvery === undefined) return undefined;
  if (before.nextRefreshAt !== undefined && before.refreshEvery === refreshEvery) return before.nextRefreshAt;
  const last = before.lastCrawledAt === undefined ? now : Date.parse(before.lastCrawledAt);
  return new Date(Math.max(last + refreshEvery * dayMilliseconds, now + soonMilliseconds)).toISOString();
};
