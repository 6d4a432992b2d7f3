import type { SQSEvent } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { begin, copyServices, proceed } from '../../functions/duplication/copy.ts';
import { finishDeletion } from '../../functions/jobs/finish-deletion.ts';
import { finishDuplication } from '../../functions/jobs/finish-duplication.ts';
import { type AnyJob, worker } from '../../functions/jobs/job.ts';
import { lazyServices } from '../../functions/service.ts';
import { agents } from '../../functions/store/agents.ts';
import { accessKey, blockedNumberKey, blockListShards } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { injectFaults } from '../support/faults.ts';
import { everythingWith, storedWith } from '../support/stored.ts';
import { newFolder, websitesOf } from '../support/websites.ts';
import { newUser, newWorld, unique, type World } from '../support/world.ts';

const noFaults = () => injectFaults(table.get().client, () => undefined);
afterEach(noFaults);

const phone = '+14155550100';
const number = '+14155550177';
const phones = (count: number) => Array.from({ length: count }, (_, n) => `+1415${5_000_000 + n}`);

const remove = (world: Pick<World, 'call'>, agentId: string, apiKey?: string) =>
  world.call('DELETE', `/agents/${agentId}`, apiKey === undefined ? {} : { apiKey });

const deliver = async (job: AnyJob, message: object): Promise<boolean> => {
  const { batchItemFailures } = (await worker(job)({
    Records: [{ messageId: 'm', body: JSON.stringify(message) }],
  } as SQSEvent)) as { batchItemFailures: unknown[] };
  return batchItemFailures.length === 0;
};
const deliverDeletion = (agentId: string) => deliver(finishDeletion, { job: 'finishDeletion', agentId });

/** Lets the time pass in which requests that began before the deletion may still write. */
const becomeQuiet = (agentId: string) => table.get().change(accessKey(agentId), { set: { quietAt: 1 } });

const grant = async (world: World) => {
  const guest = await newUser();
  await agents.get().grant(world.agentId, world.uid, guest.uid);
  return guest;
};

/** An agent with everything that an agent can have. */
const fullWorld = async () => {
  const world = await newWorld();
  const guest = await grant(world);
  const { uid, agentId } = world;
  const headers = () => ({ 'idempotency-key': unique('key') });
  await world.call('PATCH', `/agents/${agentId}`, { body: { phoneNumber: number }, headers: headers() });
  await world.block(phones(30), { reason: 'spam' });
  await world.unblock(phones(3));
  const callOf = (n: number) => world.recordCall(`call-${n}`, n % 3 === 0 ? { phone: null } : {});
  await Promise.all(Array.from({ length: 12 }, (_, n) => callOf(n)));
  const outcome = { apiKey: guest.apiKey, body: { custom_call_outcome: 'booked' }, headers: headers() };
  expect((await world.call('PATCH', `/calls/${agentId}/call-1`, outcome)).status).toBe(200);
  const form = new FormData();
  form.set('uid', uid);
  form.set('agentId', agentId);
  form.append('files', new Blob(['Opening hours: nine to five.']), 'hours.txt');
  expect((await world.call('POST', '/agent-documents', { body: form })).status).toBe(200);
  const files = [{ name: 'later.txt', size: 5 }];
  await world.call('POST', '/agent-documents/uploads', { body: { uid, agentId, files } });
  const { url } = newFolder();
  await websitesOf(world).add(url);
  return { ...world, guest };
};

