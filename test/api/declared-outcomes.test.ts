import { describe, expect, it } from 'vitest';
import { newFile, operator } from '../support/operator-command.ts';
import { type Finding, findings, send } from '../support/voice-platforms.ts';
import { listening } from '../support/webhook-events.ts';
import { newGuest, newWorld, type World } from '../support/world.ts';

const configure = (world: World, configuration: object) =>
  world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });
const get = async ({ call, agentId }: World, callId: string) => (await call('GET', `/calls/${agentId}/${callId}`)).body;
const set = ({ call, agentId }: World, callId: string, body: object) =>
  call('PATCH', `/calls/${agentId}/${callId}`, { body });

/** Every way in which somebody sets the outcome of a call. */
const waysToSet: Record<string, (world: World, callId: string, custom_call_outcome: string) => Promise<unknown>> = {
  'PATCH /calls': (world, callId, custom_call_outcome) => set(world, callId, { custom_call_outcome }),
  'POST /call-outcomes': ({ call, agentId }, callIdOrPhone, custom_call_outcome) =>
    call('POST', '/call-outcomes', { body: { items: [{ agentId, callIdOrPhone, custom_call_outcome }] } }),
  async 'POST /calls'(world, callId, custom_call_outcome) {
    const { agentId, phone, direction, startedAt } = await get(world, callId);
    const item = { agentId, callId, phone, direction, startedAt, custom_call_outcome };
    return world.call('POST', '/calls', { body: { items: [item] } });
  },
  'a tool of an AI client': ({ call, agentId }, callIdOrPhone, custom_call_outcome) =>
    call('POST', '/mcp', {
      body: {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'updateCallOutcome', arguments: { agentId, callIdOrPhone, custom_call_outcome } },
      },
    }),
  async 'the operator’s calls import'(world, callId, custom_call_outcome) {
    const { agentId, phone, direction, startedAt } = await get(world, callId);
    const line = JSON.stringify({ agentId, callId, phone, direction, startedAt, custom_call_outcome });
    return operator('calls', 'import', newFile(`${line}\n`));
  },
};

const platforms = Object.keys(findings);

const found = async (world: World, platform: string, id: string, fields: Finding['fields'], callerTexts?: string[]) => {
  const body = findings[platform]?.({ id, fields, callerTexts, seconds: 60 }) ?? {};
  expect((await send(world, platform, { body })).status).toBe(200);
  return get(world, `${platform}:${id}`);
};

const makeNumber = (index: number) => `+1415555010${index}`;

describe('every way to set an outcome, and what blocks', () => {
  const configurations: [string, object, { set: boolean; found: boolean }][] = [
    ['blockOnOutcomes', { blockOnOutcomes: ['DO_NOT_CALL'] }, { set: true, found: false }],
    ['found', { outcomes: [{ name: 'Do not call', blocks: 'found' }] }, { set: true, found: true }],
  ];
  const check = async (_: string, configuration: object, expected: { set: boolean; found: boolean }) => {
    const world = await newWorld();
    expect((await configure(world, configuration)).status).toBe(200);
    const ways = Object.entries(waysToSet);
    for (const [index, [, way]] of ways.entries()) {
      await world.recordCall(`c${index}`, { phone: makeNumber(index) });
      await way(world, `c${index}`, 'do_not_call');
    }
    for (const [index, platform] of platforms.entries()) {
      const fields = { custom_call_outcome: 'do_not_call' };
      const body = findings[platform]?.({ id: 'f', number: makeNumber(ways.length + index), fields }) ?? {};
      await send(world, platform, { body });
    }
    const label = 'outcomes' in configuration ? 'Do not call' : 'do_not_call';
    const ids = [...ways.map((_, index) => `c${index}`), ...platforms.map((platform) => `${platform}:f`)];
    const stored = await Promise.all(ids.map(async (id) => (await get(world, id)).custom_call_outcome));
    expect(stored).toEqual(ids.map(() => label));
    const { entries } = (await world.call('GET', '/block-list', { query: { uid: world.uid } })).body;
    const blocked = ids.flatMap((id, index) =>
      (id.includes(':') ? expected.found : expected.set) ? [[makeNumber(index), label]] : [],
    );
    expect(entries.map(({ number, reason }: { number: string; reason: string }) => [number, reason])).toEqual(blocked);
  };
  it.each(configurations)('%s', check);
});

