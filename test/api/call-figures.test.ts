import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { figuresCollection } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { putAgents } from '../support/many-agents.ts';
import { until } from '../support/until.ts';
import { newWorld, unique, type World } from '../support/world.ts';

type Query = Record<string, string | number>;

const march = { from: '2026-03-01', to: '2026-04-01' };
const noCosts = { cost: {}, costs: 0, costsLeftOut: 0, held: 0 };
const nothing = { calls: 0, withOutcome: 0, durationSeconds: 0, value: '0', values: 0, valuesLeftOut: 0, ...noCosts };

const ask = async ({ uid, agentId, call }: World, query: Query) => {
  const answer = await call('GET', '/call-figures', { query: { uid, agentId, ...march, ...query } });
  expect(answer.status, answer.text).toBe(200);
  return answer;
};
const figures = async (world: World, query: Query = {}) => (await ask(world, query)).body;
/** Calls are counted after seconds, but behind the counts of other tests. */
const everySecond = { interval: 1000 };
/** Returns the figures once they are exact and count this many calls. */
const exactly = (calls: number, world: World, query: Query = {}) =>
  until(async () => {
    const found = await figures(world, query);
    return found.pending === undefined && found.totals.calls === calls && found;
  }, everySecond);
const setOutcome = ({ agentId, call }: World, callId: string, body: object) =>
  call('PATCH', `/calls/${agentId}/${callId}`, { body });

// Each waits for its changes to be counted: together they wait once.
it.concurrent('figures count calls and add up their values by day and outcome, and every day has a row', async ({
  expect,
}) => {
  const world = await newWorld();
  await world.recordCall('one', { durationSeconds: 60, status: 'completed' });
  await world.recordCall('two', { startedAt: '2026-03-03T23:59:59.999Z', direction: 'outbound' });
  await world.recordCall('three', { startedAt: '2026-03-03T00:00:00Z', durationSeconds: 0.25 });
  await setOutcome(world, 'one', { custom_call_outcome: 'booked', custom_call_outcome_value: 0.1 });
  await setOutcome(world, 'three', { custom_call_outcome: 'booked', custom_call_outcome_value: 0.2 });
  const query = { by: 'day,outcome', to: '2026-03-05' };
  await expect
    .poll(() => figures(world, query), everySecond)
    .toEqual({
      rows: [
        {
          day: '2026-03-01',
          outcome: 'booked',
          ...nothing,
          ...{ calls: 1, withOutcome: 1, durationSeconds: 60 },
          value: '0.1',
          values: 1,
        },
        { day: '2026-03-02', outcome: null, ...nothing },
        {
          day: '2026-03-03',
          outcome: 'booked',
          ...nothing,
          ...{ calls: 1, withOutcome: 1, durationSeconds: 0.25 },
          value: '0.2',
          values: 1,
        },
        { day: '2026-03-03', outcome: null, ...nothing, calls: 1 },
        { day: '2026-03-04', outcome: null, ...nothing },
      ],
      totals: { ...nothing, calls: 3, withOutcome: 2, durationSeconds: 60.25, value: '0.3', values: 2 },
    });
  expect((await figures(world, { by: 'direction,day', direction: 'outbound', to: '2026-03-02' })).rows).toEqual([
    { day: '2026-03-01', direction: null, ...nothing },
  ]);
  expect((await figures(world, { status: 'completed' })).totals.calls).toBe(1);
  expect(
    (await figures(world, { outcome: 'booked', by: 'status' })).rows.map(({ status }: { status: string }) => status),
  ).toEqual(['completed', null]);
  expect((await figures(world, { by: 'month,agent' })).rows).toMatchObject([
    { month: '2026-03', agent: world.agentId, calls: 3 },
  ]);
  expect(
    (await figures(world, { by: 'week' })).rows.map(({ week, calls }: { week: string; calls: number }) => [
      week,
      calls,
    ]),
  ).toEqual([
    ['2026-02-23', 1],
    ['2026-03-02', 2],
    ...['2026-03-09', '2026-03-16', '2026-03-23', '2026-03-30'].map((week) => [week, 0]),
  ]);
});

it.concurrent('a change is announced as pending, and then in the figures', async () => {
  const world = await newWorld();
  await world.recordCall('one');
  await until(async () => (await figures(world)).pending === true);
  expect((await exactly(1, world)).totals.calls).toBe(1);
  expect((await figures(world, { from: '2026-03-02' })).pending).toBeUndefined();
});

