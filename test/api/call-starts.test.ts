import { expect, it } from 'vitest';
import type { Scope } from '../../functions/domain/api-keys.ts';
import { callStartLookup } from '../../functions/hooks/call-starts.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { call, newWorld, type World } from '../support/world.ts';

const caller = '+14155550100';

const start = (world: World, body: object = {}, apiKey = world.apiKey) =>
  call('POST', '/call-starts', { apiKey, body: { uid: world.uid, agentId: world.agentId, from: caller, ...body } });

it('a call that starts is accepted, unless the agent or its owner blocks the number', async () => {
  const world = await newWorld();
  const { agentId } = world;
  expect((await start(world)).body).toEqual({ decision: 'accept', agentId, version: 1, number: caller });
  const block = { uid: world.uid, numbers: [caller], reason: 'Asked not to be called' };
  await world.call('POST', '/block-list', { body: block });
  const byOwner = { decision: 'reject', cause: 'blocked', agentId, version: 1, number: caller };
  expect((await start(world)).body).toEqual({ ...byOwner, scope: 'user', reason: block.reason });
  await world.block([caller]);
  expect((await start(world)).body).toEqual({ ...byOwner, scope: 'agent' });
});

it.each([
  ['+5215512345678', '+525512345678'],
  ['+525512345678', '+5215512345678'],
  ['+541123456789', '+5491123456789'],
])('a mobile number that is blocked as %s is blocked as %s, by the agent or its owner', async (stored, used) => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const listCauses = async () => {
    const outbound = await start(world, { direction: 'outbound', from: null, to: used });
    const unnamed = await call('POST', '/call-starts', {
      apiKey: world.apiKey,
      body: { uid, from: used, to: '+14155550123' },
    });
    const query = { uid, agentId, number: used };
    const check = await world.call('GET', '/agent-block-list/check', { query });
    const plan = await world.call('POST', '/call-start-checks', { body: { uid, agentId, numbers: [used] } });
    const user = await world.call('GET', '/block-list/check', { query: { uid, number: used } });
    return [
      (await start(world, { from: used })).body.scope,
      outbound.body.scope,
      unnamed.body.scope,
      check.body.scope,
      plan.body.rejected?.[0]?.scope,
      user.body.blocked,
    ];
  };
  await world.call('PATCH', `/agents/${agentId}`, { body: { phoneNumber: '+14155550123' } });
  expect(await listCauses()).toEqual([undefined, undefined, undefined, undefined, undefined, false]);
  await world.call('POST', '/block-list', { body: { uid, numbers: [stored] } });
  expect(await listCauses()).toEqual(['user', 'user', 'user', 'user', 'user', true]);
  await world.block([stored]);
  expect(await listCauses()).toEqual(['agent', 'agent', 'agent', 'agent', 'agent', true]);
});

it('an outbound call that starts is decided by the number that is called', async () => {
  const world = await newWorld();
  await world.block([caller]);
  const sides = { direction: 'outbound', from: '+14155550111', to: '+1 (415) 555-0100' };
  expect((await start(world, sides)).body).toMatchObject({ decision: 'reject', number: caller });
  expect((await start(world, { ...sides, to: '+14155550101' })).body.decision).toBe('accept');
});

it.each([undefined, null, 'anonymous', '+266696687'])(
  'a call that starts with the number %s counts as withheld, and is rejected if the agent rejects withheld numbers',
  async (from) => {
    const world = await newWorld();
    const { agentId } = world;
    expect((await start(world, { from })).body).toEqual({ decision: 'accept', agentId, version: 1 });
    const body = { configuration: { rejectWithheldNumbers: true } };
    await world.call('PATCH', `/agents/${agentId}`, { body });
    expect((await start(world, { from })).body).toEqual({
      ...{ decision: 'reject', cause: 'withheld_number' },
      ...{ agentId, version: 2 },
    });
  },
);

it('a call that starts is rejected by its attestation, after a blocked and a withheld number, and repeats it', async () => {
  const world = await newWorld();
  const { agentId } = world;
  const configure = (configuration: object) =>
    world.call('PATCH', `/agents/${agentId}`, { body: { configuration } }).then(({ status }) => status);
  const all = ['A', 'B', 'C', 'failed', 'none'];
  const causes = async (more: object = {}) => {
    const answers = await Promise.all(all.map((attestation) => start(world, { attestation, ...more })));
    for (const [index, { body }] of answers.entries()) expect(body.attestation).toBe(all[index]);
    return answers.map(({ body }) => body.cause ?? body.decision);
  };
  expect(await causes()).toEqual(['accept', 'accept', 'accept', 'accept', 'accept']);
  expect(await configure({ rejectAttestations: ['failed', 'C', 'none'] })).toBe(200);
  expect(await causes()).toEqual(['accept', 'accept', 'attestation', 'attestation', 'attestation']);
  expect((await start(world)).body).toEqual({ decision: 'accept', agentId, version: 2, number: caller });
  // It speaks of the caller, who in an outbound call is the agent.
  const outbound = { direction: 'outbound', to: caller, attestation: 'none' };
  expect((await start(world, outbound)).body).toMatchObject({ decision: 'accept', attestation: 'none' });
  expect(await configure({ rejectWithheldNumbers: true })).toBe(200);
  expect(new Set(await causes({ from: null }))).toEqual(new Set(['withheld_number']));
  await world.block([caller]);
  expect(new Set(await causes())).toEqual(new Set(['blocked']));
  expect(await configure({ rejectAttestations: ['A'] })).toBe(400);
  expect((await start(world, { attestation: 'passed' })).status).toBe(400);
});

