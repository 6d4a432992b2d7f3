import { expect, it } from 'vitest';
import { chooseVersion, type Share } from '../../functions/domain/traffic.ts';

const callers = Array.from({ length: 8000 }, (_, n) => `+1${2_000_000_000 + 7919 * n}`);
const chosen = (split: Share[], agentId = 'agent') => callers.map((caller) => chooseVersion(agentId, caller, split));
const computeShare = (version: number, versions: (number | undefined)[]) =>
  (100 * versions.filter((one) => one === version).length) / versions.length;

it('a split of traffic gives each version its share', () => {
  const split = [
    { version: 3, percent: 1 },
    { version: 9, percent: 10 },
    { version: 4, percent: 29 },
    { version: 12, percent: 60 },
  ];
  const versions = chosen(split);
  for (const { version, percent } of split) expect(Math.abs(computeShare(version, versions) - percent)).toBeLessThan(1);
});

it('a split of traffic always gives a caller the same version, in any order of the split', () => {
  const split = [
    { version: 1, percent: 50 },
    { version: 2, percent: 30 },
    { version: 3, percent: 20 },
  ];
  expect(chosen(split.toReversed())).toEqual(chosen(split));
  expect(chooseVersion('agent', '+14155550100', split)).toBe(1);
  expect(chosen(split, 'another agent')).not.toEqual(chosen(split));
});

it('a split of traffic gives a caller the same version in both forms of the number', () => {
  const split = [
    { version: 1, percent: 50 },
    { version: 2, percent: 50 },
  ];
  const numbers = Array.from({ length: 50 }, (_, n) => 5_512_345_678 + n);
  const versions = (start: string) => numbers.map((number) => chooseVersion('agent', start + number, split));
  expect(versions('+521')).toEqual(versions('+52'));
});

it('a share of traffic that is raised moves callers into its version only', () => {
  const before = chosen([
    { version: 1, percent: 60 },
    { version: 2, percent: 30 },
    { version: 3, percent: 10 },
  ]);
  const after = chosen([
    { version: 1, percent: 40 },
    { version: 2, percent: 20 },
    { version: 3, percent: 40 },
  ]);
  const moved = before.flatMap((version, n) => (version === after[n] ? [] : [after[n]]));
  expect([moved.length > 0, new Set(moved)]).toEqual([true, new Set([3])]);
});

it('a split of one version gives it to everybody, and an empty one chooses none', () => {
  expect(new Set(chosen([{ version: 6, percent: 100 }]))).toEqual(new Set([6]));
  expect(chooseVersion('agent', '+14155550100', [])).toBeUndefined();
});
