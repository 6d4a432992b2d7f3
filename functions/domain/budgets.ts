import * as z from 'zod/mini';
import { currencyPattern, isCurrency } from './call-costs.ts';
import { timestamp } from './date-time.ts';
import { choiceField, describe, describedObject, numberField, textField } from './describe.ts';
import { limits } from './limits.ts';
import { toDecimal, toMillionths } from './millionths.ts';
import { isTimeZone } from './time-zones.ts';
import { WallClocks } from './wall-clocks.ts';

const periods = ['day', 'month'] as const;
const actions = ['tell', 'refuse_outbound', 'refuse'] as const;
export type BudgetAction = (typeof actions)[number];

/** Returns the exact millionths of an amount; undefined for one that no budget has. */
const readAmount = (amount: number): bigint | undefined =>
  amount === limits.budgetAmount ? BigInt(amount) * 1_000_000n : amount > 0 ? toMillionths(amount) : undefined;

const fields = {
  amount: z.number().check(
    z.refine((amount) => readAmount(amount) !== undefined, {
      error: `must be more than 0, at most ${limits.budgetAmount}, and have at most 6 decimals`,
    }),
    describe('What the calls may cost in a period: at most 6 decimals.', 50, { maximum: limits.budgetAmount }),
  ),
  currency: z.string().check(
    z.refine((currency) => isCurrency(currency) || currency === 'credits', {
      error: 'must be three capital letters, or credits',
    }),
    describe('The currency of the costs that are compared: three capital letters, or `credits`.', 'USD', {
      pattern: `${currencyPattern.source}|^credits$`,
    }),
  ),
  per: choiceField(periods, 'The period: a calendar day or month in `timeZone`.', 'month'),
  timeZone: z
    .string()
    .check(
      z.refine(isTimeZone, { error: 'must be an IANA time zone such as Europe/Berlin' }),
      describe('The IANA time zone of the period.', 'Europe/Berlin'),
    ),
  action: choiceField(
    actions,
    'What happens when the amount is reached: only the event (`tell`), or outbound calls (`refuse_outbound`) or all calls (`refuse`) are rejected until the period ends.',
    'refuse_outbound',
  ),
};

/** Null stands for no budget. */
export const GivenBudget = z
  .nullable(
    z.object({
      ...fields,
      timeZone: z._default(fields.timeZone, 'UTC'),
      action: z._default(fields.action, 'tell'),
    }),
  )
  .check(
    z.describe(
      'What the calls of the client may cost in a period. It replaces the former budget as a whole; `null` ends it. Each period has at most one event `user.budget_reached` for 80 % and one for 100 %.',
    ),
  );
export type GivenBudget = NonNullable<z.infer<typeof GivenBudget>>;

export const Budget = describedObject('What the calls of the client may cost in a period, and what they have cost.', {
  ...fields,
  spent: textField('What the calls that started in the period have cost, exactly.', '12.5'),
  share: numberField('`spent` as a share of `amount`. It may exceed 1.', 0.25),
  periodEnd: timestamp('When the next period begins.'),
  note: z.optional(
    textField(
      'Why nothing is compared. Present where no cost of the period is in the currency of the budget.',
      'No call of this period has a cost in EUR: nothing is compared.',
    ),
  ),
});
type Budget = z.infer<typeof Budget>;

/**
 * A budget with an id that changes with all but its action: what was told of it holds for this id. `since`: when it got the id (Unix
 * milliseconds); absent in older records.
 */
export type StoredBudget = GivenBudget & { budgetId: string; since?: number };

/** What the calls of a period have cost, in millionths. `isOther`: all costs are in other currencies. */
export type Spending = { budgetId: string; period: string; millionths: string; isOther?: boolean };

/** The highest share of a budget that was told of each of its last three periods, and what was spent then. */
export type ToldShares = { budgetId: string; periods: Record<string, ToldShare> };
type ToldShare = { share: BudgetShare; spent: string };
export type BudgetShare = 0.8 | 1;

/**
 * What the keys and secrets of a user with a budget repeat, so that a start reads no more. `refuses`: its calls are rejected until
 * then (Unix milliseconds).
 */
export type BudgetMark = { refuses?: { action: Exclude<BudgetAction, 'tell'>; until: number } };

/** The fields of a user's record about its budget. */
export type BudgetFields = { budget?: StoredBudget; spending?: Spending; told?: ToldShares; budgetMark?: BudgetMark };

/** A period: its name (`2026-11-28` or `2026-11`), its dates, and its end in Unix milliseconds. */
export type BudgetPeriod = { name: string; from: string; to: string; endsAt: number };

const hour = 60 * 60 * 1000;
const quarter = hour / 4;

