import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLake, writeLakeFile } from '../../bin/sql/open-lake.ts';
import { files } from '../../functions/clients/files.ts';
import { daysOfPeriod, lakeFileKey } from '../../functions/domain/lake.ts';
import { callFigures } from '../../functions/figures/call-figures.ts';
import { recountDay } from '../../functions/figures/recount.ts';
import { finishDeletion } from '../../functions/jobs/finish-deletion.ts';
import { lakeServices, writeLakePeriod } from '../../functions/lake/write-period.ts';
import { lazyServices } from '../../functions/service.ts';
import { agentDeletions } from '../../functions/store/agents/agent-deletions.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { Death, mortal } from '../support/mortal.ts';
import { newWorld, type World } from '../support/world.ts';

const month = '2026-03';
const days = ['2026-03-01', '2026-03-15', '2026-03-31'];

const readFiles = async ({ uid, agentId }: World) => {
  const found = [];
  for (const day of [month, ...daysOfPeriod(month)]) {
    const key = lakeFileKey({ uid, agentId, day });
    const file = await files.get().read(key.split('/').map(encodeURIComponent).join('/'), 1e6);
    if (file && 'bytes' in file) found.push({ key, day, bytes: file.bytes });
  }
  return found;
};
const listPeriods = async (world: World) => (await readFiles(world)).map(({ day }) => day);

/** Selects the ids of the calls that the view has. */
const selectCalls = async (world: World): Promise<unknown[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agent-lake-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { key, bytes } of await readFiles(world)) writeLakeFile(folder, key, bytes);
  const connection = await openLake(folder);
  const sql = 'select call_id, cast(day as varchar) as day from calls order by day, call_id';
  return (await connection.runAndReadAll(sql)).getRowObjectsJson().map(({ call_id, day }) => `${day} ${call_id}`);
};

const write = ({ uid, agentId }: World, day: string, services = lazyServices(lakeServices)) =>
  writeLakePeriod({ uid, agentId, day }, services);

/** Makes an agent with a call on each of the days, which the lake has. */
const newMonth = async () => {
  const world = await newWorld();
  const { agentId } = world;
  for (const day of days) {
    const body = { phone: '+14155550100', direction: 'inbound', startedAt: `${day}T10:00:00Z` };
    expect((await world.call('PUT', `/calls/${agentId}/call-${day}`, { body })).status).toBe(200);
    await recountDay({ agentId, day }, callFigures.get());
  }
  return world;
};

it('the write of a day of an earlier month notes the month, whose file then takes the place of those of its days', async () => {
  const world = await newMonth();
  const noted = [];
  for (const day of days) noted.push(await write(world, day));
  expect(noted).toEqual([{ agentId: world.agentId, day: month, dueAt: expect.any(Number) }, undefined, undefined]);
  expect(await listPeriods(world)).toEqual(days);
  expect(await write(world, month)).toBeUndefined();
  expect(await listPeriods(world)).toEqual([month]);
});

it('a correction, an erased call and a call that is recorded late change the file of a compacted month', async () => {
  const world = await newMonth();
  const { agentId } = world;
  await write(world, month);
  const before = (await readFiles(world))[0]?.bytes.length ?? 0;
  await world.call('DELETE', `/calls/${agentId}/call-2026-03-15`);
  await recountDay({ agentId, day: '2026-03-15' }, callFigures.get());
  expect(await write(world, '2026-03-15')).toBeUndefined();
  const [file, ...others] = await readFiles(world);
  expect([file?.day, others]).toEqual([month, []]);
  expect(Buffer.from(file?.bytes ?? []).toString('latin1')).not.toContain('call-2026-03-15');
  expect(file?.bytes.length).toBeLessThan(before);
  for (const day of ['2026-03-01', '2026-03-31']) {
    await world.call('DELETE', `/calls/${agentId}/call-${day}`);
    await write(world, day);
  }
  expect(await listPeriods(world)).toEqual([]);
});

it('the deletion of an agent deletes the files of its months', async () => {
  const world = await newMonth();
  const { uid, agentId } = world;
  await write(world, month);
  process.env.LAKE = 'true';
  onTestFinished(() => void delete process.env.LAKE);
  await agentDeletions.get().remove(uid, agentId);
  await deliverMessage(finishDeletion, { job: 'finishDeletion', uid, agentId });
  expect(await listPeriods(world)).toEqual([]);
});

it('a query has each call once, wherever a compaction is killed', { tags: 'heavy' }, async () => {
  const expected = days.map((day) => `${day} call-${day}`);
  for (let at = 0, isKilled = true; isKilled; at++) {
    const world = await newMonth();
    for (const day of days) await write(world, day);
    const killed = await write(world, month, mortal(lazyServices(lakeServices), { at, isAfter: at % 2 === 0 })).catch(
      (error) => error,
    );
    isKilled = killed instanceof Death;
    expect(await selectCalls(world), `killed at ${at}`).toEqual(expected);
    await write(world, month);
    expect(await listPeriods(world)).toEqual([month]);
    expect(await selectCalls(world)).toEqual(expected);
    if (at > 60) throw new Error('A compaction has no end.');
  }
});
