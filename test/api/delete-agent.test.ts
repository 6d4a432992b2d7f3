import { expect, it } from 'vitest';
import { accessKey } from '../../functions/store/keys.ts';
import { becomeQuiet, deliverDeletion, remove } from '../support/deletions.ts';
import { findEverything, storedBesideChanges } from '../support/stored.ts';
import { upload } from '../support/uploads.ts';
import { makeWebsites, newFolder } from '../support/websites.ts';
import { newGuest, newUser, newWorld, unique } from '../support/world.ts';

const phone = '+14155550100';
const number = '+14155550177';
const phones = (count: number) => Array.from({ length: count }, (_, n) => `+1415${5_000_000 + n}`);

/** An agent with every kind of record that an agent can have. */
const fullWorld = async () => {
  const world = await newWorld();
  const guest = await newGuest(world);
  const { uid, agentId } = world;
  const headers = () => ({ 'idempotency-key': unique('key') });
  await world.call('PATCH', `/agents/${agentId}`, { body: { phoneNumber: number }, headers: headers() });
  const split = [{ version: 1, percent: 100 }];
  expect((await world.call('PUT', `/agents/${agentId}/traffic`, { body: { uid, split } })).status).toBe(200);
  await world.block(phones(30), { reason: 'spam' });
  await world.unblock(phones(3));
  const recordCall = (n: number) => world.recordCall(`call-${n}`, n % 3 === 0 ? { phone: null } : {});
  await Promise.all(Array.from({ length: 12 }, (_, n) => recordCall(n)));
  const outcome = { apiKey: guest.apiKey, body: { custom_call_outcome: 'booked' }, headers: headers() };
  expect((await world.call('PATCH', `/calls/${agentId}/call-1`, outcome)).status).toBe(200);
  expect((await upload(world, [['hours.txt', 'Opening hours: nine to five.']])).status).toBe(200);
  const files = [{ name: 'later.txt', size: 5 }];
  await world.call('POST', '/agent-documents/uploads', { body: { uid, agentId, files } });
  for (const { apiKey, uid } of [world, guest])
    await world.call('POST', '/block-list-imports', { apiKey, body: { uid, agentId, size: 9 } });
  const { url } = newFolder();
  await makeWebsites(world).add(url);
  return { ...world, guest };
};

it('deleting an agent makes it unknown to every operation, for its owner and its guests, and releases its number', async () => {
  const world = await fullWorld();
  const { uid, agentId, guest } = world;
  const answer = await remove(world, agentId);
  expect([answer.status, answer.body]).toEqual([200, { message: 'Agent deleted successfully' }]);
  const texts = new Set<string>();
  for (const user of [world, guest]) {
    const { apiKey } = user;
    const named = { uid: user.uid, agentId };
    const answers = await Promise.all([
      world.call('GET', `/agents/${agentId}`, { apiKey }),
      remove(world, agentId, apiKey),
      world.call('POST', '/duplicate-agent', { apiKey, body: named }),
      world.call('GET', `/calls/${agentId}/call-1`, { apiKey }),
      world.recordCall('call-1', {}),
      world.call('POST', '/agent-block-list', { apiKey, body: { ...named, numbers: [phone] } }),
      world.call('GET', '/agent-websites', { apiKey, query: named }),
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

it('only its owner can delete an agent', async () => {
  const world = await newWorld();
  const guest = await newGuest(world);
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

it('deleting an agent deletes all of its data in the background, and nothing else', async () => {
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
  await expect.poll(() => storedBesideChanges(agentId)).toEqual([`${access.pk} ${access.sk}`]);
  await becomeQuiet(agentId);
  expect(await deliverDeletion(agentId)).toBe(true);
  // Messages of the deletion itself, and those that count calls, are still delayed. They will find nothing to do.
  const left = (await findEverything(agentId)).filter((one) => !/finishDeletion|countCalls|#CHANGES /.test(one));
  expect(left).toEqual([]);
  expect(await deliverDeletion(agentId)).toBe(true);
  expect((await world.call('GET', otherCalls)).body.calls.length).toBe(1);
  expect((await world.call('GET', '/block-list', { query: { uid } })).body.blockList).toEqual([phone]);
  expect((await world.call('GET', '/agents', { apiKey: guest.apiKey, query: { uid: guest.uid } })).body.agents).toEqual(
    [],
  );
});
