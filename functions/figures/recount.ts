import { environment } from '../environment.ts';
import { backOff } from '../store/table.ts';
import type { AgentDay, CallFigures, DayFigures } from './call-figures.ts';
import { allQuarters, expandSeries, type FigureRow, quartersPerDay, toDay, toQuarter } from './rows.ts';

/** The methods that a count uses. */
export type Counting = Pick<CallFigures, 'begin' | 'count' | 'end' | 'find' | 'save'>;
type Freezing = Pick<CallFigures, 'count' | 'daysWithCalls' | 'find' | 'save'>;

/** The maximum number of counts of a day whose figures keep changing. */
const maxAttempts = 8;

/** The bounds of the delay before a day is counted again, which is one second per call to count. */
const delays = () => (environment.isLambda ? { min: 15, max: 90 } : { min: 2, max: 10 });

export const waitSeconds = () => delays().min;

/** Returns the delay of a day beyond the shortest. Counting many calls after each change would cost more than the calls themselves. */
export const moreSeconds = async (day: AgentDay, figures: Pick<CallFigures, 'find' | 'getMarks'>): Promise<number> => {
  const [[mark], { series }] = await Promise.all([figures.getMarks([day]), figures.find(day)]);
  const calls = expandSeries(series).reduce((sum, row) => sum + (mark?.quarters.has(row.quarter) ? row.calls : 0), 0);
  const { min, max } = delays();
  return Math.max(0, Math.min(calls, max) - min);
};

/** Counts a marked day's calls. A change meanwhile starts a new count. `gone`: the agent was deleted. */
export const countDay = async (day: AgentDay, figures: Counting): Promise<'counted' | 'gone'> => {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await backOff(attempt);
    const mark = await figures.begin(day);
    if (!mark) return 'counted';
    const former = await figures.find(day);
    const quarters = [...mark.quarters].filter((quarter) => quarter >= former.frozen);
    const saved = await recount(day, quarters, former, former.frozen, figures);
    if (saved === 'gone') return 'gone';
    if (saved === 'changed') continue;
    await figures.end(day, mark);
    return 'counted';
  }
  throw new Error('The figures of a day kept changing while its calls were counted.');
};

/** Counts the calls of a day again, whether or not they have changed. */
export const recountDay = async (day: AgentDay, figures: Counting & Pick<CallFigures, 'mark'>): Promise<void> => {
  await figures.mark(day, allQuarters);
  await countDay(day, figures);
};

/** Counts the calls before a quarter for the last time. True: all are counted, and may be deleted. */
export const freeze = async (agentId: string, before: string, until: number, figures: Freezing): Promise<boolean> => {
  for await (const day of figures.daysWithCalls(agentId, before)) {
    if (Date.now() >= until) return false;
    const end = day === toDay(before) ? toQuarter(before) : quartersPerDay;
    await freezeDay({ agentId, day }, end, figures);
  }
  return true;
};

const freezeDay = async (day: AgentDay, end: number, figures: Freezing): Promise<void> => {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await backOff(attempt);
    const former = await figures.find(day);
    if (former.frozen >= end) return;
    const quarters = Array.from({ length: end - former.frozen }, (_, index) => former.frozen + index);
    if ((await recount(day, quarters, former, end, figures)) !== 'changed') return;
  }
  throw new Error('The figures of a day kept changing while they were frozen.');
};

/** Counts quarters of a day, and replaces their rows. */
const recount = async (
  day: AgentDay,
  quarters: number[],
  former: DayFigures,
  frozen: number,
  figures: Pick<Counting, 'count' | 'save'>,
): Promise<'saved' | 'changed' | 'gone'> => {
  const counted = new Set(quarters);
  const kept = expandSeries(former.series).filter(({ quarter }) => !counted.has(quarter));
  const rows: FigureRow[] = [...kept, ...(await figures.count(day, counted))];
  return figures.save(day, former, { rows: rows.sort((a, b) => a.quarter - b.quarter), frozen });
};
