import { deflateRawSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../bin/local/table.ts';
import type { FiguresQuery } from '../../functions/domain/call-figures.ts';
import { CallFigures } from '../../functions/figures/call-figures.ts';
import { readFigures } from '../../functions/figures/read-figures.ts';
import { countDay, freeze, recountDay } from '../../functions/figures/recount.ts';
import type { Series } from '../../functions/figures/rows.ts';
import { Summary } from '../../functions/figures/summary.ts';
import { toCsv } from '../../functions/figures/to-csv.ts';
import { AgentChanges } from '../../functions/store/agents/agent-changes.ts';
import { Calls } from '../../functions/store/calls/calls.ts';
import { figuresKey } from '../../functions/store/keys.ts';
import { type Item, openTable, type Table } from '../../functions/store/table.ts';
import { newAgentRecord } from '../support/records.ts';
import { target, unique, useOwnDatabaseInThisProcess } from '../support/world.ts';

let table: Table;
beforeAll(async () => {
  useOwnDatabaseInThisProcess();
  const name = unique('costs');
  await createTable(name, { endpoint: target.endpoints.dynamodb });
  table = openTable(name, { endpoint: target.endpoints.dynamodb });
});

const march = { from: '2026-03-01', to: '2026-04-01', timeZone: 'UTC' } as const;

/** An agent with figures of format 2 for a day, and the calls that they count: two at 10:00, with a cost. */
const newAgentOfBefore = async (day: string, frozen = 0) => {
  const agentId = unique('agent');
  await new AgentChanges(table).create(newAgentRecord('user', { agentId, createdAt: new Date().toISOString() }));
  const calls = new Calls(table);
  for (const callId of ['a', 'b'])
    await calls.record(agentId, callId, {
      direction: 'inbound',
      startedAt: `${day}T10:00:00.000Z`,
      details: { cost: { amount: 0.1, currency: 'USD' } },
    });
  const rows = deflateRawSync(JSON.stringify([[], [[0, 0, 0, null, [40], [2], [], [], [], []]]]));
  await table.put({ ...figuresKey(agentId, day), rows, version: 'before', pieces: 1, frozen } as Item);
  const figures = new CallFigures(table);
  const read = async (query: Partial<FiguresQuery> = {}) => readFigures(figures, [agentId], { ...march, ...query });
  return { agentId, calls, figures, read };
};

it('figures of before costs were counted say from which date costs are complete, until they are counted again', async () => {
  const { agentId, figures, read } = await newAgentOfBefore('2026-03-07');
  expect(await read()).toMatchObject({ totals: { calls: 2, cost: {}, costs: 0 }, costsFrom: '2026-03-08' });
  // The quarter of an hour ends at 00:15 of March 7 in Honolulu, and at 00:15 of March 8 in Kiritimati.
  expect(await read({ timeZone: 'Pacific/Honolulu' })).toMatchObject({ costsFrom: '2026-03-08' });
  expect(await read({ timeZone: 'Pacific/Kiritimati' })).toMatchObject({ costsFrom: '2026-03-09' });
  expect((await read({ from: '2026-03-08' })).costsFrom).toBeUndefined();
  await recountDay({ agentId, day: '2026-03-07' }, figures);
  const { totals, costsFrom } = await read();
  expect([totals.cost, totals.costs, costsFrom]).toEqual([{ USD: '0.2' }, 2, undefined]);
});

it('a change of one call of a day of before counts the costs of the whole day', async () => {
  const { agentId, figures, read } = await newAgentOfBefore('2026-03-07');
  const day = { agentId, day: '2026-03-07' };
  await figures.mark(day, [95]);
  await countDay(day, figures);
  const { totals, costsFrom } = await read();
  expect([totals.calls, totals.cost, costsFrom]).toEqual([2, { USD: '0.2' }, undefined]);
});

it('a day that retention froze before costs were counted keeps its calls without costs, and the others are counted again', async () => {
  const { agentId, calls, figures, read } = await newAgentOfBefore('2026-03-07', 41);
  for (const callId of ['a', 'b']) await calls.remove(agentId, callId);
  const later = { direction: 'inbound', startedAt: '2026-03-07T23:50:00.000Z' } as const;
  await calls.record(agentId, 'c', { ...later, details: { cost: { amount: 4500, currency: 'credits' } } });
  await recountDay({ agentId, day: '2026-03-07' }, figures);
  const frozen = { calls: 3, cost: { credits: '4500' }, costs: 1 };
  expect(await read()).toMatchObject({ totals: frozen, costsFrom: '2026-03-08' });
  await freeze(agentId, '2026-03-09T00:00:00.000Z', Number.POSITIVE_INFINITY, figures);
  expect(await read()).toMatchObject({ totals: frozen, costsFrom: '2026-03-08' });
});

it('retention counts the costs of a day of before, before it freezes the day', async () => {
  const { agentId, figures, read } = await newAgentOfBefore('2026-03-07');
  await freeze(agentId, '2026-03-07T12:00:00.000Z', Number.POSITIVE_INFINITY, figures);
  const { totals, costsFrom } = await read();
  expect([totals.cost, costsFrom]).toEqual([{ USD: '0.2' }, undefined]);
});

const seriesOf = (
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
  summary.add({ agentId: 'agent', day: '2026-03-01' }, { series, costsFrom: 0 }, 0);
  return summary;
};

it('rows and totals have an exact margin in the currency of the values, if no cost is in another one', () => {
  const inEuros = summarize(seriesOf('booked', 149_500_000, 'EUR', 300_000), seriesOf('lost', 0, 'EUR', 100_001));
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
    summarize(seriesOf('booked', 1, 'EUR', 1), seriesOf('lost', 1, 'credits', 1)).result('EUR'),
  ];
  for (const { rows, totals } of others)
    expect([...rows, totals].flatMap(({ margin = [] }) => margin).concat(totals.valueCurrency ?? [])).toEqual([]);
  expect(summarize(seriesOf('booked', 149_500_000, null, 0)).result('EUR').totals).toMatchObject({
    cost: {},
    margin: '149.5',
    valueCurrency: 'EUR',
  });
});

