import { expect, it } from 'vitest';
import { block, ended, eventsHold, knownPerson, newAgent, other, request } from '../support/erasures.ts';
import { findEverything, findStored } from '../support/stored.ts';

it('the erasure of a person deletes their calls, keeps them blocked without a reason, and leaves nothing else with their number', async () => {
  const { world, person, second } = await knownPerson({ withWebhook: true });
  const { uid } = world;
  const answer = await request(world, person.replace(/^(.{3})/, '$1 '));
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      erasureId: expect.stringMatching(/^erasure_/),
      status: 'pending',
      found: { calls: 6, blockedNumbers: 3, consents: 0 },
    },
  ]);
  expect(await ended(world, answer.body.erasureId)).toEqual({
    erasureId: answer.body.erasureId,
    status: 'done',
    erased: { calls: 6, blockedNumbers: 2, consents: 0 },
    requestedAt: expect.any(String),
    finishedAt: expect.any(String),
  });
  for (const agentId of [world.agentId, second]) {
    const { body } = await world.call('GET', `/calls/${agentId}`);
    expect(body.calls.length).toBe(3);
    const query = { uid, agentId, number: person };
    const check = (await world.call('GET', '/agent-block-list/check', { query })).body;
    expect(check).toMatchObject({ blocked: true, scope: 'agent' });
    expect(check).not.toHaveProperty('reason');
    const otherCheck = await world.call('GET', '/agent-block-list/check', { query: { ...query, number: other } });
    expect(otherCheck.body.reason).toBe('asked not to be called');
  }
  // Only the kept entries remain. The details of a call's events are deleted a moment after the call.
  await expect.poll(async () => (await findStored(person)).length).toBe(3);
  const left = await findStored(person);
  expect(left.every((key) => key.includes('#BLOCKED#') && key.endsWith(` ${person}`))).toBe(true);
  expect(await findEverything(person.slice(1))).toEqual(left);
});

it('the erasure of a person with `remove` removes their block list entries, too, so that nothing holds the number', {
  tags: 'heavy',
}, async () => {
  const { world, person } = await knownPerson({ withWebhook: true });
  // An entry that was removed a moment ago is kept for a day, and one that has expired until DynamoDB deletes it.
  const third = await newAgent(world);
  await block(world, third, person);
  await world.call('DELETE', '/agent-block-list', { body: { uid: world.uid, agentId: third, numbers: [person] } });
  await eventsHold(person, [`AGENT#${third}`]);
  const { body } = await request(world, person, { blockList: 'remove' });
  expect(await ended(world, body.erasureId)).toMatchObject({
    status: 'done',
    erased: { calls: 6, blockedNumbers: 3, consents: 0 },
  });
  await expect.poll(() => findStored(person)).toEqual([]);
  expect(await findEverything(person.slice(1))).toEqual([]);
  const query = { uid: world.uid, agentId: world.agentId, number: person };
  expect((await world.call('GET', '/agent-block-list/check', { query })).body.blocked).toBe(false);
});