it('a call that starts finds its agent by the number that was called', async () => {
  const world = await newWorld();
  const to = '+14155550123';
  expect((await start(world, { agentId: undefined, to })).body.error).toBe('agent_not_found');
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { phoneNumber: to } });
  await world.block([caller]);
  const found = await start(world, { agentId: undefined, to: '+1 415 555 0123' });
  expect(found.body).toMatchObject({ decision: 'reject', scope: 'agent', agentId: world.agentId });
  expect((await start(await newWorld(), { agentId: undefined, to })).status).toBe(404);
});

it('the decision on a call that starts includes the variables, the agent and the last call', async () => {
  const world = await newWorld();
  const variables = { company: 'Example Dental', openingHour: 9, open: true, nested: { a: 1 }, direction: 'mine' };
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { variables } } });
  const include = ['variables', 'agent', 'lastCall'];
  const { body } = await start(world, { to: '+14155550123', include });
  expect(body.variables).toEqual({
    company: 'Example Dental',
    openingHour: 9,
    open: true,
    caller_number: caller,
    called_number: '+14155550123',
    direction: 'inbound',
  });
  expect([body.agent.agentId, body.lastCall]).toEqual([world.agentId, null]);
  await world.recordCall('call-1', { phone: caller });
  expect((await start(world, { include: ['lastCall'] })).body.lastCall.callId).toBe('call-1');
  expect((await start(world, { include: ['transcript'] })).status).toBe(400);
});

it('a call that starts is decided for a guest by the owner’s list, and refused to any other user', async () => {
  const [owner, guest] = [await newWorld(), await newWorld()];
  const asGuest = { uid: guest.uid, agentId: owner.agentId };
  expect((await start(guest, asGuest)).status).toBe(401);
  await agentSharing.get().share(owner.agentId, owner.uid, guest.uid);
  expect((await start(guest, asGuest)).body.decision).toBe('accept');
  await guest.call('POST', '/block-list', { body: { uid: guest.uid, numbers: [caller] } });
  expect((await start(guest, asGuest)).body.decision).toBe('accept');
  await owner.call('POST', '/block-list', { body: { uid: owner.uid, numbers: [caller] } });
  expect((await start(guest, asGuest)).body).toMatchObject({ decision: 'reject', scope: 'user' });
});

it('a call that starts has the number in a SIP address', async () => {
  const from = '"Desk" <sip:+14155550100@10.0.0.1:5060;transport=udp>;tag=1';
  expect((await start(await newWorld(), { from })).body).toMatchObject({ decision: 'accept', number: caller });
});

it('a call that starts has digits alone as a number only if that number is blocked', async () => {
  const world = await newWorld();
  const { agentId } = world;
  await world.recordCall('call-1');
  const sent = { from: '14155550100', include: ['lastCall', 'variables'] };
  const withheld = { decision: 'accept', agentId, version: 1, lastCall: null, variables: { direction: 'inbound' } };
  expect((await start(world, sent)).body).toEqual(withheld);
  await world.block([caller]);
  expect((await start(world, sent)).body).toMatchObject({
    ...{ decision: 'reject', cause: 'blocked', number: caller, lastCall: { callId: 'call-1' } },
  });
});

it('a call that starts includes an agent and a call only for a key with their scopes', async () => {
  const world = await newWorld();
  const createKey = async (...scopes: Scope[]) => (await apiKeys.get().create(world.uid, { name: 'k', scopes })).secret;
  const hooks = await createKey('hooks');
  for (const [include, scope] of [
    ['agent', 'agents'],
    ['lastCall', 'calls'],
  ] as const) {
    const { status, body } = await start(world, { include: [include] }, hooks);
    expect([status, body.message]).toEqual([401, `This API key lacks the scope "${scope}".`]);
    expect((await start(world, { include: [include] }, await createKey('hooks', scope))).status).toBe(200);
  }
  expect((await start(world, { include: ['variables'] }, hooks)).status).toBe(200);
});

it('a call that starts is decided with a key for hooks, which cannot read lists', async () => {
  const world = await newWorld();
  const { secret } = await apiKeys.get().create(world.uid, { name: 'hooks', scopes: ['hooks'] });
  expect((await start(world, {}, secret)).status).toBe(200);
  expect((await call('GET', '/agents', { apiKey: secret, query: { uid: world.uid } })).status).toBe(401);
  const inQuery = await call('POST', '/call-starts', { query: { key: secret }, body: { uid: world.uid } });
  expect([inQuery.status, inQuery.body.error]).toEqual([401, 'missing_api_key']);
});

it('a call that starts is decided by items of different partition keys, of which each takes 3,000 reads a second', () => {
  for (const direction of ['inbound', 'outbound'] as const) {
    const numbers = { other: '+14155550177', own: '+14155550100', isGuess: false };
    const { keys } = callStartLookup({ uid: 'user', agentId: 'agent', direction, callId: 'call', ...numbers });
    expect(new Set(keys.map(({ pk }) => pk)).size).toBe(keys.length);
  }
});
