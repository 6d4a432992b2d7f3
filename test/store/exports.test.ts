import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callExports } from '../../functions/call-exports/call-exports.ts';
import { deleteExports, discardExports, discardServices } from '../../functions/call-exports/discard-exports.ts';
import { exportServices, runExport } from '../../functions/call-exports/run-export.ts';
import { exportsFolder } from '../../functions/domain/exports.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { giveUp } from '../../functions/jobs/give-up.ts';
import { personExports } from '../../functions/person-exports/person-exports.ts';
import {
  discardPersonExports,
  discardPersonServices,
  personExportServices,
  runPersonExport,
} from '../../functions/person-exports/run-person-export.ts';
import { lazyServices } from '../../functions/service.ts';
import { hashOfNumber } from '../../functions/store/erased-people.ts';
import { when } from '../../functions/store/expressions.ts';
import { exportKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { Death, mortal } from '../support/mortal.ts';
import { fileKeys } from '../support/stored.ts';
import { newWorld, type World } from '../support/world.ts';

type Reference = { uid: string; exportId: string };
type Life = { at: number; isAfter: boolean };
type Kind = {
  kind: 'CALL' | 'PERSON';
  job: 'exportCalls' | 'exportPerson';
  add(uid: string): Promise<Reference>;
  run: Run;
  delete: Run;
  erase: Run;
};
type Run = (reference: Reference, life: Life) => Promise<unknown>;

const immortal = { at: Number.POSITIVE_INFINITY, isAfter: false };
const number = '+14155550100';
const person = { secret: 'secret', number };
const jobQueue = { send: async () => {} };

const ofCalls: Kind = {
  kind: 'CALL',
  job: 'exportCalls',
  async add(uid) {
    const exportId = newIdentifier('export');
    await callExports.get().add({ uid, exportId, from: '2026-03-01', to: '2026-04-01', format: 'jsonl' });
    return { uid, exportId };
  },
  run: (reference, life) => {
    const services = lazyServices(exportServices);
    const { callExports, exportFiles } = services;
    return runExport(reference, Date.now() + 60_000, { ...services, ...mortal({ callExports, exportFiles }, life) });
  },
  delete: ({ uid }, life) => deleteExports(uid, mortal(lazyServices(discardServices), life)),
  erase: ({ uid }, life) => discardExports(uid, mortal({ ...lazyServices(discardServices), jobQueue }, life)),
};

const ofPerson: Kind = {
  kind: 'PERSON',
  job: 'exportPerson',
  async add(uid) {
    const exportId = newIdentifier('export');
    await personExports.get().add({ uid, exportId, number, numberHash: hashOfNumber(person.secret, uid, number) });
    return { uid, exportId };
  },
  run: (reference, life) => {
    const services = lazyServices(personExportServices);
    const { personExports, exportFiles } = services;
    return runPersonExport(reference, { ...services, ...mortal({ personExports, exportFiles }, life) });
  },
  delete: ({ uid }, life) => discardPersonExports(uid, mortal(lazyServices(discardPersonServices), life)),
  erase: ({ uid }, life) => discardPersonExports(uid, mortal(lazyServices(discardPersonServices), life), person),
};

/** Lets a day pass after the end of an export. */
const expire =
  ({ kind, run }: Kind): Run =>
  async (reference, life) => {
    await run(reference, immortal);
    const { uid, exportId } = reference;
    const set = { expiresAt: new Date().toISOString() };
    await table.get().change(exportKey(kind, uid, exportId), { set }, when`attribute_exists(pk)`);
    await run(reference, life);
  };

/** Returns true for a run that died. */
const dies = (run: Promise<unknown>): Promise<boolean> =>
  run.then(
    () => false,
    (error) => {
      if (!(error instanceof Death)) throw error;
      return true;
    },
  );

describe.each([ofCalls, ofPerson])('of an export of kind $kind that is killed at any step', (exported) => {
  let world: World;
  beforeAll(async () => {
    world = await newWorld();
    const facts = { agentId: world.agentId, phone: number, direction: 'inbound' };
    const items = [1, 2, 3].map((day) => ({ ...facts, callId: `call-${day}`, startedAt: `2026-03-0${day}T10:00:00Z` }));
    expect((await world.call('POST', '/calls', { body: { items } })).body.failed).toEqual([]);
  });

  it.each([
    ['a deletion', exported.delete],
    ['an erasure', exported.erase],
    ['its expiry', expire(exported)],
  ])('%s that is killed too and repeated leaves no file', { tags: 'heavy' }, async (_, end) => {
    process.env.CALL_EXPORT_FILE_CALLS = '2';
    onTestFinished(() => void delete process.env.CALL_EXPORT_FILE_CALLS);
    let hasFiles = false;
    for (const isAfter of [false, true])
      for (let at = 0, isKilled = true; isKilled; at++) {
        const reference = await exported.add(world.uid);
        isKilled = await dies(exported.run(reference, { at, isAfter }));
        const written = () => fileKeys(`${exportsFolder}${reference.exportId}/`);
        hasFiles ||= (await written()).length > 0;
        await dies(end(reference, { at: at % 4, isAfter }));
        await end(reference, immortal);
        expect(await written(), `killed ${isAfter ? 'after' : 'at'} call ${at}`).toEqual([]);
        await exported.delete(reference, immortal);
      }
    expect(hasFiles).toBe(true);
  });
});

it.each([ofCalls, ofPerson])(
  'an export of kind $kind that no run completed has failed, without the number',
  async ({ kind, job, add }) => {
    const { uid } = await newWorld();
    const reference = await add(uid);
    await deliverMessage(giveUp, { job, ...reference });
    const found = await table.get().get(exportKey(kind, uid, reference.exportId));
    expect(found).toMatchObject({ status: 'failed', error: expect.stringContaining('Request it again') });
    expect(found).not.toHaveProperty('number');
  },
);
