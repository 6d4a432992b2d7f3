import { expect, it } from 'vitest';
import { addBlockedNumbers } from '../../functions/api/add-blocked-numbers.ts';
import { jobMessages } from '../../functions/domain/job-messages.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { hashOfNumber } from '../../functions/store/erased-people.ts';
import { erasureKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { block, ended, knownPerson, newPerson, privateWorld, record, request, startedAt } from '../support/erasures.ts';
import { invoke } from '../support/events.ts';
import { keptRequest } from '../support/kept-request.ts';
import { findStored } from '../support/stored.ts';

it('the erasure of a person keeps a keyed hash of the number, and its messages hold neither', async () => {
  const world = await privateWorld();
  const person = newPerson();
  const { body } = await request(world, person);
  await ended(world, body.erasureId);
  const item = (await table.get().get(erasureKey(world.uid, body.erasureId))) as unknown as { numberHash: string };
  expect(item).not.toHaveProperty('number');
  expect(item.numberHash).toMatch(/^[\w-]{43}$/);
  expect(hashOfNumber('secret', world.uid, person)).not.toBe(hashOfNumber('other', world.uid, person));
  expect(Object.keys(jobMessages.erasePerson.shape).sort()).toEqual(['erasureId', 'job', 'progress', 'uid']);
});

it('a dry run of an erasure counts, and changes and keeps nothing', async () => {
  const { world, person } = await knownPerson();
  const before = await findStored(person);
  const { status, body } = await request(world, person, { dryRun: true });
  expect([status, body]).toEqual([200, { status: 'dry_run', found: { calls: 6, blockedNumbers: 3, consents: 0 } }]);
  expect(await findStored(person)).toEqual(before);
});

const eraseInBothForms = async (...starts: string[]) => {
  // Ten digits that nothing else in the table holds, as an area code of both countries begins.
  const digits = `2${newPerson().slice(-9)}`;
  const forms = starts.map((start) => start + digits);
  for (const number of forms) {
    const world = await privateWorld();
    for (const [index, form] of forms.entries()) {
      await record(world, world.agentId, `call-${index}`, form);
      await block(world, world.agentId, form, { reason: 'asked not to be called' });
      await world.call('POST', '/block-list', { body: { uid: world.uid, numbers: [form] } });
    }
    const { body } = await request(world, number, { blockList: 'remove' });
    expect(body.found).toEqual({ calls: 2, blockedNumbers: 4, consents: 0 });
    expect(await ended(world, body.erasureId)).toMatchObject({ status: 'done', erased: body.found });
    expect(await findStored(digits)).toEqual([]);
  }
};

const inBothForms = 'the erasure of a person whose number begins with %s reaches what is kept with %s, and the reverse';
it.each([['+52', '+521']])(inBothForms, eraseInBothForms);
it.each([['+549', '+54']])(inBothForms, { tags: 'heavy' }, eraseInBothForms);

it('an erasure by a guest reaches the guest’s own data, and none of the owner', async () => {
  const { world, person, guest } = await knownPerson();
  const key = await apiKeys.get().create(guest.uid, { name: 'privacy', scopes: ['privacy', 'agents', 'calls'] });
  const options = { apiKey: key.secret };
  const own = await world.call('POST', '/agents', { ...options, body: { uid: guest.uid, name: 'Own' } });
  const facts = { phone: person, direction: 'inbound', startedAt };
  await world.call('PUT', `/calls/${own.body.agentId}/call-1`, { ...options, body: facts });
  const body = { uid: guest.uid, number: person, blockList: 'remove' };
  const answer = await world.call('POST', '/erasures', { ...options, body });
  expect(answer.body.found).toEqual({ calls: 1, blockedNumbers: 0, consents: 0 });
  await expect.poll(async () => (await erasures.get().find(guest.uid, answer.body.erasureId))?.status).toBe('done');
  expect((await request(world, person, { dryRun: true })).body.found).toEqual({
    calls: 6,
    blockedNumbers: 3,
    consents: 0,
  });
});

it('an erasure needs a phone number', async () => {
  const world = await privateWorld();
  for (const number of ['', '123', 'abc', '4155550100']) {
    const answer = await request(world, number);
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, 'number']);
  }
});

it('the stored response to a request with an Idempotency-Key is found by a keyed hash, and does not contain the key', async () => {
  const { uid, agentId, apiKey, call } = await privateWorld();
  const person = newPerson();
  const request = { body: { uid, agentId, numbers: [person] }, headers: { 'idempotency-key': `block-${person}` } };
  const isReplayed = (answer: Awaited<ReturnType<typeof call>>) =>
    answer.headers.get('idempotency-replayed') === 'true';
  expect(isReplayed(await call('POST', '/agent-block-list', request))).toBe(false);
  expect(isReplayed(await call('POST', '/agent-block-list', request))).toBe(true);
  expect((await keptRequest(uid, 'addBlockedNumbers')).sk).not.toContain(person);
  // The kept hashes cannot be found without the secret of the service.
  process.env.ERASURE_SECRET = 'another secret';
  expect((await invoke(addBlockedNumbers, { apiKey, ...request })).headers['idempotency-replayed']).toBeUndefined();
});