it('an outcome that is not declared is refused in every way, and nothing of it is recorded', async () => {
  const world = await newWorld();
  const { agentId } = world;
  await configure(world, { outcomes: [{ name: 'sold', value: 10 }, { name: 'lost' }] });
  await world.recordCall('a');
  const before = await get(world, 'a');
  const body = { custom_call_outcome: 'slod', custom_call_outcome_value: 5 };
  const refused = await set(world, 'a', body);
  expect([refused.status, refused.body]).toEqual([
    400,
    {
      error: 'unknown_outcome',
      message: 'The agent declares no such outcome, only "sold", "lost".',
      details: [{ path: 'custom_call_outcome', message: 'must be one of "sold", "lost"' }],
    },
  ]);
  expect((await set(world, 'a', { custom_call_outcome: '' })).body.error).toBe('unknown_outcome');

  const failed = { error: 'unknown_outcome', message: expect.stringContaining('"sold"') };
  const bulk = await world.call('POST', '/call-outcomes', {
    body: {
      items: [
        { agentId, callIdOrPhone: 'a', ...body },
        { agentId, callIdOrPhone: 'a' },
      ],
    },
  });
  expect(bulk.body).toEqual({ updated: [expect.objectContaining({ index: 1 })], failed: [{ index: 0, ...failed }] });
  const facts = { agentId, direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
  const calls = await world.call('POST', '/calls', {
    body: {
      items: [
        { ...facts, callId: 'b', ...body },
        { ...facts, callId: 'c', custom_call_outcome: 'SOLD' },
      ],
    },
  });
  expect(calls.body).toEqual({ recorded: [{ index: 1, callId: 'c' }], failed: [{ index: 0, ...failed }] });
  expect((await world.call('GET', `/calls/${agentId}/b`)).status).toBe(404);
  expect(await get(world, 'c')).toMatchObject({ custom_call_outcome: 'sold', custom_call_outcome_value: 10 });

  const line = JSON.stringify({ ...facts, callId: 'd', ...body });
  const imported = await operator('calls', 'import', newFile(`${line}\n`));
  expect(imported.stderr).toContain('The agent declares no such outcome, only "sold", "lost".');
  expect((await world.call('GET', `/calls/${agentId}/d`)).status).toBe(404);
  expect(await get(world, 'a')).toEqual(before);
});

it('the list of the newest version holds, for copies and guests, and a restored version brings its list back', async () => {
  const world = await newWorld();
  const { agentId, uid } = world;
  const guest = await newGuest(world);
  await world.recordCall('a');
  await configure(world, { outcomes: [{ name: 'sold' }] });
  const change = { body: { custom_call_outcome: 'lost' } };
  const path = `/calls/${agentId}/a`;
  expect((await world.call('PATCH', path, { ...change, apiKey: guest.apiKey })).status).toBe(400);
  const copy = (await world.call('POST', '/duplicate-agent', { body: { uid, agentId } })).body.agentId;
  const facts = { direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
  await world.call('PUT', `/calls/${copy}/a`, { body: facts });
  expect((await world.call('PATCH', `/calls/${copy}/a`, change)).status).toBe(400);
  await configure(world, { outcomes: null });
  expect((await world.call('PATCH', path, change)).status).toBe(200);
  await world.call('POST', `/agents/${agentId}/restore`, { body: { uid, version: 2 } });
  expect((await world.call('PATCH', path, change)).status).toBe(400);
  await configure(world, { outcomes: [] });
  expect((await world.call('PATCH', path, change)).body.error).toBe('unknown_outcome');
  expect((await set(world, 'a', { custom_call_outcome: null })).status).toBe(200);
});

it('the list of an agent is checked when it is written', async () => {
  const world = await newWorld();
  const names = (...all: string[]) => all.map((name) => ({ name }));
  const fifty = names(...Array.from({ length: 50 }, (_, n) => `${'x'.repeat(250)} ${n}`));
  const value = { name: 'sold', value: 1.5, blocks: 'found', found: { minSeconds: 0.5, minCallerWords: 0 } };
  for (const outcomes of [[], names('a'), [value], fifty, null])
    expect((await configure(world, { outcomes })).status).toBe(200);
  const bad: [unknown, string][] = [
    [names('a', 'b', 'A'), 'configuration.outcomes.2.name'],
    [names('do_not_call', 'Do Not-Call'), 'configuration.outcomes.1.name'],
    [names('cafe\u0301', 'CAFÉ'), 'configuration.outcomes.1.name'],
    [names('- _'), 'configuration.outcomes.0.name'],
    [[{ name: 'a', block: 'set' }], 'configuration.outcomes.0'],
    [[{ name: 'a', found: { minWords: 1 } }], 'configuration.outcomes.0.found'],
  ];
  for (const [outcomes, path] of bad) {
    const { status, body } = await configure(world, { outcomes });
    expect([status, body.details?.[0].path], JSON.stringify(outcomes).slice(0, 80)).toEqual([400, path]);
  }
  const created = { uid: world.uid, name: 'New', configuration: { outcomes: names('a', 'A') } };
  expect((await world.call('POST', '/agents', { body: created })).status).toBe(400);
});

describe.each(platforms)('outcomes that %s finds', (platform) => {
  const outcomes = [{ name: 'booked', value: 99, found: { minSeconds: 10, minCallerWords: 4 } }];
  const metadata = { custom_call_metadata: { seats: 2 } };

  it(`${platform}: an outcome is held without the words of the caller, until somebody decides or they are there`, async () => {
    const world = await newWorld();
    await configure(world, { outcomes });
    const fields = { custom_call_outcome: 'Booked', ...metadata };
    const heldOutcome = { custom_call_outcome: 'booked', ...metadata, causes: ['too_few_words'] };
    for (const said of [undefined, [], ['Hello?', 'Hi']]) {
      const held = await found(world, platform, 'a', fields, said);
      expect(held).toMatchObject({ heldOutcome });
      expect(held).not.toHaveProperty('custom_call_outcome');
    }
    await found(world, platform, 'b', fields);
    await found(world, platform, 'c', fields);
    await world.recordCall('d');
    const heldCalls = async (held: boolean) =>
      (await world.call('GET', `/calls/${world.agentId}`, { query: { held: String(held) } })).body.calls
        .map(({ callId }: { callId: string }) => callId)
        .sort();
    expect(await heldCalls(true)).toEqual(['a', 'b', 'c'].map((id) => `${platform}:${id}`));
    expect(await heldCalls(false)).toEqual(['d']);

    const booked = await found(world, platform, 'a', fields, ['Yes, please book me.']);
    expect(booked).toMatchObject({ custom_call_outcome: 'booked', custom_call_outcome_value: 99, ...metadata });
    expect(booked).not.toHaveProperty('heldOutcome');
    await set(world, `${platform}:b`, { custom_call_outcome: null });
    await set(world, `${platform}:c`, { custom_call_outcome: 'BOOKED' });
    const decided = await get(world, `${platform}:c`);
    expect(decided).toMatchObject({ custom_call_outcome: 'booked', custom_call_outcome_value: 99 });
    expect(await heldCalls(true)).toEqual([]);
    for (const said of [undefined, ['Yes, please book me.']]) {
      expect(await found(world, platform, 'b', fields, said)).not.toHaveProperty('custom_call_outcome');
      expect(await found(world, platform, 'c', fields, said)).toEqual(decided);
    }
    expect(await heldCalls(true)).toEqual([]);
  });

  it(`${platform}: an outcome that is not declared is in the details of the call, also a sentence`, async () => {
    const world = await newWorld();
    await configure(world, { outcomes });
    const sentence = 'The customer did not say anything. '.repeat(20);
    for (const [id, label] of Object.entries({ a: 'interested', b: sentence })) {
      const call = await found(world, platform, id, { custom_call_outcome: label, custom_call_outcome_value: 5 });
      expect(call.details.refusedOutcome).toBe(label.slice(0, 256));
      expect(Object.keys(call).filter((name) => /outcome/i.test(name))).toEqual([]);
    }
  });
});

it('outcomes that are held or refused have one event each, and an outcome that is set has its own', async () => {
  const world = await listening({ events: ['call.*'], countsRequests: false });
  await configure(world, { outcomes: [{ name: 'booked', found: { minCallerWords: 4 } }] });
  const { uid, agentId } = world;
  await found(world, 'vapi', 'a', { custom_call_outcome: 'booked', custom_call_metadata: { seats: 2 } });
  await found(world, 'vapi', 'a', { custom_call_outcome: 'booked', custom_call_metadata: { seats: 2 } });
  await found(world, 'vapi', 'b', { custom_call_outcome: 'interested' });
  await found(world, 'vapi', 'b', { custom_call_outcome: 'interested' });
  const [held] = await world.until('call.outcome_held');
  expect(held?.data).toMatchObject({
    ...{ uid, agent_id: agentId, call_id: 'vapi:a', phone: '+14155550100' },
    heldOutcome: { custom_call_outcome: 'booked', custom_call_metadata: { seats: 2 }, causes: ['too_few_words'] },
  });
  expect(held?.data).not.toHaveProperty('custom_call_outcome');
  const [refused] = await world.until('call.outcome_refused');
  expect(refused?.data).toMatchObject({ call_id: 'vapi:b', refusedOutcome: 'interested' });
  // The words of a caller in the same place are no refusal of the service, nor does a later change repeat one.
  const own = { direction: 'inbound', startedAt: '2026-03-01T10:00:00Z', details: { refusedOutcome: 'mine' } };
  await world.call('PUT', `/calls/${agentId}/c`, { body: own });
  await world.call('POST', '/calls', { body: { items: [{ agentId, callId: 'e', ...own }] } });
  await set(world, 'vapi:b', { custom_call_metadata: { reviewed: true } });
  await set(world, 'vapi:a', { custom_call_outcome: null });
  const updated = await world.until('call.outcome_updated', 2);
  expect(updated.map(({ data }) => data.call_id).sort()).toEqual(['vapi:a', 'vapi:b']);
  // A caller had set the refused label before: the event is sent all the same. Another PUT does not send it again.
  for (let n = 0; n < 2; n++) {
    const body = { ...own, details: { refusedOutcome: 'interested' } };
    await world.call('PUT', `/calls/${agentId}/vapi:f`, { body });
    await found(world, 'vapi', 'f', { custom_call_outcome: 'interested' });
  }
  const large = { notes: 'x'.repeat(20_000) };
  await found(world, 'vapi', 'd', { custom_call_outcome: 'booked', custom_call_metadata: large });
  const events = await world.until('call.outcome_held', 2);
  const ofLarge = events.find(({ data }) => data.call_id === 'vapi:d');
  expect(ofLarge?.data).toMatchObject({ truncated: true });
  expect(ofLarge?.data.heldOutcome).toEqual({ custom_call_outcome: 'booked', causes: ['too_few_words'] });
  const counts = Object.groupBy(await world.all(), ({ type, data }) => `${type} ${data.call_id}`);
  expect(Object.fromEntries(Object.entries(counts).map(([name, all]) => [name, all?.length]))).toEqual({
    ...{ 'call.recorded vapi:a': 1, 'call.outcome_held vapi:a': 1, 'call.outcome_updated vapi:a': 1 },
    ...{ 'call.recorded vapi:b': 1, 'call.outcome_refused vapi:b': 1, 'call.outcome_updated vapi:b': 1 },
    ...{ 'call.recorded vapi:f': 4, 'call.outcome_refused vapi:f': 1 },
    ...{ 'call.recorded c': 1, 'call.recorded e': 1, 'call.recorded vapi:d': 1, 'call.outcome_held vapi:d': 1 },
  });
});