describe('deleting an agent', () => {
  it('makes it unknown to every operation, for its owner and its guests, and frees its number', async () => {
    const world = await fullWorld();
    const { uid, agentId, guest } = world;
    const answer = await remove(world, agentId);
    expect([answer.status, answer.body]).toEqual([200, { message: 'Agent deleted successfully' }]);
    const texts = new Set<string>();
    for (const user of [world, guest]) {
      const { apiKey } = user;
      const named = { uid: user.uid, agentId };
      const facts = { phone, direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
      const answers = await Promise.all([
        world.call('GET', `/agents/${agentId}`, { apiKey }),
        world.call('PATCH', `/agents/${agentId}`, { apiKey, body: { name: 'Again' } }),
        remove(world, agentId, apiKey),
        world.call('POST', '/duplicate-agent', { apiKey, body: named }),
        world.call('GET', `/calls/${agentId}`, { apiKey }),
        world.call('GET', `/calls/${agentId}/call-1`, { apiKey }),
        world.call('PUT', `/calls/${agentId}/call-1`, { apiKey, body: facts }),
        world.call('PATCH', `/calls/${agentId}/call-1`, { apiKey, body: { custom_call_outcome: 'won' } }),
        world.call('DELETE', `/calls/${agentId}/call-1`, { apiKey }),
        world.call('POST', '/agent-block-list', { apiKey, body: { ...named, numbers: [phone] } }),
        world.call('GET', '/agent-block-list', { apiKey, query: named }),
        world.call('GET', '/agent-block-list/check', { apiKey, query: { ...named, number: phone } }),
        world.call('GET', '/agent-websites', { apiKey, query: named }),
        world.call('POST', '/agent-websites', { apiKey, body: { ...named, url: 'https://example.com/' } }),
        world.call('GET', '/agent-documents', { apiKey, query: named }),
        world.call('POST', '/agent-documents/uploads', { apiKey, body: { ...named, files: [{ name: 'a', size: 1 }] } }),
        world.call('POST', '/agent-knowledge/search', { apiKey, body: { ...named, query: 'hours' } }),
        world.call('POST', '/call-starts', { apiKey, body: { ...named, from: phone } }),
      ]);
      for (const { status, text } of answers) {
        expect([status, text]).toEqual([401, expect.stringContaining('insufficient_permissions')]);
        texts.add(text);
      }
      const bulk = { items: [{ agentId, callIdOrPhone: 'call-1', custom_call_outcome: 'won' }] };
      const { body } = await world.call('POST', '/call-outcomes', { apiKey, body: bulk });
      expect([body.updated, body.failed[0].error]).toEqual([[], 'insufficient_permissions']);
      const listed = await world.call('GET', '/agents', { apiKey, query: { uid: user.uid } });
      expect(listed.body.agents).toEqual([]);
    }
    expect(texts.size).toBe(1);
    const query = { uid, phoneNumber: number };
    expect((await world.call('GET', '/agents', { query })).body.agents).toEqual([]);
    const unnamed = await world.call('POST', '/call-starts', { body: { uid, from: phone, to: number } });
    expect([unnamed.status, unnamed.body.error]).toEqual([404, 'agent_not_found']);
    const next = await world.call('POST', '/agents', { body: { uid, name: 'Next', phoneNumber: number } });
    expect([next.status, next.body.phoneNumber]).toEqual([200, number]);
  });

  it('is for its owner alone', async () => {
    const world = await newWorld();
    const guest = await grant(world);
    const stranger = await newUser();
    const unknown = await remove(world, 'no-such-agent');
    for (const { apiKey } of [guest, stranger]) {
      const answer = await remove(world, world.agentId, apiKey);
      expect([answer.status, answer.text]).toEqual([401, unknown.text]);
    }
    expect((await world.call('GET', `/agents/${world.agentId}`)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(world, world.agentId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  });

  it('deletes all that belongs to it in the background, and touches nothing else', async () => {
    const world = await fullWorld();
    const { uid, agentId, guest } = world;
    await world.call('POST', '/block-list', { body: { uid, numbers: [phone] } });
    const { body: other } = await world.call('POST', '/agents', { body: { uid, name: 'Other' } });
    const otherCalls = `/calls/${other.agentId}`;
    await world.call('PUT', `${otherCalls}/call-1`, {
      body: { phone, direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' },
    });
    expect((await remove(world, agentId)).status).toBe(200);
    const access = accessKey(agentId);
    await expect.poll(() => storedWith(agentId)).toEqual([`${access.pk} ${access.sk}`]);
    await becomeQuiet(agentId);
    expect(await deliverDeletion(agentId)).toBe(true);
    // Messages of the deletion itself are still delayed, and find nothing to do.
    const left = (await everythingWith(agentId)).filter((one) => !one.includes('finishDeletion'));
    expect(left).toEqual([]);
    expect(await deliverDeletion(agentId)).toBe(true);
    expect((await world.call('GET', otherCalls)).body.calls.length).toBe(1);
    expect((await world.call('GET', '/block-list', { query: { uid } })).body.blockList).toEqual([phone]);
    expect(
      (await world.call('GET', '/agents', { apiKey: guest.apiKey, query: { uid: guest.uid } })).body.agents,
    ).toEqual([]);
  });

  it('ends whatever dies on the way, at every write of it', { tags: 'heavy', timeout: 120_000 }, async () => {
    let kills = 0;
    for (let kill = 0; ; kill++) {
      const world = await newWorld();
      const { uid, agentId } = world;
      const guest = await grant(world);
      await world.recordCall('call-1');
      await world.block(phones(2));
      const website = { uid, agentId, url: 'https://site.invalid/' };
      await world.call('POST', '/agent-websites', { body: website });
      const headers = { 'idempotency-key': unique('key') };
      await world.call('PATCH', `/agents/${agentId}`, { body: { name: 'Agent' }, headers });
      await agents.get().remove(uid, agentId);
      await becomeQuiet(agentId);
      let writes = 0;
      injectFaults(table.get().client, (operation) =>
        /^(Put|Update|Delete|TransactWrite|BatchWrite)/.test(operation) && writes++ >= kill ? 'kill' : undefined,
      );
      const isDone = await deliverDeletion(agentId);
      noFaults();
      if (isDone) break;
      kills += 1;
      expect(await deliverDeletion(agentId), `killed at write ${kill}`).toBe(true);
      expect(await storedWith(agentId), `killed at write ${kill}`).toEqual([]);
      expect(await Array.fromAsync(agents.get().list(guest.uid))).toEqual([]);
    }
    expect(kills).toBeGreaterThan(8);
  });

  it('also deletes what a request wrote that was under way when the agent was deleted', async () => {
    const world = await newWorld();
    const { agentId } = world;
    await world.recordCall('call-1');
    await agents.get().remove(world.uid, agentId);
    expect(await deliverDeletion(agentId)).toBe(true);
    const { calls } = await import('../../functions/store/calls.ts');
    const { blockList } = await import('../../functions/store/block-list.ts');
    await calls.get().record(agentId, 'late', { phone, direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' });
    await blockList.get().add({ agentId }, [phone]);
    // The first run does not forget the agent: until it is quiet, another one follows.
    await becomeQuiet(agentId);
    expect(await deliverDeletion(agentId)).toBe(true);
    expect(await storedWith(agentId)).toEqual([]);
  });

  it('leaves no copy that has only a part of it, and nothing of that part', async () => {
    const world = await newWorld();
    await world.block(phones(60));
    const source = (await world.call('GET', `/agents/${world.agentId}`)).body;
    const copy = { ...source, agentId: newIdentifier('agent') };
    const services = lazyServices(copyServices);
    const begun = await begin(copy, world.agentId, services);
    expect(await proceed(begun, 0, services)).toMatchObject({ state: 'copying' });
    expect((await remove(world, world.agentId)).status).toBe(200);
    expect(await deliver(finishDuplication, { job: 'finishDuplication', agentId: copy.agentId })).toBe(true);
    expect((await world.call('GET', `/agents/${copy.agentId}`)).status).toBe(401);
    expect((await world.call('GET', '/agents', { query: { uid: world.uid } })).body.agents).toEqual([]);
    await becomeQuiet(copy.agentId);
    expect(await deliverDeletion(copy.agentId)).toBe(true);
    expect(await storedWith(copy.agentId)).toEqual([]);
    // Another message of the same copy finds nothing to do.
    expect(await deliver(finishDuplication, { job: 'finishDuplication', agentId: copy.agentId })).toBe(true);
    expect(await storedWith(copy.agentId)).toEqual([]);
  });

  it('leaves a copy that was made of it whole', async () => {
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

  it('of a large block list goes on in another message when its time is over', async () => {
    const world = await newWorld();
    await world.block(phones(2 * blockListShards));
    await agents.get().remove(world.uid, world.agentId);
    await becomeQuiet(world.agentId);
    const message = { job: 'finishDeletion', agentId: world.agentId };
    expect(await deliver({ ...finishDeletion, timeoutSeconds: 0 }, message)).toBe(true);
    // The message that the run sent is worked on by the service.
    await expect.poll(() => storedWith(world.agentId)).toEqual([]);
    expect(await table.get().get(blockedNumberKey({ agentId: world.agentId }, phones(1)[0] as string))).toBe(undefined);
  });
});
