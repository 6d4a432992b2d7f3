import { beforeAll, expect, it, vi } from 'vitest';
import { budgetChecks } from '../../functions/budgets/budget-checks.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

beforeAll(useTargetInThisProcess);

it('one caller queues the check of a budget until it begins, or is lost', async () => {
  const uid = unique('user');
  const checks = budgetChecks.get();
  expect(await checks.claim(uid, 'first')).toBe(true);
  expect(await checks.claim(uid, 'second')).toBe(false);
  expect(await checks.claim(uid, 'first')).toBe(true);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  expect(await checks.claim(uid, 'second')).toBe(true);
  expect(await checks.claim(uid, 'first')).toBe(false);
  await checks.begin(uid);
  expect(await checks.claim(uid, 'first')).toBe(true);
});
