import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createErasure } from '../../functions/api/create-erasure.ts';
import { blockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { Files } from '../../functions/clients/files.ts';
import { importFileKey } from '../../functions/domain/block-list-imports.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { environment } from '../../functions/environment.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { erasePerson as erase, eraseServices } from '../../functions/erasure/person.ts';
import { giveUp } from '../../functions/jobs/give-up.ts';
import { maxDeliveries } from '../../functions/jobs/job.ts';
import { lazyServices } from '../../functions/service.ts';
import { blockList } from '../../functions/store/block-list/block-list.ts';
import { erasureCollection } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { block, deliver, newPerson, privateWorld, readStatus, record } from '../support/erasures.ts';
import { invoke } from '../support/events.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { findStored } from '../support/stored.ts';
import { emulatorHeaders, target, unique } from '../support/world.ts';

afterEach(noFaults);

it('the erasure of a person finishes when it is killed at any write, and counts each call and entry once', {
  tags: ['heavy', 'local-only'],
}, async () => {
  let kills = 0;
  for (let kill = 0; ; kill++) {
    const world = await privateWorld();
    const person = newPerson();
    for (let n = 0; n < 30; n++) await record(world, world.agentId, `call-${n}`, person);
    await block(world, world.agentId, person, { reason: 'spam' });
    const erasureId = newIdentifier('erasure');
    await erasures.get().add({ uid: world.uid, erasureId, number: person, numberHash: 'hash', blockList: 'remove' });
    let writes = 0;
    injectFaults((operation) =>
      /^(Put|Update|Delete|TransactWrite|BatchWrite)/.test(operation) && writes++ === kill ? 'kill' : undefined,
    );
    const isDone = await deliver(world.uid, erasureId);
    noFaults();
    if (isDone) break;
    kills += 1;
    expect((await readStatus(world, erasureId)).status).toMatch(/pending|running/);
    expect(await deliver(world.uid, erasureId)).toBe(true);
    expect(await readStatus(world, erasureId), `killed at write ${kill}`).toMatchObject({
      status: 'done',
      erased: { calls: 30, blockedNumbers: 1, consents: 0 },
    });
    expect(await findStored(person)).toEqual([]);
  }
  expect(kills).toBeGreaterThan(4);
});

it('the erasure of a person counts a record once when the response to its write was lost', async () => {
  const world = await privateWorld();
  const person = newPerson();
  await Promise.all(Array.from({ length: 30 }, (_, n) => record(world, world.agentId, `call-${n}`, person)));
  await blockList.get().add({ agentId: world.agentId }, [person], { reason: 'spam' });
  const erasureId = newIdentifier('erasure');
  await erasures.get().add({ uid: world.uid, erasureId, number: person, numberHash: 'hash', blockList: 'keep' });
  let attempt = 0;
  injectFaults((operation) =>
    operation === 'TransactWriteItems' && attempt++ % 2 === 0 ? 'lost response' : undefined,
  );
  expect(await deliver(world.uid, erasureId)).toBe(true);
  noFaults();
  expect(await readStatus(world, erasureId)).toMatchObject({
    status: 'done',
    erased: { calls: 30, blockedNumbers: 1, consents: 0 },
  });
});

it('the erasure of a person waits for the file of an import that has arrived before its notification', async () => {
  const world = await privateWorld();
  const person = newPerson();
  // This bucket sends no notifications to the service.
  const bucket = unique('imports');
  await fetch(`${target.endpoints.s3}/${bucket}`, { method: 'PUT', headers: emulatorHeaders });
  const files = new Files({ ...environment.s3, bucket });
  const reference = { uid: world.uid, importId: newIdentifier('import') };
  const erasureId = newIdentifier('erasure');
  const running = { uid: world.uid, erasureId, number: person, blockList: 'keep' as const };
  await erasures.get().add({ ...running, numberHash: 'hash' });
  const run = () => erase(running, Number.POSITIVE_INFINITY, { ...lazyServices(eraseServices), files });
  await blockListImports.get().add({ ...reference, keyId: world.keyId, agentId: world.agentId, mode: 'add' });
  expect(await run()).toBe(undefined);
  await files.put(importFileKey(reference), Buffer.from(`${person}\n`));
  expect(await run()).toMatchObject({ delaySeconds: expect.any(Number) });
  await files.delete(importFileKey(reference));
  expect(await run()).toBe(undefined);
});

it('an erasure goes on after its message failed for good, and after two days ends as failed with a reason and without the number', async () => {
  const world = await privateWorld();
  const person = newPerson();
  await record(world, world.agentId, 'call-1', person);
  const erasureId = newIdentifier('erasure');
  await erasures.get().add({ uid: world.uid, erasureId, number: person, numberHash: 'hash', blockList: 'keep' });
  injectFaults((operation) => (operation === 'TransactWriteItems' ? 'kill' : undefined));
  expect(await deliver(world.uid, erasureId, maxDeliveries)).toBe(false);
  noFaults();
  const message = { job: 'erasePerson', uid: world.uid, erasureId };
  expect(await deliverMessage(giveUp, message)).toBe(true);
  expect((await readStatus(world, erasureId)).status).toBe('running');
  vi.setSystemTime(Date.now() + 49 * 60 * 60 * 1000);
  onTestFinished(() => void vi.useRealTimers());
  expect(await deliverMessage(giveUp, message)).toBe(true);
  expect(await readStatus(world, erasureId)).toMatchObject({
    status: 'failed',
    error: 'The erasure could not be completed. Request it again.',
  });
  expect((await findStored(person)).filter((key) => key.includes('ERASURE'))).toEqual([]);
});

it('an erasure that could not be recorded has not begun', async () => {
  const world = await privateWorld();
  const person = newPerson();
  const body = { uid: world.uid, number: person };
  await record(world, world.agentId, 'call-1', person);
  injectFaults((operation) => (operation === 'PutItem' ? 'kill' : undefined));
  // The message that was sent first finds nothing to do.
  expect((await invoke(createErasure, { apiKey: world.apiKey, body })).status).toBe(500);
  noFaults();
  expect(await Array.fromAsync(table.get().query(erasureCollection(world.uid)))).toEqual([]);
  expect((await invoke(createErasure, { apiKey: world.apiKey, body })).body.found).toEqual({
    calls: 1,
    blockedNumbers: 0,
    consents: 0,
  });
});
