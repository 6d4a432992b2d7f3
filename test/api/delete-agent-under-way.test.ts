import { afterEach, expect, it } from 'vitest';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { beginCopy, continueCopy, copyServices } from '../../functions/duplication/copy.ts';
import { finishDeletion } from '../../functions/jobs/finish-deletion.ts';
import { finishDuplication } from '../../functions/jobs/finish-duplication.ts';
import { lazyServices } from '../../functions/service.ts';
import { agentDeletions } from '../../functions/store/agents/agent-deletions.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { blockedNumberKey, blockListShards } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { becomeQuiet, deliverDeletion, remove } from '../support/deletions.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { storedBesideChanges } from '../support/stored.ts';
import { newGuest, newWorld, unique } from '../support/world.ts';

afterEach(noFaults);

const phones = (count: number) => Array.from({ length: count }, (_, n) => `+1415${5_000_000 + n}`);

it('deleting an agent completes wherever its function is killed, at every write', {
  tags: ['heavy', 'local-only'],
}, async () => {
  let kills = 0;
  for (let kill = 0; ; kill++) {
    const world = await newWorld();
    const { uid, agentId } = world;
    const guest = await newGuest(world);
    await world.recordCall('call-1');
    await world.block(phones(2));
    const website = { uid, agentId, url: 'https://site.invalid/' };
    await world.call('POST', '/agent-websites', { body: website });
    const headers = { 'idempotency-key': unique('key') };
    await world.call('PATCH', `/agents/${agentId}`, { body: { name: 'Agent' }, headers });
    await agentDeletions.get().remove(uid, agentId);
    await becomeQuiet(agentId);
    let writes = 0;
    injectFaults((operation) =>
      /^(Put|Update|Delete|TransactWrite|BatchWrite)/.test(operation) && writes++ >= kill ? 'kill' : undefined,
    );
    const isDone = await deliverDeletion(agentId);
    noFaults();
    if (isDone) break;
    kills += 1;
    expect(await deliverDeletion(agentId), `killed at write ${kill}`).toBe(true);
    expect(await storedBesideChanges(agentId), `killed at write ${kill}`).toEqual([]);
    expect(await Array.fromAsync(agents.get().list(guest.uid))).toEqual([]);
  }
  expect(kills).toBeGreaterThan(8);
});

it('deleting an agent leaves no partial copy of it, and nothing of that part', async () => {
  const world = await newWorld();
  await world.block(phones(60));
  const source = (await world.call('GET', `/agents/${world.agentId}`)).body;
  const copy = { ...source, agentId: newIdentifier('agent') };
  const services = lazyServices(copyServices);
  const begun = await beginCopy({ agent: copy, sourceAgentId: world.agentId }, services);
  expect(await continueCopy(begun, 0, services)).toMatchObject({ state: 'copying' });
  expect((await remove(world, world.agentId)).status).toBe(200);
  expect(
    await deliverMessage(finishDuplication, { job: 'finishDuplication', uid: 'somebody', agentId: copy.agentId }),
  ).toBe(true);
  expect((await world.call('GET', `/agents/${copy.agentId}`)).status).toBe(401);
  expect((await world.call('GET', '/agents', { query: { uid: world.uid } })).body.agents).toEqual([]);
  await becomeQuiet(copy.agentId);
  expect(await deliverDeletion(copy.agentId)).toBe(true);
  expect(await storedBesideChanges(copy.agentId)).toEqual([]);
  // Another message of the same copy finds nothing to do.
  expect(
    await deliverMessage(finishDuplication, { job: 'finishDuplication', uid: 'somebody', agentId: copy.agentId }),
  ).toBe(true);
  expect(await storedBesideChanges(copy.agentId)).toEqual([]);
});

it('deleting an agent leaves a finished copy of it whole', async () => {
  const world = await newWorld();
  await world.block(phones(20));
  const body = { uid: world.uid, agentId: world.agentId };
  const { agentId } = (await world.call('POST', '/duplicate-agent', { body })).body;
  expect((await remove(world, world.agentId)).status).toBe(200);
  await becomeQuiet(world.agentId);
  expect(await deliverDeletion(world.agentId)).toBe(true);
  const list = await world.call('GET', '/agent-block-list', { query: { uid: world.uid, agentId } });
  expect(list.body.blockList.length).toBe(20);
  expect((await remove(world, agentId)).status).toBe(200);
});

it('deleting an agent with a large block list continues in another message when its time is over', async () => {
  const world = await newWorld();
  await world.block(phones(2 * blockListShards));
  await agentDeletions.get().remove(world.uid, world.agentId);
  await becomeQuiet(world.agentId);
  const message = { job: 'finishDeletion', uid: 'somebody', agentId: world.agentId };
  expect(await deliverMessage({ ...finishDeletion, timeoutSeconds: 0 }, message)).toBe(true);
  // The service handles the message that the run sent.
  await expect.poll(() => storedBesideChanges(world.agentId)).toEqual([]);
  expect(await table.get().get(blockedNumberKey({ agentId: world.agentId }, phones(1)[0] as string))).toBe(undefined);
});
