import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chance } from '../../support/faults.ts';
import type { Target } from '../../support/global-setup.ts';
import { recordAll } from '../../support/record-all.ts';
import { until } from '../../support/until.ts';

const data = mkdtempSync(join(tmpdir(), 'voice-agent-lake-'));
const guide = readFileSync('functions/openapi/guides/calls-as-files.md', 'utf8');
const queries = [...guide.matchAll(/```sql\n([\s\S]+?)```/g)].map(([, query = '']) => query.trim());

let facts: Target;
let end = async () => {};
beforeAll(async () => {
  const options = ['--port', '0', '--json', '--demo-days', '0', '--data', data, '--lake'];
  const runFile = join(data, '..', 'lake-run.json');
  const child = spawn(process.execPath, ['bin/local.ts', ...options, '--run-file', runFile], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout?.on('data', (text) => {
    out += text;
  });
  end = async () => {
    child.kill();
    await once(child, 'exit');
  };
  await until(() => out.includes('\n'), { seconds: 120 });
  facts = JSON.parse(out);
}, 180_000);
afterAll(() => end());

/** Runs SQL over the lake, and returns its rows. */
const select = (sql: string): Record<string, string | number | null>[] => {
  const { stdout, stderr } = spawnSync(process.execPath, ['bin/sql.ts', '--data', data, '--json', sql], {
    encoding: 'utf8',
  });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${sql}\n${stderr}`);
  }
};

const request = async (method: string, path: string, body?: object) => {
  const response = await fetch(facts.baseUrl + path, {
    method,
    headers: { 'X-Authorization': facts.apiKey, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
};

it('an empty lake has the columns of calls, and a wrong query is one sentence', () => {
  expect(select('select count(*) as calls from calls')).toEqual([{ calls: '0' }]);
  expect(() => select('select nothing from calls')).toThrow(/Referenced column "nothing" not found/);
}, 120_000);

it('SQL has the sums of call figures after corrections, deletions and late ends, and runs the queries of the guide', async () => {
  const { uid, agentId } = facts;
  const next = chance(67);
  const pick = <T>(all: T[]): T => all[Math.floor(next() * all.length)] as T;
  const items = Array.from({ length: 120 }, (_, index) => ({
    ...{
      agentId,
      callId: `lake-${index}`,
      direction: pick(['inbound', 'outbound']),
      status: pick(['completed', 'failed']),
    },
    phone: pick(['+14155550100', '+14155550101', '+14155550102']),
    startedAt: `2026-0${pick([3, 4])}-${pick(['01', '02', '28'])}T${pick(['00:00:00', '12:30:00', '23:59:59'])}Z`,
    durationSeconds: Math.round(next() * 1e6) / 1e4,
    details: {
      cost: index % 3 > 0 ? { amount: Math.round(next() * 1e6) / 1e6, currency: 'USD' } : undefined,
      source: 'vapi',
    },
    custom_call_outcome: pick(['booked', 'declined']),
    custom_call_outcome_value: Math.round(next() * 1e5) / 100,
  }));
  await recordAll(items, (some) => request('POST', '/calls', { items: some }));
  for (const { callId } of items.slice(0, 10)) await request('DELETE', `/calls/${agentId}/${callId}`);
  for (const { callId } of items.slice(10, 20))
    await request('PATCH', `/calls/${agentId}/${callId}`, {
      custom_call_outcome_value: 1e300,
      custom_call_outcome: 'moved',
    });
  for (const item of items.slice(20, 30))
    await request('PUT', `/calls/${agentId}/${item.callId}`, {
      ...{ phone: item.phone, direction: item.direction, status: 'late', durationSeconds: 1.5 },
      startedAt: '2026-03-15T08:00:00Z',
    });
  const sums = async () => {
    const { totals, pending } = await request(
      'GET',
      `/call-figures?uid=${uid}&agentId=${agentId}&from=2026-03-01&to=2026-05-01`,
    );
    const { calls, durationSeconds, value, cost } = totals;
    return {
      pending,
      sums: [calls, durationSeconds.toFixed(6), Number(value).toFixed(6), Number(cost.USD).toFixed(6)],
    };
  };
  const ofLake = () => {
    const query = `select count(*) as calls, sum(duration_seconds) as seconds, sum(outcome_value) as value, sum(cost) as cost
      from calls where agent_id = '${agentId}' and day >= '2026-03-01' and day < '2026-05-01'`;
    const [row] = select(query);
    return [
      Number(row?.calls),
      Number(row?.seconds).toFixed(6),
      Number(row?.value).toFixed(6),
      Number(row?.cost).toFixed(6),
    ];
  };
  const agree = () =>
    until(
      async () => {
        const figures = await sums();
        return !figures.pending && JSON.stringify(ofLake()) === JSON.stringify(figures.sums) && figures.sums;
      },
      { seconds: 120, interval: 2000 },
    );
  const [calls, , value, cost] = await agree();
  expect(calls).toBe(110);
  // Calls without a cost count in the margin of the guide.
  const chosen = `from calls where agent_id = '${agentId}' and day >= '2026-03-01' and day < '2026-05-01'`;
  const margins = select((queries[1] ?? '').replace('from calls', chosen)).map(({ margin }) => Number(margin));
  expect(margins.reduce((sum, margin) => sum + margin).toFixed(6)).toBe((Number(value) - Number(cost)).toFixed(6));
  expect(select("select count(*) as numbers from calls where phone like '+%'")).toEqual([{ numbers: '0' }]);
  expect(queries).toHaveLength(12);
  for (const query of queries) expect(() => select(query)).not.toThrow();
}, 300_000);