it.concurrent('figures count the calls whose outcome is held, until somebody sets or clears the outcome', async ({
  expect,
}) => {
  const world = await newWorld();
  const outcomes = [{ name: 'booked', found: { minSeconds: 10 } }];
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { outcomes } } });
  const start_timestamp = Date.parse('2026-03-01T10:00:00Z');
  for (const [call_id, duration_ms] of Object.entries({ a: 4000, b: 9000, c: 10_000 })) {
    const call_analysis = { custom_analysis_data: { custom_call_outcome: 'booked' } };
    const body = { event: 'call_analyzed', call: { call_id, start_timestamp, duration_ms, call_analysis } };
    const query = { uid: world.uid, agentId: world.agentId };
    expect((await world.call('POST', '/hooks/retell', { query, body })).status).toBe(200);
  }
  const { totals, rows } = await exactly(3, world, { by: 'outcome' });
  expect(totals).toMatchObject({ calls: 3, withOutcome: 1, held: 2 });
  expect(rows.map(({ outcome, held }: { outcome: string; held: number }) => [outcome, held])).toEqual([
    ['booked', 0],
    [null, 2],
  ]);
  await setOutcome(world, 'retell:a', { custom_call_outcome: 'booked' });
  await setOutcome(world, 'retell:b', { custom_call_outcome: null });
  await expect
    .poll(async () => (await figures(world)).totals, everySecond)
    .toMatchObject({ calls: 3, withOutcome: 2, held: 0 });
});

it.concurrent('CSV has only the rows, and says in a header that figures are pending', async () => {
  const world = await newWorld();
  await world.recordCall('one', { status: '+ring' });
  const csv = { format: 'csv', by: 'month,status' };
  const pending = await until(async () => {
    const answer = await ask(world, csv);
    return answer.headers.has('x-pending') && answer;
  });
  expect(pending.headers.get('x-pending')).toBe('true');
  await exactly(1, world);
  const { headers, text } = await ask(world, csv);
  expect([headers.get('content-type'), headers.get('x-pending')]).toEqual(['text/csv; charset=utf-8', null]);
  expect(text.split('\r\n')).toEqual([
    'month,status,calls,withOutcome,durationSeconds,value,values,valuesLeftOut,costs,costsLeftOut,held',
    "2026-03,'+ring,1,0,0,0,0,0,0,0,0",
    '',
  ]);
});

