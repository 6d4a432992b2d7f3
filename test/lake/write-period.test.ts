import { parquetReadObjects } from 'hyparquet';
import { expect, it, onTestFinished } from 'vitest';
import { files } from '../../functions/clients/files.ts';
import { lakeFileKey } from '../../functions/domain/lake.ts';
import { callFigures } from '../../functions/figures/call-figures.ts';
import { recountDay } from '../../functions/figures/recount.ts';
import { countCalls } from '../../functions/jobs/count-calls.ts';
import { finishDeletion } from '../../functions/jobs/finish-deletion.ts';
import { lakeDays } from '../../functions/lake/lake-days.ts';
import { lakeServices, writeLakePeriod } from '../../functions/lake/write-period.ts';
import { lazyServices } from '../../functions/service.ts';
import { agentDeletions } from '../../functions/store/agents/agent-deletions.ts';
import { lakeDayKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { newWorld, type World } from '../support/world.ts';

const day = '2026-03-01';

const readFile = async ({ uid, agentId }: World) => {
  const key = lakeFileKey({ uid, agentId, day });
  const found = await files.get().read(key.split('/').map(encodeURIComponent).join('/'), 1e6);
  if (!found || 'tooLarge' in found) return undefined;
  const file = Uint8Array.from(found.bytes).buffer;
  return (await parquetReadObjects({ file })) as { call_id: string; phone?: string; agent_phone?: string }[];
};

const record = async (world: World, callId: string, more: object = {}) => {
  const facts = { phone: '+14155550100', direction: 'inbound', startedAt: `${day}T10:00:00Z`, ...more };
  expect((await world.call('PUT', `/calls/${world.agentId}/${callId}`, { body: facts })).status).toBe(200);
};

const write = ({ uid, agentId }: World, services = lazyServices(lakeServices)) =>
  writeLakePeriod({ uid, agentId, day }, services);

it('the file of a day has its calls, and is replaced as a whole; a day without calls has none', async () => {
  const world = await newWorld();
  await record(world, 'call-1');
  await record(world, 'call-2', { startedAt: '2026-03-02T00:00:00Z' });
  await record(world, 'call-3', { startedAt: '2026-03-01T23:59:59.999Z', phone: null });
  await write(world);
  expect((await readFile(world))?.map(({ call_id }) => call_id)).toEqual(['call-1', 'call-3']);
  await world.call('DELETE', `/calls/${world.agentId}/call-1`);
  await write(world);
  expect((await readFile(world))?.map(({ call_id }) => call_id)).toEqual(['call-3']);
  await world.call('DELETE', `/calls/${world.agentId}/call-3`);
  await write(world);
  expect(await readFile(world)).toBeUndefined();
});

it.each<[string, RegExp | undefined]>([
  ['hash', /^[\w-]{43}$/],
  ['clear', /^\+14155550100$/],
  ['none', undefined],
])('with %s, the lake has in the place of a number what the setting says', async (mode, expected) => {
  const world = await newWorld();
  await record(world, 'call-1', { agentPhone: '+14155550123' });
  await record(world, 'call-2', { agentPhone: '+14155550100' });
  process.env.LAKE_NUMBERS = mode;
  onTestFinished(() => void delete process.env.LAKE_NUMBERS);
  await write(world);
  const [first, second] = (await readFile(world)) ?? [];
  if (expected) expect(first?.phone).toMatch(expected);
  else expect(first?.phone ?? undefined).toBeUndefined();
  expect(second?.phone).toBe(second?.agent_phone);
  if (expected) expect(first?.agent_phone).not.toBe(first?.phone);
});

it('a file that was read before the day was counted again is written again', async () => {
  const world = await newWorld();
  await record(world, 'call-1');
  const services = lazyServices(lakeServices);
  let puts = 0;
  await write(world, {
    ...services,
    lakeFiles: {
      ...services.lakeFiles,
      delete: (key) => services.lakeFiles.delete(key),
      has: (key) => services.lakeFiles.has(key),
      async put(key, bytes) {
        if (puts++ === 0) {
          await record(world, 'call-2');
          await recountDay({ agentId: world.agentId, day }, callFigures.get());
        }
        return services.lakeFiles.put(key, bytes);
      },
    },
  });
  expect(puts).toBe(2);
  expect(await readFile(world)).toHaveLength(2);
});

it('a count queues one write of its day until the write begins, or is overdue', async () => {
  const { agentId } = await newWorld();
  const days = lakeDays.get();
  expect([await days.note({ agentId, day }), await days.note({ agentId, day })]).toEqual([
    { dueAt: expect.any(Number) },
    undefined,
  ]);
  await days.begin({ agentId, day });
  expect(await days.note({ agentId, day })).toBeDefined();
  await table.get().change(lakeDayKey(agentId, day), { set: { expectedBy: Date.now() - 1 } });
  expect(await days.note({ agentId, day })).toBeDefined();
});

it('a count notes its day where there is a lake, and the deletion of the agent deletes its files', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  await record(world, 'call-1');
  process.env.LAKE = 'true';
  onTestFinished(() => void delete process.env.LAKE);
  await recountDay({ agentId, day }, callFigures.get());
  await deliverMessage(countCalls, { job: 'countCalls', uid, agentId, day, hasWaited: true });
  expect(await table.get().get(lakeDayKey(agentId, day))).toBeDefined();
  await write(world);
  expect(await readFile(world)).toHaveLength(1);
  // The service, which has no lake, gets no message of this deletion.
  await agentDeletions.get().remove(uid, agentId);
  await deliverMessage(finishDeletion, { job: 'finishDeletion', uid, agentId });
  expect(await readFile(world)).toBeUndefined();
});

it('a day that is written while its agent is deleted leaves no file', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  await record(world, 'call-1');
  const services = lazyServices(lakeServices);
  const { lakeFiles } = services;
  const put: typeof lakeFiles.put = async (...file) => {
    await agentDeletions.get().remove(uid, agentId);
    await deliverMessage(finishDeletion, { job: 'finishDeletion', uid, agentId });
    return lakeFiles.put(...file);
  };
  const slow = { put, has: lakeFiles.has.bind(lakeFiles), delete: lakeFiles.delete.bind(lakeFiles) };
  await write(world, { ...services, lakeFiles: slow });
  expect(await readFile(world)).toBeUndefined();
});
