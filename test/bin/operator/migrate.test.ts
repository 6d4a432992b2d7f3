import { expect, it } from 'vitest';
import { callKey, callPosition, callsOf, callsWith, countKey } from '../../../functions/store/keys.ts';
import { table } from '../../../functions/store/table.ts';
import { json } from '../../support/operator-command.ts';
import { websitesOf } from '../../support/websites.ts';
import { newWorld, useTargetInThisProcess } from '../../support/world.ts';

useTargetInThisProcess();

it('makes entries of the copies of calls that an earlier version kept, once, and every call stays as it is', async () => {
  const { agentId, call } = await newWorld();
  const phone = '+14155550100';
  const calls = ['a', 'b'].map((callId, n) => ({
    ...{ agentId, callId, phone, direction: 'inbound', startedAt: `2026-03-0${n + 1}T10:00:00.000Z` },
    outcome: '{"custom_call_outcome":"won","custom_call_metadata":{"n":1.50}}',
    version: `version-${n}`,
  }));
  const entries = calls.flatMap((one) => [
    { ...callsOf(agentId), sk: callPosition(one) },
    { ...callsWith(agentId, phone), sk: callPosition(one) },
  ]);
  for (const one of calls) await table.get().put({ ...one, ...callKey(agentId, one.callId) });
  for (const [index, entry] of entries.entries()) await table.get().put({ ...calls[index >> 1], ...entry });

  const listed = await call('GET', `/calls/${agentId}`);
  expect(listed.body.calls.map(({ callId }: { callId: string }) => callId)).toEqual(['b', 'a']);
  expect(listed.text).toContain('"custom_call_metadata":{"n":1.50}');

  expect((await json('migrate')).callEntries).toBe(4);
  for (const entry of entries) expect(await table.get().get(entry)).toEqual(entry);
  expect((await call('GET', `/calls/${agentId}`)).text).toBe(listed.text);
  const body = { custom_call_outcome: 'lost' };
  const { status, body: answer } = await call('PATCH', `/calls/${agentId}/${phone}`, {
    body,
    query: { preference: 'first' },
  });
  expect([status, answer.call_id]).toEqual([200, 'a']);
  expect((await json('migrate')).callEntries).toBe(0);
});

it('counts what an earlier version did not count, and corrects counters that are wrong', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  for (const path of ['a', 'b']) await websitesOf(world).add(`http://127.0.0.1:9/${path}`);
  const guest = await newWorld();
  await json('agent', 'grant', agentId, '--to', guest.uid);
  await table.get().delete(countKey({ uid }));
  await table.get().delete(countKey({ agentId }));
  await table.get().change(countKey({ uid: guest.uid }), { set: { count: 5 } });
  expect((await json('migrate')).counters).toBeGreaterThanOrEqual(3);
  const owners = [{ uid }, { agentId }, { uid: guest.uid }];
  const counted = await Promise.all(owners.map((owner) => table.get().get(countKey(owner))));
  expect(counted).toMatchObject([{ count: 1 }, { count: 2 }, { count: 1 }]);
});