it.concurrent('without an agent the figures are those of the agents that the user owns, at most 200', async ({
  expect,
}) => {
  const world = await newWorld();
  const { uid, call } = world;
  const other = (await call('POST', '/agents', { body: { uid, name: 'Other' } })).body.agentId;
  await world.recordCall('one');
  await call('PUT', `/calls/${other}/two`, { body: { direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' } });
  const all = () => call('GET', '/call-figures', { query: { uid, ...march, by: 'agent' } });
  await expect
    .poll(async () => (await all()).body.rows, everySecond)
    .toMatchObject([world.agentId, other].sort().map((agent) => ({ agent, calls: 1 })));
  await call('DELETE', `/agents/${other}`);
  expect((await all()).body.rows).toMatchObject([{ agent: world.agentId, calls: 1 }]);
  await putAgents(uid, 50);
  const spring = (to: string) => call('GET', '/call-figures', { query: { uid, from: '2026-03-01', to } });
  expect((await spring('2026-06-01')).body.totals.calls).toBe(1);
  expect((await spring('2026-06-02')).body.message).toBe(
    'to: must be at most 92 days after `from`: you own more than 50 agents. Choose fewer days, or an `agentId`',
  );
  await putAgents(uid, 150);
  const { status, body } = await all();
  expect([status, body.message]).toEqual([400, 'agentId: is required: you own more than 200 agents']);
});

it.concurrent('the parameters of call figures are validated, and an empty range has no rows', async () => {
  const world = await newWorld();
  const refused = async (query: Query) => {
    const { uid, agentId, call } = world;
    const { status, body } = await call('GET', '/call-figures', { query: { uid, agentId, ...march, ...query } });
    expect(status).toBe(400);
    return body.details.map(({ path }: { path: string }) => path);
  };
  for (const by of ['year', 'day,week', 'day,outcome,agent', '', 'outcome,outcome', 'day,'])
    expect(await refused({ by })).toEqual(['by']);
  expect(await refused({ from: '2026-02-30', to: '2026-3-1' })).toEqual(['from', 'to']);
  expect(await refused({ timeZone: 'Mars/Olympus', version: '0', format: 'xml', direction: 'up' })).toEqual(
    expect.arrayContaining(['timeZone', 'version', 'format', 'direction']),
  );
  expect(await refused({ from: '2025-01-01', to: '2026-02-06' })).toEqual(['to']);
  expect((await figures(world, { from: '2025-01-01', to: '2026-02-05', by: 'day' })).rows.length).toBe(400);
  for (const to of ['2026-03-01', '2026-02-01']) {
    expect(await figures(world, { to, by: 'day' })).toEqual({ rows: [], totals: nothing });
  }
  for (const from of ['0000-01-01', '9999-12-30']) {
    const days = { from, to: from.replace('-30', '-31').replace('01-01', '01-02') };
    expect((await figures(world, { ...days, by: 'week', timeZone: 'Asia/Kathmandu' })).rows.length).toBe(1);
  }
});

it.concurrent('figures have a margin while all agents that are asked for have the same valueCurrency', async ({
  expect,
}) => {
  const world = await newWorld();
  const { uid, agentId, call } = world;
  const margins = async () => {
    const all = await call('GET', '/call-figures', { query: { uid, ...march, by: 'month' } });
    return [await figures(world), all.body].map(({ totals }) => [totals.margin, totals.valueCurrency]);
  };
  const configure = (id: string, valueCurrency: string | null) =>
    call('PATCH', `/agents/${id}`, { body: { configuration: { valueCurrency } } });
  const [none, inEuros] = [
    [undefined, undefined],
    ['0', 'EUR'],
  ];
  expect(await margins()).toEqual([none, none]);
  await configure(agentId, 'EUR');
  expect(await margins()).toEqual([inEuros, inEuros]);
  const other = (await call('POST', '/agents', { body: { uid, name: 'Other' } })).body.agentId;
  expect(await margins()).toEqual([inEuros, none]);
  await configure(other, 'USD');
  expect(await margins()).toEqual([inEuros, none]);
  await configure(other, 'EUR');
  expect(await margins()).toEqual([inEuros, inEuros]);
  await configure(agentId, null);
  expect(await margins()).toEqual([none, none]);
  expect((await configure(agentId, 'eur')).body.details).toMatchObject([{ path: 'configuration.valueCurrency' }]);
});

it.concurrent('a valueCurrency that was stored before the field had a meaning is returned as it is, and names no currency', async ({
  expect,
}) => {
  const world = await newWorld();
  const { uid, call } = world;
  const agentId = unique('agent');
  const configuration = { valueCurrency: 978 };
  const at = new Date().toISOString();
  await agentChanges.get().create({ uid, agentId, name: 'A', configuration, createdAt: at, updatedAt: at });
  expect((await call('GET', `/agents/${agentId}`)).body.configuration).toEqual(configuration);
  expect((await figures({ ...world, agentId })).totals).toEqual(nothing);
});

it.concurrent('an implausible cost that a platform reports is kept and not added up, and the same that a caller records is', async ({
  expect,
}) => {
  const world = await newWorld();
  const { uid, agentId, call } = world;
  const report = (id: string, combined_cost: number) =>
    call('POST', '/hooks/retell', {
      query: { uid, agentId },
      body: {
        event: 'call_ended',
        call: {
          call_id: id,
          direction: 'inbound',
          start_timestamp: Date.parse('2026-03-01T10:00:00Z'),
          call_cost: { combined_cost },
        },
      },
    });
  expect((await report('high', 1_000_001)).status).toBe(200);
  expect((await report('right', 1_000_000)).status).toBe(200);
  await world.recordCall('own', { details: { cost: { amount: 20_000, currency: 'USD' } } });
  expect((await call('GET', `/calls/${agentId}/retell:high`)).body.details.cost.amount).toBe(10_000.01);
  await expect
    .poll(async () => (await figures(world)).totals, everySecond)
    .toMatchObject({ calls: 3, cost: { USD: '30000' }, costs: 2, costsLeftOut: 1 });
});

it.concurrent('no item of the figures has a number or the id of a call, also after the person is erased', {
  tags: 'local-only',
}, async ({ expect }) => {
  const world = await newWorld(['agents', 'calls', 'privacy']);
  const { uid, agentId, call } = world;
  const number = '+14155550143';
  await world.recordCall('call-of-the-person', { phone: number });
  await world.recordCall('call-of-another');
  await setOutcome(world, 'call-of-the-person', { custom_call_outcome: 'booked' });
  await expect.poll(async () => (await figures(world)).totals, everySecond).toMatchObject({ calls: 2, withOutcome: 1 });
  const { body } = await call('POST', '/erasures', { body: { uid, number } });
  await until(
    async () => (await call('GET', `/erasures/${body.erasureId}`, { query: { uid } })).body.status === 'done',
  );
  expect(await exactly(1, world, { by: 'outcome' })).toMatchObject({ rows: [{ outcome: null, calls: 1 }] });
  const items = await Array.fromAsync(table.get().query<Item & { columns: Uint8Array }>(figuresCollection(agentId)));
  const texts = items.map(({ columns, ...item }) => `${JSON.stringify(item)} ${brotliDecompressSync(columns)}`);
  expect(texts).toEqual([expect.stringContaining('"outcome":null,"version":null,"currency":null},1]],[40],[1],')]);
  expect(texts.join()).not.toMatch(/14155550143|call-of/);
});
