import { afterEach, expect, it } from 'vitest';
import { limits } from '../../functions/domain/limits.ts';
import { agentDeletions } from '../../functions/store/agents/agent-deletions.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { accessKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { newClientWorld, newMaker, pickError } from '../support/clients.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { call, newUser, newWorld } from '../support/world.ts';

afterEach(noFaults);

const formAccessPath = (agentId: string, guest = '') => `/agents/${agentId}/access${guest && `/${guest}`}`;

it('the owner of an agent, and the maker of the owner, share it and end the sharing; again changes nothing', async () => {
  const maker = await newMaker();
  const [world, guest] = await Promise.all([newClientWorld(undefined, maker), newClientWorld(undefined, maker)]);
  const { uid, agentId } = world;
  const read = () => call('GET', `/agents/${agentId}`, { apiKey: guest.apiKey });
  for (const by of [world.call, maker.call]) {
    const path = formAccessPath(agentId, guest.uid);
    for (const _ of ['first', 'again']) {
      const shared = await by('PUT', path, { body: { uid } });
      expect([shared.status, shared.body]).toEqual([200, { agentId, uid: guest.uid }]);
    }
    expect((await read()).status).toBe(200);
    expect((await by('GET', formAccessPath(agentId), { query: { uid } })).body).toEqual({
      access: [{ uid: guest.uid }],
    });
    for (const _ of ['first', 'again'])
      expect((await by('DELETE', path, { query: { uid } })).body).toEqual({ message: 'Access ended successfully' });
    expect((await read()).status).toBe(401);
    expect((await by('GET', formAccessPath(agentId), { query: { uid } })).body).toEqual({ access: [] });
  }
});

it('an agent is shared only among a maker and its clients, and by nobody else', async () => {
  const [maker, other] = await Promise.all([newMaker(), newMaker()]);
  const [world, foreign] = await Promise.all([newClientWorld(undefined, maker), newClientWorld(undefined, other)]);
  const ofNobody = await newUser();
  const { uid, agentId } = world;
  const share = (guest: string) => maker.call('PUT', formAccessPath(agentId, guest), { body: { uid } });
  for (const guest of [foreign.uid, ofNobody.uid, other.uid, uid, 'nobody', 'a b'])
    expect([guest, ...pickError(await share(encodeURIComponent(guest)))]).toEqual([guest, 404, 'user_not_found']);
  expect((await share(maker.uid)).status).toBe(200);
  const path = formAccessPath(agentId, maker.uid);
  expect(pickError(await other.call('PUT', path, { body: { uid } }))).toEqual([404, 'user_not_found']);
  expect(pickError(await foreign.call('PUT', path, { body: { uid } }))).toEqual([401, 'insufficient_permissions']);
  const strange = { body: { uid } };
  expect(pickError(await maker.call('PUT', formAccessPath(foreign.agentId, maker.uid), strange))).toEqual([
    401,
    'insufficient_permissions',
  ]);
  // Users that the operator created for nobody have no maker in common.
  const [one, two] = await Promise.all([newWorld(), newWorld()]);
  const ofOperator = await one.call('PUT', formAccessPath(one.agentId, two.uid), { body: { uid: one.uid } });
  expect(pickError(ofOperator)).toEqual([404, 'user_not_found']);
});

it('a lost response, a conflict and a dead function leave a sharing and its end whole, or not done', async () => {
  const maker = await newMaker();
  const [world, guest] = await Promise.all([newClientWorld(undefined, maker), newClientWorld(undefined, maker)]);
  const { uid, agentId } = world;
  const share = () => agentSharing.get().share(agentId, uid, guest.uid);
  const end = () => agentSharing.get().revoke(agentId, uid, guest.uid);
  const isShared = async () => {
    const listed = await Array.fromAsync(agents.get().list(guest.uid));
    const hasAgent = listed.some((agent) => agent.agentId === agentId);
    expect((await agents.get().access(agentId))?.guests.includes(guest.uid)).toBe(hasAgent);
    return hasAgent;
  };
  for (const fault of ['lost response', 'conflict', 'kill'] as const) {
    for (const [change, result] of [
      [share, true],
      [end, false],
    ] as const) {
      let faults = 0;
      injectFaults(() => (faults++ === 0 ? fault : undefined));
      const isDone = await change().then(
        () => true,
        () => false,
      );
      noFaults();
      expect([fault, isDone, await isShared()]).toEqual([fault, fault !== 'kill', isDone === result]);
      await change();
      expect(await isShared()).toBe(result);
    }
  }
});

it('the end of a sharing of an agent that is deleted meanwhile is refused', async () => {
  const { uid, agentId } = await newWorld();
  await agentDeletions.get().remove(uid, agentId);
  await expect(agentSharing.get().revoke(agentId, uid, 'guest')).rejects.toMatchObject({
    code: 'insufficient_permissions',
  });
});

it('an agent has at most 50 guests', async () => {
  const maker = await newMaker();
  const world = await newClientWorld(undefined, maker);
  const { uid, agentId } = world;
  const others = Array.from({ length: limits.guests - 1 }, (_, n) => `guest-${n}`);
  await table.get().change(accessKey(agentId), { add: { guests: new Set(others) } });
  const guests = await Promise.all(
    [1, 2, 3].map(async () => (await maker.call('POST', '/users', { body: {} })).body.uid),
  );
  const answers = await Promise.all(
    guests.map((guest) => world.call('PUT', formAccessPath(agentId, guest), { body: { uid } })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});
