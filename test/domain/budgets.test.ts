import { expect, it } from 'vitest';
import {
  type BudgetFields,
  findNewShares,
  findPeriod,
  GivenBudget,
  judgeSpending,
  refusesCall,
  replaceBudget,
  type StoredBudget,
  showBudget,
  tellShare,
} from '../../functions/domain/budgets.ts';
import { validate } from '../../functions/domain/validation.ts';

const budget: StoredBudget = {
  ...{ budgetId: 'b1', amount: 10, currency: 'USD', per: 'day', timeZone: 'UTC', action: 'refuse' },
};

it.each([
  ['UTC', 'day', '2026-03-31T23:59:59.999Z', '2026-03-31', '2026-04-01T00:00:00.000Z'],
  ['UTC', 'month', '2026-12-31T23:59:59Z', '2026-12', '2027-01-01T00:00:00.000Z'],
  // Days of 23 and 25 hours, and one that begins at 1:00.
  ['Europe/Berlin', 'day', '2026-03-29T00:30:00Z', '2026-03-29', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', 'day', '2026-10-24T22:00:00Z', '2026-10-25', '2026-10-25T23:00:00.000Z'],
  ['Europe/Berlin', 'month', '2026-10-10T12:00:00Z', '2026-10', '2026-10-31T23:00:00.000Z'],
  ['America/Havana', 'day', '2026-03-07T12:00:00Z', '2026-03-07', '2026-03-08T05:00:00.000Z'],
  ['Asia/Kathmandu', 'day', '2026-06-01T18:14:59Z', '2026-06-01', '2026-06-01T18:15:00.000Z'],
  ['Pacific/Kiritimati', 'month', '2026-05-31T09:59:59Z', '2026-05', '2026-05-31T10:00:00.000Z'],
] as const)('a period in %s, per %s, of %s is %s and ends at %s', (timeZone, per, at, name, end) => {
  const period = findPeriod({ timeZone, per }, Date.parse(at));
  expect([period.name, new Date(period.endsAt).toISOString()]).toEqual([name, end]);
  expect(findPeriod({ timeZone, per }, period.endsAt).name > name).toBe(true);
  expect(findPeriod({ timeZone, per }, period.endsAt - 1).name).toBe(name);
});

it('a line is reached at exactly its amount, in exact decimals', () => {
  const period = findPeriod(budget, 0);
  const computeShare = (amount: number, millionths: bigint) =>
    judgeSpending({ ...budget, amount }, millionths, period).share;
  expect([7_999_999n, 8_000_000n, 9_999_999n, 10_000_000n].map((spent) => computeShare(10, spent))).toEqual([
    ...[undefined, 0.8, 0.8, 1],
  ]);
  expect([computeShare(0.000001, 0n), computeShare(0.000001, 1n), computeShare(1e12, 10n ** 18n)]).toEqual([
    undefined,
    1,
    1,
  ]);
});

it('a budget has an amount, a currency and a period, within bounds', () => {
  const listErrors = (given: object) => validate(GivenBudget, given).error?.details?.map(({ path }) => path) ?? [];
  const valid = { amount: 5, currency: 'USD', per: 'day' };
  expect(validate(GivenBudget, valid).data).toEqual({ ...valid, timeZone: 'UTC', action: 'tell' });
  expect(listErrors({})).toEqual(['amount', 'currency', 'per']);
  for (const amount of [0, -1, 1e13, 0.0000001, 1.1234567, '5'])
    expect([amount, listErrors({ ...valid, amount })]).toEqual([amount, ['amount']]);
  for (const amount of [1e12, 0.000001, 999_999_999_999.5]) expect(listErrors({ ...valid, amount })).toEqual([]);
  for (const currency of ['usd', 'EURO', '']) expect(listErrors({ ...valid, currency })).toEqual(['currency']);
  expect(listErrors({ ...valid, timeZone: '+01:00' })).toEqual(['timeZone']);
});

it('a refusal ends with its period, and that of outbound calls leaves inbound ones alone', () => {
  const all = { refuses: { action: 'refuse' as const, until: 1000 } };
  const outbound = { refuses: { action: 'refuse_outbound' as const, until: 1000 } };
  expect([refusesCall(all, 'inbound', 999), refusesCall(all, 'inbound', 1000)]).toEqual([true, false]);
  expect([refusesCall(outbound, 'inbound', 999), refusesCall(outbound, 'outbound', 999)]).toEqual([false, true]);
  expect([refusesCall({}, 'outbound', 0), refusesCall(undefined, 'outbound', 0)]).toEqual([false, false]);
});

it('what another budget keeps of the former one follows from what differs', () => {
  const mark = { refuses: { action: 'refuse' as const, until: 1000 } };
  const told = { budgetId: 'b1', periods: { '2026-03-01': { share: 1 as const, spent: '12' } } };
  const spending = { budgetId: 'b1', period: '2026-03-01', millionths: '12000000' };
  const former: BudgetFields = { budget: { ...budget, since: 1 }, told, spending, budgetMark: mark };
  const replaced = (change: Partial<StoredBudget>) => {
    const { budgetId: _, ...given } = { ...budget, ...change };
    return replaceBudget(former, given, 'b2', 2);
  };
  expect(replaced({})).toEqual(former);
  // What is told holds, and what is refused is another thing.
  expect(replaced({ action: 'refuse_outbound' })).toMatchObject({
    ...{ told, budgetMark: { refuses: { action: 'refuse_outbound', until: 1000 } } },
  });
  expect(replaced({ action: 'tell' })).toMatchObject({ told, budgetMark: {} });
  expect(replaced({ amount: 11 })).toMatchObject({ budget: { since: 2 } });
  expect(replaced({ amount: 11 })).toMatchObject({ told: null, spending: { budgetId: 'b2' }, budgetMark: {} });
  expect(replaced({ amount: 9 })).toMatchObject({ told: null, spending: { budgetId: 'b2' }, budgetMark: mark });
  for (const change of [{ currency: 'EUR' }, { per: 'month' as const }, { timeZone: 'Europe/Berlin' }])
    expect(replaced(change)).toMatchObject({ told: null, spending: null, budgetMark: {} });
  const none = { budget: null, told: null, spending: null, budgetMark: null };
  expect(replaceBudget(former, null, 'b2')).toEqual(none);
});

it('a share is told once a period, however the sum moves', () => {
  const first = tellShare(budget, undefined, '2026-03-01', { share: 1, spent: '10' });
  expect(findNewShares(undefined, first).map(({ share }) => share)).toEqual([0.8, 1]);
  expect(tellShare(budget, first, '2026-03-01', { share: 0.8, spent: '9' })).toBe(first);
  const next = tellShare(budget, first, '2026-03-02', { share: 0.8, spent: '8' });
  expect(findNewShares(first, next)).toEqual([{ period: '2026-03-02', share: 0.8, spent: '8' }]);
  // A call of the day before is corrected after midnight.
  expect(tellShare(budget, next, '2026-03-01', { share: 1, spent: '11' })).toBe(next);
  // 27 hours touch three days.
  const late = tellShare(budget, next, '2026-02-28', { share: 0.8, spent: '9' });
  expect(findNewShares(next, late)).toEqual([{ period: '2026-02-28', share: 0.8, spent: '9' }]);
  expect(tellShare(budget, late, '2026-02-27', { share: 1, spent: '12' }).periods).toEqual(late.periods);
  const other = tellShare({ ...budget, budgetId: 'b2' }, next, '2026-03-02', { share: 0.8, spent: '8' });
  expect(findNewShares(next, other)).toHaveLength(1);
});

it('a budget is shown with what its present period has cost', () => {
  const at = Date.parse('2026-03-01T10:00:00Z');
  const spending = { budgetId: 'b1', period: '2026-03-01', millionths: '12500000' };
  const { budgetId: _, ...given } = budget;
  expect(showBudget({ budget, spending }, at)).toEqual({
    ...given,
    ...{ spent: '12.5', share: 1.25, periodEnd: '2026-03-02T00:00:00.000Z', note: undefined },
  });
  expect(showBudget({ budget, spending }, at + 86_400_000)).toMatchObject({ spent: '0', share: 0 });
  const isOther = { ...spending, millionths: '0', isOther: true };
  expect(showBudget({ budget, spending: isOther }, at)?.note).toContain('USD');
});
