import { parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { files } from '../../functions/clients/files.ts';
import { queueSender } from '../../functions/clients/job-queue.ts';
import { lakeFileKey } from '../../functions/domain/lake.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const march = { from: '2026-03-01', to: '2026-04-01' };

const record = async (world: World) => {
  for (const callId of ['call-1', 'call-2']) {
    const body = { phone: '+14155550100', direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
    expect((await world.call('PUT', `/calls/${world.agentId}/${callId}`, { body })).status).toBe(200);
  }
};

it('a deployed function writes a day to the lake, and then its month in the place of the day', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  await record(world);
  const read = async (day: string) => {
    const key = lakeFileKey({ uid, agentId, day });
    const found = await files.get().read(key.split('/').map(encodeURIComponent).join('/'), 1e6);
    if (!found || 'tooLarge' in found) return undefined;
    return (await parquetReadObjects({ file: Uint8Array.from(found.bytes).buffer })).map(({ call_id }) => call_id);
  };
  const write = (day: string) => queueSender('writeLake').get().send({ job: 'writeLake', uid, agentId, day, dueAt: 0 });
  await write('2026-03-01');
  await until(async () => (await read('2026-03-01'))?.length === 2, { seconds: 120 });
  await write('2026-03');
  await until(async () => (await read('2026-03'))?.length === 2, { seconds: 120 });
  await until(async () => (await read('2026-03-01')) === undefined, { seconds: 120 });
});

it.each(['parquet', 'jsonl'])('a deployed function exports calls as %s', async (format) => {
  const world = await newWorld();
  await record(world);
  const { exportId } = (await world.call('POST', '/call-exports', { body: { uid: world.uid, ...march, format } })).body;
  const found = await until(
    async () => {
      const { body } = await world.call('GET', `/call-exports/${exportId}`, { query: { uid: world.uid } });
      return /done|failed/.test(body.status) && body;
    },
    { seconds: 120 },
  );
  expect(found).toMatchObject({ status: 'done', calls: 2, files: [{ calls: 2 }] });
});
