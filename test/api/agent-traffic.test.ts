import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { limits } from '../../functions/domain/limits.ts';
import { chooseVersion, type Share } from '../../functions/domain/traffic.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { call, newGuest, newWorld, type World } from '../support/world.ts';

const formPath = ({ agentId }: World) => `/agents/${agentId}`;
const change = async (world: World, configuration: object) =>
  (await world.call('PATCH', formPath(world), { body: { configuration } })).body.version as number;
const split = (world: World, shares: unknown, more: object = {}) =>
  world.call('PUT', `${formPath(world)}/traffic`, { body: { uid: world.uid, split: shares }, ...more });
const start = async (world: World, body: object = {}, apiKey = world.apiKey) =>
  (await call('POST', '/call-starts', { apiKey, body: { uid: world.uid, agentId: world.agentId, ...body } })).body;

const half = [
  { version: 1, percent: 50 },
  { version: 2, percent: 50 },
];
/** A number that gets a version of a split. */
const findNumber = ({ agentId }: World, version: number, shares: Share[] = half) =>
  Array.from({ length: 1000 }, (_, n) => `+1415555${String(1000 + n)}`).find(
    (number) => chooseVersion(agentId, number, shares) === version,
  ) as string;

it('the traffic of an agent goes to the newest version, until a split says otherwise', async () => {
  const world = await newWorld();
  const { agentId } = world;
  expect(await start(world, { from: '+14155550100' })).toMatchObject({ version: 1 });
  await change(world, { variables: { offer: 'new' } });
  expect(await start(world, { from: '+14155550100' })).toMatchObject({ version: 2 });

  const set = await split(world, half);
  expect([set.status, set.body]).toEqual([200, { agentId, split: half }]);
  expect((await world.call('GET', formPath(world))).body).toMatchObject({ version: 2, split: half });
  await change(world, { variables: { offer: 'newest' } });
  for (const version of [1, 2]) {
    const from = findNumber(world, version);
    const started = await start(world, { from, include: ['variables', 'agent'] });
    expect(started).toMatchObject({ version, agent: { version, name: 'Agent', agentId } });
    expect([started.variables.offer, started.agent.configuration]).toEqual(
      version === 1 ? [undefined, {}] : ['new', { variables: { offer: 'new' } }],
    );
  }

  await split(world, []);
  expect((await world.call('GET', formPath(world))).body).not.toHaveProperty('split');
  expect(await start(world, { from: findNumber(world, 1) })).toMatchObject({ version: 3 });
});

it('the rules of a call come from the version that the number gets, and a rejected call also has this version', async () => {
  const world = await newWorld();
  await change(world, { calling: { hours: { from: '00:00', to: '00:01' } } });
  await split(world, half);
  const to = (version: number) => findNumber(world, version);
  const outbound = (version: number) =>
    start(world, {
      to: to(version),
      direction: 'outbound',
      at: '2026-01-15T23:00:00Z',
      timeZone: 'America/New_York',
    });
  expect(await outbound(1)).toMatchObject({ decision: 'accept', version: 1 });
  expect(await outbound(2)).toMatchObject({ decision: 'reject', cause: 'outside_hours', version: 2 });
  const { uid, agentId } = world;
  const checks = { uid, agentId, numbers: [to(1), to(2)], at: '2026-01-15T23:00:00Z' };
  expect((await world.call('POST', '/call-start-checks', { body: checks })).body).toMatchObject({
    accepted: [to(1)],
    rejected: [{ number: to(2), cause: 'outside_hours' }],
  });
  await world.block([to(1)]);
  expect(await start(world, { from: to(1) })).toMatchObject({ decision: 'reject', cause: 'blocked', version: 1 });
});

it('a caller who withholds the number gets a version by the id of the call, and that version decides', async () => {
  const world = await newWorld();
  await change(world, { rejectWithheldNumbers: true });
  await split(world, half);
  const findId = (version: number) =>
    Array.from({ length: 100 }, (_, n) => `call-${n}`).find((id) => chooseVersion(world.agentId, id, half) === version);
  for (let n = 0; n < 3; n++) {
    expect(await start(world, { callId: findId(1) })).toMatchObject({ decision: 'accept', version: 1 });
    expect(await start(world, { callId: findId(2) })).toMatchObject({ cause: 'withheld_number', version: 2 });
  }
  const versions = await Promise.all(Array.from({ length: 24 }, async () => (await start(world)).version));
  expect([...new Set(versions)].sort()).toEqual([1, 2]);
});

it('the traffic of an agent is split for guests, and for calls that find their agent by the number', async () => {
  const world = await newWorld();
  const guest = await newGuest(world);
  await world.call('PATCH', formPath(world), { body: { name: 'Desk', phoneNumber: '+14155550177' } });
  await split(world, half);
  const from = findNumber(world, 1);
  expect(await start(world, { uid: guest.uid, from }, guest.apiKey)).toMatchObject({ version: 1 });
  expect(await start(world, { agentId: undefined, from, to: '+14155550177' })).toMatchObject({ version: 1 });
});

