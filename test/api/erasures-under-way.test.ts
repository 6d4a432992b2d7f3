import { describe, expect, it } from 'vitest';
import { blockListImports, type ImportRecord } from '../../functions/block-list-import/block-list-imports.ts';
import { importFailure } from '../../functions/domain/block-list-imports.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { beginCopy, continueCopy, copyServices } from '../../functions/duplication/copy.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { erasePerson, eraseServices } from '../../functions/erasure/person.ts';
import { lazyServices } from '../../functions/service.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { blockList } from '../../functions/store/block-list/block-list.ts';
import { idempotency } from '../../functions/store/idempotency.ts';
import {
  deliver,
  ended,
  knownPerson,
  newPerson,
  other,
  privateWorld,
  readStatus,
  record,
  request,
} from '../support/erasures.ts';
import { findStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { unique, type World } from '../support/world.ts';

/** Returns the agent that a copy of a world's agent will be. */
const copyAgent = async ({ uid, agentId }: World) => {
  const source = await agents.get().find(uid, agentId);
  if (!source) throw new Error('The agent does not exist.');
  return { ...source, agentId: newIdentifier('agent'), sourceAgentId: agentId };
};

describe.concurrent('the erasure of a person', () => {
  it('the erasure of a person leaves a call that is recorded meanwhile whole, or not at all', {
    tags: 'heavy',
  }, async () => {
    const { world, person, second } = await knownPerson();
    const { body } = await request(world, person);
    const recorded = await Promise.all(
      Array.from({ length: 10 }, (_, n) => record(world, second, `meanwhile-${n}`, person)),
    );
    expect(recorded.every(({ status }) => status === 200)).toBe(true);
    expect((await ended(world, body.erasureId)).status).toBe('done');
    const query = { phone: person };
    const byPhone = (await world.call('GET', `/calls/${second}`, { query })).body.calls;
    const all = (await world.call('GET', `/calls/${second}`)).body.calls;
    expect(byPhone).toEqual(all.filter((call: { phone?: string }) => call.phone === person));
    for (const { callId } of byPhone) {
      expect((await world.call('GET', `/calls/${second}/${callId}`)).status).toBe(200);
    }
    expect((await findStored(person)).filter((key) => key.includes('#PHONE#')).length).toBe(byPhone.length);
  });

  it('the erasure of a person is not done while a request is in progress whose response may hold the number', async () => {
    const { world, person } = await knownPerson();
    const claimed = { uid: world.uid, operation: 'updateCallOutcome', key: unique('key'), contentHash: 'hash' };
    const claim = await idempotency.get().claim(claimed);
    const { body } = await request(world, person, { blockList: 'remove' });
    const areErased = async () => (await readStatus(world, body.erasureId)).erased.calls === 6;
    await until(areErased);
    // Another run finds the request still in progress, however often it looks.
    const running = { uid: world.uid, erasureId: body.erasureId, number: person, blockList: 'remove' } as const;
    const progress = { erasedAt: Date.now(), copiesBegun: 0 };
    const rest = await erasePerson({ ...running, progress }, Date.now() + 1000, lazyServices(eraseServices));
    expect(rest).toMatchObject({ delaySeconds: 0, progress });
    expect((await readStatus(world, body.erasureId)).status).toBe('running');
    if (claim.state !== 'claimed') throw new Error('The key was used before.');
    await idempotency
      .get()
      .keep(claim, { statusCode: 200, body: JSON.stringify({ call_id: 'call-1', phone: person }) });
    expect((await ended(world, body.erasureId)).status).toBe('done');
    expect(await findStored(person)).toEqual([]);
  });

  it('the erasure of a person waits for a copy of an agent in progress, and erases from it', {
    tags: 'heavy',
  }, async () => {
    const { world, person } = await knownPerson();
    const services = lazyServices(copyServices);
    const begun = await beginCopy({ agent: await copyAgent(world), sourceAgentId: world.agentId }, services);
    const { body } = await request(world, person, { blockList: 'remove' });
    expect(await deliver(world.uid, body.erasureId)).toBe(true);
    expect((await readStatus(world, body.erasureId)).status).toBe('running');
    const copied = await continueCopy(begun, Number.POSITIVE_INFINITY, services);
    expect(copied).toMatchObject({ state: 'done', blockedNumbers: 2 });
    expect(await ended(world, body.erasureId)).toMatchObject({ status: 'done', erased: { blockedNumbers: 4 } });
    expect(await findStored(person)).toEqual([]);
  });

  it('the erasure of a person runs again after a copy that was made while it ran', async () => {
    const { world, person } = await knownPerson();
    const services = lazyServices(eraseServices);
    const { uid, agentId } = world;
    const erasureId = newIdentifier('erasure');
    const running = { uid, erasureId, number: person, blockList: 'remove' } as const;
    await erasures.get().add({ ...running, numberHash: 'hash' });
    let isCopied = false;
    const erase: (typeof services)['blockList']['erase'] = async (owners, ...rest) => {
      // The agents of the user have been listed.
      if ('agentId' in (owners[0] ?? {}) && !isCopied) {
        isCopied = true;
        expect((await world.call('POST', '/duplicate-agent', { body: { uid, agentId } })).status).toBe(200);
      }
      return services.blockList.erase(owners, ...rest);
    };
    const run = () => erasePerson(running, Number.POSITIVE_INFINITY, { ...services, blockList: { erase } });
    expect(await run()).toEqual({ delaySeconds: 5 });
    expect((await findStored(person)).filter((key) => key.includes('#BLOCKED#'))).toHaveLength(1);
    expect(await run()).toBeUndefined();
    await services.erasures.finish(uid, erasureId);
    expect(await findStored(person)).toEqual([]);
  });

  it('the erasure of a person reaches the reports and the responses of a former guest', { tags: 'heavy' }, async () => {
    const { world, person, guest } = await knownPerson();
    const { uid, agentId } = world;
    const imports = blockListImports.get();
    const reference = { uid: guest.uid, importId: newIdentifier('import') };
    await imports.add({ ...reference, keyId: guest.keyId, agentId, mode: 'add' });
    const begun = (await imports.begin((await imports.find(reference)) as ImportRecord, 'etag')) as ImportRecord;
    const failures = [importFailure(1, person, 'invalid_expires_at')];
    await imports.finish((await imports.advance(begun, { failures, failed: 1 })) as ImportRecord);
    await agentSharing.get().revoke(agentId, uid, guest.uid);
    const { body } = await request(world, person, { blockList: 'remove' });
    expect((await ended(world, body.erasureId)).status).toBe('done');
    expect(await imports.find(reference)).toMatchObject({ failed: 1, failures: [] });
    expect(await findStored(person)).toEqual([]);
  });

  it('the erasure of a person waits for imports in progress, and removes the number from their reports', async () => {
    const world = await privateWorld();
    const person = newPerson();
    const imports = blockListImports.get();
    const importId = newIdentifier('import');
    await imports.add({ uid: world.uid, importId, keyId: world.keyId, agentId: world.agentId, mode: 'add' });
    const begun = await imports.begin((await imports.find({ uid: world.uid, importId })) as ImportRecord, 'etag');
    const failures = [
      importFailure(1, person.replace('+49', '+49 '), 'invalid_expires_at'),
      importFailure(2, other, 'invalid_expires_at'),
    ];
    const advanced = await imports.advance(begun as ImportRecord, { failures, failed: 2 });
    const { body } = await request(world, person);
    expect(await deliver(world.uid, body.erasureId)).toBe(true);
    expect((await readStatus(world, body.erasureId)).status).toBe('running');
    await blockList.get().add({ agentId: world.agentId }, [person], { reason: 'by the import' });
    await imports.finish(advanced as ImportRecord);
    // The message that is sent for it waits five seconds.
    expect(await deliver(world.uid, body.erasureId)).toBe(true);
    expect(await ended(world, body.erasureId)).toMatchObject({ status: 'done', erased: { blockedNumbers: 1 } });
    expect(await imports.find({ uid: world.uid, importId })).toMatchObject({
      failed: 2,
      failures: [{ line: 2, number: other }],
    });
    expect((await findStored(person)).length).toBe(1);
  });
});
