import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, it } from 'vitest';
import { openLake } from '../../../bin/sql/open-lake.ts';
import { chunks } from '../../../functions/domain/chunks.ts';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import { agentChanges } from '../../../functions/store/agents/agent-changes.ts';
import { recordAll } from '../../support/record-all.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const march = { from: '2026-03-01', to: '2026-04-01' };
const agentCount = 400;
/** 10 KB of metadata, with a half of a surrogate pair in names and values. */
const metadata = { '\ud83d key': '\udc00 half', text: 'é'.repeat(4900), price: 1e308 };

/** Exports calls, and returns the files when they are written. */
const exportFiles = async (world: World, format: string): Promise<ArrayBuffer[]> => {
  const body = { uid: world.uid, ...march, format };
  const { exportId } = (await world.call('POST', '/call-exports', { body })).body;
  const found = await until(
    async () => {
      const { body } = await world.call('GET', `/call-exports/${exportId}`, { query: { uid: world.uid } });
      return /done|failed/.test(body.status) && body;
    },
    { seconds: 120 },
  );
  expect(found).toMatchObject({ status: 'done', calls: agentCount + 1 });
  return Promise.all(found.files.map(async ({ url }: { url: string }) => (await fetch(url)).arrayBuffer()));
};

let world: World;
beforeAll(async () => {
  world = await newWorld();
  const createdAt = '2026-03-01T00:00:00.000Z';
  const agentIds = Array.from({ length: agentCount }, () => newIdentifier('agent'));
  for (const some of chunks(agentIds, 20))
    await Promise.all(
      some.map((agentId) =>
        agentChanges
          .get()
          .create({ uid: world.uid, agentId, name: 'Agent', configuration: {}, createdAt, updatedAt: createdAt }),
      ),
    );
  const items = agentIds.map((agentId, index) => ({
    ...{ agentId, callId: 'call', phone: '+14155550100', direction: 'inbound', status: 'completed' },
    ...{ startedAt: `2026-03-${String((index % 28) + 1).padStart(2, '0')}T10:00:00.123Z`, durationSeconds: 0.1 },
    details: { cost: { amount: 0.000_001, currency: 'USD' }, summary: '=1+1', endReason: '+49', source: '' },
    ...{ custom_call_outcome: '@booked', custom_call_outcome_value: index },
  }));
  await recordAll(items, async (some) => (await world.call('POST', '/calls', { body: { items: some } })).body);
  await world.call('PUT', `/calls/${world.agentId}/odd`, {
    body: { direction: 'outbound', startedAt: '2026-03-31T23:59:59.999Z', details: { cost: { amount: 1e308 } } },
  });
  const odd = { custom_call_outcome_value: 1e308, custom_call_metadata: metadata };
  const { status } = await world.call('PATCH', `/calls/${world.agentId}/odd`, { body: odd });
  expect(status).toBe(200);
}, 300_000);

it('DuckDB reads an export with the types and statistics that the guide promises', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agent-export-'));
  const paths = (await exportFiles(world, 'parquet')).map((file, index) => {
    const path = join(folder, `calls-${index + 1}.parquet`);
    writeFileSync(path, new Uint8Array(file));
    return path;
  });
  try {
    const connection = await openLake(folder);
    const select = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
    await connection.run(`create view exported as select * from read_parquet([${paths.map((path) => `'${path}'`)}])`);
    const described = await select('describe exported');
    const types = Object.fromEntries(described.map(({ column_name, column_type }) => [column_name, column_type]));
    expect(types).toMatchObject({
      ...{ call_id: 'VARCHAR', agent_version: 'INTEGER', started_at: 'TIMESTAMP WITH TIME ZONE' },
      ...{ duration_seconds: 'DOUBLE', outcome_value: 'DECIMAL(38,6)', cost: 'DECIMAL(38,6)', metadata: 'VARCHAR' },
      recorded_at: 'TIMESTAMP WITH TIME ZONE',
    });
    const sums = `select count(*) as calls, count(distinct agent_id) as agents, sum(outcome_value) as value,
      sum(cost) as cost, count(*) filter (where outcome_value is null) as without from exported`;
    expect(await select(sums)).toEqual([
      {
        ...{ calls: String(agentCount + 1), agents: String(agentCount + 1), without: '1', cost: '0.000400' },
        value: `${(agentCount * (agentCount - 1)) / 2}.000000`,
      },
    ]);
    const [odd] = await select("select metadata, cost from exported where call_id = 'odd'");
    // Its JSON escapes what is no Unicode text.
    expect([JSON.parse(String(odd?.metadata)), odd?.cost]).toEqual([metadata, null]);
    const statistics = await select(
      `select path_in_schema as name, stats_min_value as min, stats_max_value as max, stats_null_count as nulls, compression
       from parquet_metadata('${paths[0]}') where row_group_id = 0`,
    );
    expect(statistics).toHaveLength(21);
    expect(statistics.map(({ compression }) => compression)).toEqual(Array.from({ length: 21 }, () => 'SNAPPY'));
    const byName = new Map(statistics.map((one) => [one.name, one]));
    expect(byName.get('outcome_value')).toMatchObject({ min: '0.000000', max: `${agentCount - 1}.000000`, nulls: '1' });
    expect(byName.get('direction')).toMatchObject({ min: 'inbound', max: 'outbound', nulls: '0' });
    expect(String(byName.get('started_at')?.min)).toContain('2026-03-01 10:00:00.123');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);

it('hyparquet reads the same calls, and CSV and JSON Lines have them with what looks like a formula', async () => {
  const files = await exportFiles(world, 'parquet');
  const rows = (await Promise.all(files.map((file) => parquetReadObjects({ file })))).flat();
  expect(rows).toHaveLength(agentCount + 1);
  expect(rows[0]).toMatchObject({
    outcome: '@booked',
    summary: '=1+1',
    end_reason: '+49',
    source: '',
    cost: 0.000_001,
  });
  const [csv = ''] = (await exportFiles(world, 'csv')).map((file) => Buffer.from(file).toString());
  expect(csv).toContain("'@booked");
  expect(csv).toContain('\'+49,\'=1+1,"",');
  expect(csv.split('\r\n')).toHaveLength(agentCount + 3);
  const lines = (await exportFiles(world, 'jsonl')).flatMap((file) => Buffer.from(file).toString().trim().split('\n'));
  const odd = lines.map((line) => JSON.parse(line)).find(({ callId }) => callId === 'odd');
  expect(odd).toMatchObject({ custom_call_outcome_value: 1e308, custom_call_metadata: metadata });
}, 300_000);
