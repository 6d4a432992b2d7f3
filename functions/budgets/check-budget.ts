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

/** Calls that ended just before the end of a period are counted after it. */
const lateMilliseconds = 3 * 60 * 1000;
const maxAttempts = 8;

/** Compares what the calls of a user have cost with its budget. `pending`: calls of the period are still to be counted. */
export const checkBudget = async (
  uid: string,
  services: BudgetServices,
  { waitsForCounts, now = Date.now() }: { waitsForCounts: boolean; now?: number },
): Promise<'checked' | 'pending'> => {
  const { users } = services;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await backOff(attempt);
    const known = await users.findBudget(uid);
    if (!known?.budget) return 'checked';
    const { budget } = known;
    const present = findPeriod(budget, now);
    const former = findPeriod(budget, now - lateMilliseconds);
    let told = known.told;
    let noted: Pick<Parameters<Users['noteSpending']>[1], 'spending' | 'mark'> | undefined;
    for (const period of former.name === present.name ? [present] : [former, present]) {
      const { millionths, isOther, isPending } = await sumCosts(uid, budget, period, services);
      if (isPending && waitsForCounts) return 'pending';
      const { share, mark } = judgeSpending(budget, millionths, period);
      if (share) told = tellShare(budget, told, period.name, { share, spent: toDecimal(millionths) });
      const spending = { budgetId: budget.budgetId, period: period.name, millionths: String(millionths), isOther };
      noted = { spending, mark };
    }
    if (noted && (await users.noteSpending(known, { ...noted, told }))) return 'checked';
  }
  throw new Error('The budget kept changing while it was checked.');
};

/** Adds up the costs, in the currency of a budget, of the calls that started in a period. The marks are read before the figures. */
const sumCosts = async (
  uid: string,
  { currency, timeZone }: StoredBudget,
  { from, to }: BudgetPeriod,
  { agentAccess, callFigures }: BudgetServices,
) => {
  const agentIds = (await agentAccess.allOwned(uid)).map(({ agentId }) => agentId);
  const periods = new Periods({ from, to, timeZone });
  const includes = (day: string, quarter: number) => periods.findPeriod(startOfQuarter(day, quarter)) !== undefined;
  const [first = from, last = to] = [periods.days[0], periods.days.at(-1)];
  const marks = await Promise.all(agentIds.map((agentId) => callFigures.marksBetween(agentId, first, last)));
  const isPending = marks.flat().some(({ day, quarters }) => [...quarters].some((quarter) => includes(day, quarter)));
  let millionths = 0n;
  const currencies = new Set<string>();
  await callFigures.read(agentIds, periods.days, ({ day }, { series }) => {
    for (const one of series)
      for (const [index, quarter] of one.quarters.entries()) {
        if (one.currency === null || !includes(day, quarter)) continue;
        currencies.add(one.currency);
        if (one.currency === currency) millionths += BigInt(one.costMillionths[index] as number | string);
      }
  });
  return { millionths, isOther: currencies.size > 0 && !currencies.has(currency) ? true : undefined, isPending };
};
