import { expect, it } from 'vitest';
import type { Series } from '../../functions/figures/rows.ts';
import { Summary } from '../../functions/figures/summary.ts';

const outcomes = (count: number, characters: number): Series[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ direction: 'inbound', status: null, version: null, currency: null },
    outcome: String(index).padStart(characters, '"'),
    ...{ quarters: [0], calls: [1], durationMicroseconds: [0], valueMillionths: [0], values: [0], valuesLeftOut: [0] },
    ...{ costMillionths: [0], costsLeftOut: [0], held: [0] },
  })) as Series[];

const makeSummary = (series: Series[]) => {
  const query = { from: '2026-03-01', to: '2026-03-02', timeZone: 'UTC', by: { group: 'outcome' as const } };
  const summary = new Summary(query);
  summary.add({ agentId: 'agent', day: '2026-03-01' }, { series }, 0);
  return summary.result();
};

it('figures add up values exactly, also where the sum of two numbers would be rounded', () => {
  const [series] = outcomes(1, 6) as [Series];
  const [zeros, ones] = [
    [0, 0, 0],
    [1, 1, 1],
  ];
  const sums = { durationMicroseconds: zeros, valuesLeftOut: zeros, costMillionths: zeros, costsLeftOut: zeros };
  const valueMillionths = zeros.map(() => Number.MAX_SAFE_INTEGER);
  const counts = { quarters: [0, 1, 2], calls: ones, values: ones, held: zeros };
  expect(makeSummary([{ ...series, ...sums, ...counts, valueMillionths }]).totals.value).toBe('27021597764.222973');
});

it('figures that do not fit into a response are refused with what to ask less of, and others are not', () => {
  expect(makeSummary(outcomes(10_000, 150)).rows).toHaveLength(10_000);
  expect(() => makeSummary(outcomes(20_000, 150))).toThrow('asks for too many figures at once');
});
