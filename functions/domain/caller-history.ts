import * as z from 'zod/mini';
import type { Call } from './calls.ts';
import { describe, flagField } from './describe.ts';
import { limits } from './limits.ts';
import { cut } from './text.ts';

const makeWholeSchema = (max: number, description: string, example: number) =>
  z.optional(z.int().check(z.minimum(1), z.maximum(max), describe(description, example)));

/** The earlier calls of a caller that become variables of the agent. */
export const CallerHistory = z
  .strictObject({
    calls: makeWholeSchema(limits.historyCalls, 'Lines of `call_history`. Default: 3.', 3),
    days: makeWholeSchema(limits.historyDays, 'Days that count. Default: 90.', 90),
    summaries: z.optional(flagField('Include summaries.', true)),
  })
  .check(describe('Variables about earlier calls.', { calls: 3, days: 90, summaries: true }));

/** Returns the settings of a configuration. One that was stored before this field had a meaning may hold anything in it. */
export const readCallerHistory = ({ callerHistory }: { callerHistory?: unknown } = {}) => {
  const { data } = z.safeParse(CallerHistory, callerHistory);
  return data && { calls: 3, days: 90, summaries: false, ...data };
};
export type CallerHistory = NonNullable<ReturnType<typeof readCallerHistory>>;

/** The variables that an agent with a history has, or lacks because there is nothing to tell. */
export const historyNames = [
  ...['calls_before', 'last_call_at', 'last_direction', 'last_outcome', 'last_summary', 'call_history'],
] as readonly string[];

/** What a history says of a call. Words of callers and models are data. */
export type EarlierCall = Pick<Call, 'startedAt' | 'direction'> & { outcome?: string; summary?: string };

/** Returns what a history says of a call. */
export const toEarlierCall = ({ startedAt, direction, custom_call_outcome, details }: Call): EarlierCall => ({
  startedAt,
  direction,
  outcome: toData(custom_call_outcome),
  summary: toData(details?.summary),
});

/** Returns the variables about a number's calls, newest first. `count` may be larger than the number of calls that were read. */
export const toHistoryVariables = (
  latest: EarlierCall[],
  count: number,
  { summaries }: Pick<CallerHistory, 'summaries'>,
): Record<string, string | number> => {
  const [last] = latest;
  if (!last) return { calls_before: count };
  const { startedAt, direction, outcome } = last;
  const summary = summaries && last.summary;
  return {
    calls_before: count > limits.historyCounted ? `${limits.historyCounted}+` : count,
    last_call_at: startedAt,
    last_direction: direction,
    ...(outcome && { last_outcome: outcome }),
    ...(summary && { last_summary: summary }),
    call_history: latest.map((call) => toLine(call, summaries)).join('\n'),
  };
};

const toLine = ({ startedAt, direction, outcome, summary }: EarlierCall, summaries: boolean): string => {
  const words = [startedAt, direction, outcome].filter(Boolean).join(' ');
  return summaries && summary ? `${words}: ${summary}` : words;
};

/** Returns words of callers and models in one line, and without the signs that begin an expression of a platform's template. */
const toData = (text: unknown): string | undefined => {
  if (typeof text !== 'string') return undefined;
  const line = text
    .slice(0, 8 * limits.historyCharacters)
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\{(?=[{%#])/g, '{ ')
    .trim();
  return cut(line, limits.historyCharacters) || undefined;
};