it('CSV has a column for each currency, the counts of costs and the margin after the columns of before', () => {
  const rowsOf = (...series: Series[]) => summarize(...series).result('USD').rows;
  const withMargin = rowsOf(seriesOf('booked', 149_500_000, 'USD', 300_000), seriesOf('lost', 0, null, 0));
  expect(toCsv(withMargin, { group: 'outcome' }).split('\r\n')).toEqual([
    'outcome,calls,withOutcome,durationSeconds,value,values,valuesLeftOut,cost_USD,costs,costsLeftOut,held,margin',
    'booked,1,1,0,149.5,1,0,0.3,1,0,0,149.2',
    'lost,1,1,0,0,1,0,,0,0,0,0',
    '',
  ]);
  const ofTwo = rowsOf(seriesOf('booked', 0, 'credits', 4_500_000_000), seriesOf('lost', 0, 'USD', 1));
  expect(toCsv(ofTwo, { group: 'outcome' }).split('\r\n')).toEqual([
    'outcome,calls,withOutcome,durationSeconds,value,values,valuesLeftOut,cost_USD,cost_credits,costs,costsLeftOut,held',
    'booked,1,1,0,0,1,0,,4500,1,0,0',
    'lost,1,1,0,0,1,0,0.000001,,1,0,0',
    '',
  ]);
});

it('CSV has an apostrophe before a text that a spreadsheet would read as a formula', () => {
  const outcomes = ['', '-2', '=1+1', '@SUM(A1)', 'plain, "quoted"'];
  const csv = toCsv(summarize(...outcomes.map((outcome) => seriesOf(outcome, 0, null, 0))).result(undefined).rows, {
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
