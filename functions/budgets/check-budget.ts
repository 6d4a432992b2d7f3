import { type BudgetPeriod, findPeriod, judgeSpending, type StoredBudget, tellShare } from '../domain/budgets.ts';
import { toDecimal } from '../domain/millionths.ts';
import type { CallFigures } from '../figures/call-figures.ts';
import { Periods } from '../figures/periods.ts';
import { startOfQuarter } from '../figures/rows.ts';
import type { AgentAccess } from '../store/agents/agent-access.ts';
import { backOff } from '../store/table.ts';
import type { Users } from '../store/users.ts';

export type BudgetServices = {
  users: Pick<Users, 'findBudget' | 'noteSpending'>;
  agentAccess: Pick<AgentAccess, 'allOwned'>;
  callFigures: Pick<CallFigures, 'marksBetween' | 'read'>;
};

/** Calls are recovered for 26 hours after their start, and counted a little later. */
const lateMilliseconds = 27 * 60 * 60 * 1000;
const maxAttempts = 8;

/**
 * Compares what the calls of a user have cost with its budget, also in former periods whose calls may still change. `pending`: calls of
 * these periods are still to be counted.
 */
export const checkBudget = async (
  uid: string,
  services: BudgetServices,
  { waitsForCounts }: { waitsForCounts: boolean },
): Promise<'checked' | 'pending'> => {
  const { users } = services;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await backOff(attempt);
    const known = await users.findBudget(uid);
    if (!known?.budget) return 'checked';
    const { budget } = known;
    const now = Date.now();
    const present = findPeriod(budget, now);
    // A budget is not compared with what was spent in periods before it.
    const { from } = findPeriod(budget, Math.min(now, Math.max(now - lateMilliseconds, budget.since ?? 0)));
    const { costs, isPending } = await sumCosts(uid, budget, { from, to: present.to }, services);
    if (isPending && waitsForCounts) return 'pending';
    let told = known.told;
    let noted: Pick<Parameters<Users['noteSpending']>[1], 'spending' | 'mark'> | undefined;
    for (const { period, millionths, isOther } of costs) {
      const { share, mark } = judgeSpending(budget, millionths, present);
      if (share) told = tellShare(budget, told, period, { share, spent: toDecimal(millionths) });
      // The last period is the present one.
      noted = { spending: { budgetId: budget.budgetId, period, millionths: String(millionths), isOther }, mark };
    }
    if (noted && (await users.noteSpending(known, { ...noted, told }))) return 'checked';
  }
  throw new Error('The budget kept changing while it was checked.');
};

/**
 * Adds up the costs, in the currency of a budget, of the calls that started in each period between dates, oldest first. The marks are read
 * before the figures.
 */
const sumCosts = async (
  uid: string,
  { currency, per, timeZone }: StoredBudget,
  { from, to }: Pick<BudgetPeriod, 'from' | 'to'>,
  { agentAccess, callFigures }: BudgetServices,
) => {
  const agentIds = (await agentAccess.allOwned(uid)).map(({ agentId }) => agentId);
  const periods = new Periods({ from, to, timeZone, unit: per });
  const findPosition = (day: string, quarter: number) => periods.findPeriod(startOfQuarter(day, quarter));
  const [first = from, last = to] = [periods.days[0], periods.days.at(-1)];
  const marks = await Promise.all(agentIds.map((agentId) => callFigures.marksBetween(agentId, first, last)));
  const isPending = marks
    .flat()
    .some(({ day, quarters }) => [...quarters].some((quarter) => findPosition(day, quarter) !== undefined));
  const costs = periods.names.map((period) => ({ period, millionths: 0n, currencies: new Set<string>() }));
  await callFigures.read(agentIds, periods.days, ({ day }, { series }) => {
    for (const one of series)
      for (const [index, quarter] of one.quarters.entries()) {
        const sum = costs[findPosition(day, quarter) ?? costs.length];
        if (one.currency === null || !sum) continue;
        sum.currencies.add(one.currency);
        if (one.currency === currency) sum.millionths += BigInt(one.costMillionths[index] as number | string);
      }
  });
  return {
    costs: costs.map(({ currencies, ...sum }) => ({
      ...sum,
      isOther: currencies.size > 0 && !currencies.has(currency) ? true : undefined,
    })),
    isPending,
  };
};