it('a hook gives the platform the variables of the version that the caller gets, and its number', async () => {
  const world = await newWorld();
  await change(world, { variables: { offer: 'new', agent_version: 'mine' } });
  await split(world, half);
  const { uid, agentId } = world;
  for (const version of [1, 2]) {
    const call_inbound = { from_number: findNumber(world, version), to_number: '+14155550178' };
    const { body } = await world.call('POST', '/hooks/retell', {
      ...{ query: { uid, agentId }, body: { event: 'call_inbound', call_inbound } },
    });
    expect(body.call_inbound.dynamic_variables).toMatchObject({ agent_version: String(version) });
    expect(body.call_inbound.dynamic_variables.offer).toBe(version === 1 ? undefined : 'new');
  }
});

it.each([
  ['1: 99', 400],
  ['1: 0, 2: 100', 400],
  ['1: 50.5, 2: 49.5', 400],
  ['1: 50, 1: 50', 400],
  ['1: 95, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1', 400],
  ['1: 50, 3: 50', 404],
])('the traffic of an agent is not changed by the split %s: %d', async (written, status) => {
  const shares = written.split(', ').map((share) => {
    const [version, percent] = share.split(': ').map(Number);
    return { version, percent };
  });
  const world = await newWorld();
  await change(world, { greeting: 'Hello' });
  await split(world, half);
  const refused = await split(world, shares);
  expect([refused.status, refused.body.error]).toEqual([
    status,
    status === 404 ? 'version_not_found' : 'invalid_request',
  ]);
  expect((await world.call('GET', formPath(world))).body.split).toEqual(half);
});

it('the traffic of an agent can be split among large configurations that no item could hold together', async () => {
  const world = await newWorld();
  const shares: Share[] = [];
  for (let n = 2; n <= 5; n++) {
    const big = randomBytes(150 * 1024)
      .toString('base64')
      .slice(0, limits.configurationBytes - 60);
    await change(world, { big, variables: { n } });
    shares.push({ version: n, percent: 25 });
  }
  expect((await split(world, shares)).status).toBe(200);
  for (const { version } of shares) {
    const from = findNumber(world, version, shares);
    const started = await start(world, { from, include: ['variables', 'agent'] });
    expect([started.version, started.variables.n]).toEqual([version, version]);
    expect(started.agent.configuration.big.length).toBe(limits.configurationBytes - 60);
  }
});

it('a version that gets traffic is kept beyond the newest 200 until it gets none', { tags: 'heavy' }, async () => {
  const world = await newWorld();
  await change(world, { greeting: 'Hello' });
  await split(world, half);
  for (let n = 3; n <= 205; n++) {
    await agentChanges.get().change(world.uid, world.agentId, (agent) => ({ ...agent, name: `Agent ${n}` }));
  }
  const readStatus = async (version: number) =>
    (await world.call('GET', `${formPath(world)}/versions/${version}`, { query: { uid: world.uid } })).status;
  expect([await readStatus(1), await readStatus(2), await readStatus(3)]).toEqual([200, 200, 404]);
  expect((await split(world, [{ version: 2, percent: 100 }])).status).toBe(200);
  expect([await readStatus(1), await readStatus(2)]).toEqual([404, 200]);
  expect((await split(world, half)).status).toBe(404);
  await split(world, []);
  expect(await readStatus(2)).toBe(404);
});

it('a call has the version that its platform sends back, or that was recorded with it', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const times = { startedAt: '2026-03-01T10:00:00.000Z', endedAt: '2026-03-01T10:01:00.000Z' };
  const send = (platform: string, body: object) =>
    world.call('POST', `/hooks/${platform}`, { query: { uid, agentId }, body });
  const overrides = { assistantOverrides: { variableValues: { agent_version: '3' } } };
  await send('vapi', { message: { type: 'end-of-call-report', ...times, call: { id: 'v1', ...overrides } } });
  const artifact = { variableValues: { agent_version: 4 } };
  await send('vapi', { message: { type: 'end-of-call-report', ...times, call: { id: 'v2' }, artifact } });
  const variables = { retell_llm_dynamic_variables: { agent_version: '5' } };
  await send('retell', { event: 'call_ended', call: { call_id: 'r1', agent_version: 99, ...variables } });
  // An event without the variables does not remove those of an earlier one.
  await send('retell', { event: 'call_analyzed', call: { call_id: 'r1', agent_version: 99 } });
  const client = { conversation_initiation_client_data: { dynamic_variables: { agent_version: '6' } } };
  await send('elevenlabs', { type: 'post_call_transcription', data: { conversation_id: 'e1', ...client } });
  const wrong = { retell_llm_dynamic_variables: { agent_version: 'x' } };
  await send('retell', { event: 'call_ended', call: { call_id: 'r2', ...wrong } });
  await world.recordCall('own', { agentVersion: 7 });
  const versions = await Promise.all(
    ['vapi:v1', 'vapi:v2', 'retell:r1', 'elevenlabs:e1', 'retell:r2', 'own'].map(
      async (id) => (await world.call('GET', `/calls/${agentId}/${id}`)).body.agentVersion,
    ),
  );
  expect(versions).toEqual([3, 4, 5, 6, undefined, 7]);
  expect((await world.recordCall('own', { agentVersion: 0 })).status).toBe(400);
});