/** Returns the period in which a moment lies. */
export const findPeriod = ({ per, timeZone }: Pick<StoredBudget, 'per' | 'timeZone'>, at: number): BudgetPeriod => {
  const clock = new WallClocks().of(timeZone);
  const findDate = (moment: number) => new Date(moment + clock(moment).offset).toISOString().slice(0, 10);
  const date = findDate(at);
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const [from, to] =
    per === 'day'
      ? [date, toDate(Date.UTC(year, month - 1, day + 1))]
      : [toDate(Date.UTC(year, month - 1)), toDate(Date.UTC(year, month))];
  // A day may begin later than at midnight, and an offset changes at a whole quarter of an hour.
  let endsAt = Date.parse(to) - 15 * hour;
  while (findDate(endsAt) < to) endsAt += quarter;
  return { name: per === 'day' ? from : from.slice(0, 'yyyy-mm'.length), from, to, endsAt };
};

const toDate = (moment: number) => new Date(moment).toISOString().slice(0, 10);

/** Returns the budget that a user gets, with what is still true of the former one. */
export const replaceBudget = (
  { budget: former, spending, told, budgetMark }: BudgetFields,
  given: GivenBudget | null,
  newId: string,
  at = Date.now(),
): { [Name in keyof BudgetFields]-?: BudgetFields[Name] | null } => {
  if (!given) return { budget: null, spending: null, told: null, budgetMark: null };
  const { amount, currency, per, timeZone, action } = given;
  const isComparable =
    former !== undefined && former.currency === currency && former.per === per && former.timeZone === timeZone;
  const isSame = isComparable && former.amount === amount;
  const { budgetId, since } = isSame ? former : { budgetId: newId, since: at };
  // A raised budget frees at once; a lowered one that was reached still is.
  const refuses = isComparable && amount <= former.amount && action !== 'tell' ? budgetMark?.refuses : undefined;
  return {
    budget: { amount, currency, per, timeZone, action, budgetId, since },
    spending: isComparable && spending ? { ...spending, budgetId } : null,
    told: isSame && told ? told : null,
    budgetMark: refuses && action !== 'tell' ? { refuses: { ...refuses, action } } : {},
  };
};

/** Returns what follows from what the calls of a period have cost: the share to tell, and whether calls are refused. */
export const judgeSpending = ({ amount, action }: StoredBudget, millionths: bigint, { endsAt }: BudgetPeriod) => {
  const limit = readAmount(amount) as bigint;
  const share: BudgetShare | undefined = millionths >= limit ? 1 : millionths * 5n >= limit * 4n ? 0.8 : undefined;
  const mark: BudgetMark = share === 1 && action !== 'tell' ? { refuses: { action, until: endsAt } } : {};
  return { share, mark };
};

/** The days that 27 hours touch. */
const periodsTold = 3;

/** Returns the shares that were told, with the share of a period if it is higher than the one told before. */
export const tellShare = (
  { budgetId }: StoredBudget,
  former: ToldShares | undefined,
  period: string,
  told: ToldShare,
): ToldShares => {
  const known = former?.budgetId === budgetId ? former.periods : {};
  if ((known[period]?.share ?? 0) >= told.share) return former as ToldShares;
  const all = Object.entries({ ...known, [period]: told }).sort(([a], [b]) => (a < b ? -1 : 1));
  return { budgetId, periods: Object.fromEntries(all.slice(-periodsTold)) };
};

/** Returns the shares that a record tells and an earlier one did not. */
export const findNewShares = (before: ToldShares | undefined, after: ToldShares | undefined) =>
  Object.entries(after?.periods ?? {}).flatMap(([period, { share, spent }]) => {
    const former = before?.budgetId === after?.budgetId ? (before?.periods[period]?.share ?? 0) : 0;
    return ([0.8, 1] as const)
      .filter((one) => former < one && one <= share)
      .map((one) => ({ period, share: one, spent }));
  });

/** Checks whether a budget refuses a call that starts now. */
export const refusesCall = (
  mark: BudgetMark | undefined,
  direction: 'inbound' | 'outbound',
  at = Date.now(),
): boolean =>
  mark?.refuses !== undefined &&
  at < mark.refuses.until &&
  (mark.refuses.action === 'refuse' || direction === 'outbound');

/** Returns a budget as responses show it; undefined for a user without one. */
export const showBudget = ({ budget, spending }: BudgetFields, at = Date.now()): Budget | undefined => {
  if (!budget) return undefined;
  const { amount, currency, per, timeZone, action, budgetId } = budget;
  const { name, endsAt } = findPeriod(budget, at);
  const known = spending?.budgetId === budgetId && spending.period === name ? spending : undefined;
  const millionths = BigInt(known?.millionths ?? 0);
  return {
    amount,
    currency,
    per,
    timeZone,
    action,
    spent: toDecimal(millionths),
    share: Number(millionths) / 1e6 / amount,
    periodEnd: new Date(endsAt).toISOString(),
    note: known?.isOther ? `No call of this period has a cost in ${currency}: nothing is compared.` : undefined,
  };
};
