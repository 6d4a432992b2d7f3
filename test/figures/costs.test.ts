import { expect, it } from 'vitest';
import type { Series } from '../../functions/figures/rows.ts';
import { Summary } from '../../functions/figures/summary.ts';
import { toCsv } from '../../functions/figures/to-csv.ts';

const march = { from: '2026-03-01', to: '2026-04-01', timeZone: 'UTC' } as const;

const makeSeries = (
  outcome: string,
  valueMillionths: number,
  currency: string | null,
  costMillionths: number,
): Series => ({
  ...{ direction: 'inbound', status: null, outcome, version: null, currency },
  ...{ quarters: [40], calls: [1], durationMicroseconds: [0], values: [1], valuesLeftOut: [0] },
  ...{ valueMillionths: [valueMillionths], costMillionths: [costMillionths], costsLeftOut: [0], held: [0] },
});

const summarize = (...series: Series[]) => {
  const summary = new Summary({ ...march, by: { group: 'outcome' } });
  summary.add({ agentId: 'agent', day: '2026-03-01' }, { series }, 0);
  return summary;
};

it('rows and totals have an exact margin in the currency of the values, if no cost is in another one', () => {
  const inEuros = summarize(makeSeries('booked', 149_500_000, 'EUR', 300_000), makeSeries('lost', 0, 'EUR', 100_001));
  expect(inEuros.result('EUR')).toMatchObject({
    rows: [
      { outcome: 'booked', value: '149.5', cost: { EUR: '0.3' }, margin: '149.2' },
      { outcome: 'lost', value: '0', cost: { EUR: '0.100001' }, margin: '-0.100001' },
    ],
    totals: { margin: '149.099999', valueCurrency: 'EUR' },
  });
  const others = [
    inEuros.result('USD'),
    inEuros.result(undefined),
    summarize(makeSeries('booked', 1, 'EUR', 1), makeSeries('lost', 1, 'credits', 1)).result('EUR'),
  ];
  for (const { rows, totals } of others)
    expect([...rows, totals].flatMap(({ margin = [] }) => margin).concat(totals.valueCurrency ?? [])).toEqual([]);
  expect(summarize(makeSeries('booked', 149_500_000, null, 0)).result('EUR').totals).toMatchObject({
    cost: {},
    margin: '149.5',
    valueCurrency: 'EUR',
  });
});

it('CSV has a column for each currency, the counts of costs and the margin after the other columns', () => {
  const summarizeRows = (...series: Series[]) => summarize(...series).result('USD').rows;
  const withMargin = summarizeRows(makeSeries('booked', 149_500_000, 'USD', 300_000), makeSeries('lost', 0, null, 0));
  expect(toCsv(withMargin, { group: 'outcome' }).split('\r\n')).toEqual([
    'outcome,calls,withOutcome,durationSeconds,value,values,valuesLeftOut,cost_USD,costs,costsLeftOut,held,margin',
    'booked,1,1,0,149.5,1,0,0.3,1,0,0,149.2',
    'lost,1,1,0,0,1,0,,0,0,0,0',
    '',
  ]);
  const ofTwo = summarizeRows(makeSeries('booked', 0, 'credits', 4_500_000_000), makeSeries('lost', 0, 'USD', 1));
  expect(toCsv(ofTwo, { group: 'outcome' }).split('\r\n')).toEqual([
    'outcome,calls,withOutcome,durationSeconds,value,values,valuesLeftOut,cost_USD,cost_credits,costs,costsLeftOut,held',
    'booked,1,1,0,0,1,0,,4500,1,0,0',
    'lost,1,1,0,0,1,0,0.000001,,1,0,0',
    '',
  ]);
});

it('CSV has an apostrophe before a text that a spreadsheet would read as a formula', () => {
  const outcomes = ['', '-2', '=1+1', '@SUM(A1)', 'plain, "quoted"'];
  const csv = toCsv(summarize(...outcomes.map((outcome) => makeSeries(outcome, 0, null, 0))).result(undefined).rows, {
    group: 'outcome',
  });
  const [, ...rows] = csv.trim().split('\r\n');
  expect(rows.map((row) => row.replace(/(,\d*)+$/, ''))).toEqual([
    '""',
    "'-2",
    "'=1+1",
    "'@SUM(A1)",
    '"plain, ""quoted"""',
  ]);
});
