import { describe, expect, it } from 'vitest';
import { limits } from '../../functions/domain/limits.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { putAgents } from '../support/many-agents.ts';
import { newUser, newWorld, type World } from '../support/world.ts';

const phone = '+14155550100';
const patch = (world: World, call: string, body: unknown, query: Record<string, string> = {}) =>
  world.call('PATCH', `/calls/${world.agentId}/${call}`, { body, query });
const get = async (world: World, call: string) => (await world.call('GET', `/calls/${world.agentId}/${call}`)).body;

describe.concurrent('recording a call', () => {
  it('a recorded call keeps its facts, in UTC, and recording it again changes nothing', async () => {
    const world = await newWorld();
    const facts = {
      phone: '+1 415 555 0100',
      agentPhone: '+1 (415) 555-0123',
      startedAt: '2026-03-01T12:00:00+02:00',
      durationSeconds: 12.5,
      status: 'completed',
    };
    const first = await world.recordCall('call-1', facts);
    expect(first.body).toEqual({
      callId: 'call-1',
      agentId: world.agentId,
      phone,
      agentPhone: '+14155550123',
      direction: 'inbound',
      startedAt: '2026-03-01T10:00:00.000Z',
      durationSeconds: 12.5,
      status: 'completed',
    });
    expect((await world.recordCall('call-1', facts)).body).toEqual(first.body);
    expect((await world.call('GET', `/calls/${world.agentId}`)).body.calls).toEqual([first.body]);
  });

  it('recording a call again corrects it wherever it is found, and keeps its outcome', async () => {
    const world = await newWorld();
    await world.recordCall('call-1', { durationSeconds: 5 });
    await patch(world, 'call-1', { custom_call_outcome: 'booked' });
    await world.recordCall('call-1', { phone: '+14155550199', startedAt: '2026-04-01T10:00:00Z' });
    const corrected = await get(world, 'call-1');
    expect(corrected).toMatchObject({ phone: '+14155550199', custom_call_outcome: 'booked' });
    expect(corrected).not.toHaveProperty('durationSeconds');
    expect((await world.call('GET', `/calls/${world.agentId}/${phone}`)).status).toBe(404);
    expect(await get(world, '+14155550199')).toEqual(corrected);
    expect((await world.call('GET', `/calls/${world.agentId}`)).body.calls).toEqual([corrected]);
  });

  it('a call with a withheld number is found only by its id and in the list, and accepts an outcome', async () => {
    const world = await newWorld();
    const recorded = await world.recordCall('call-1', { phone: null });
    expect([recorded.status, 'phone' in recorded.body]).toEqual([200, false]);
    expect((await world.recordCall('call-1', { phone: undefined })).body).toEqual(recorded.body);
    const anonymous = await world.recordCall('call-1', { phone: 'anonymous' });
    expect(anonymous.body.message).toMatch(/^phone: must be .* E\.164 .* or null if it was withheld$/);
    expect((await world.call('GET', `/calls/${world.agentId}`)).body.calls).toEqual([recorded.body]);
    const answer = await patch(world, 'call-1', { custom_call_outcome: 'booked' });
    expect(answer.body).toMatchObject({ call_id: 'call-1', phone: null });
    const items = [{ agentId: world.agentId, callIdOrPhone: 'call-1', custom_call_outcome: 'won' }];
    const { body } = await world.call('POST', '/call-outcomes', { body: { items } });
    expect(body.updated).toMatchObject([{ call_id: 'call-1', phone: null }]);

    // A number that is known later, and one that is withheld again.
    expect((await world.recordCall('call-1', { phone })).body).toMatchObject({ phone, custom_call_outcome: 'won' });
    expect((await get(world, phone)).callId).toBe('call-1');
    await world.recordCall('call-1', { phone: null });
    expect((await world.call('GET', `/calls/${world.agentId}/${phone}`)).status).toBe(404);
    expect(await get(world, 'call-1')).not.toHaveProperty('phone');
  });

  it('a call returns its details exactly, and rejects those that are too large, too deep, or no object', async () => {
    const world = await newWorld();
    const raw =
      '{"recordingUrl":"https://example.com/1.mp3","cost":1.50,"turns":[{"__proto__":null}],"id":12345678901234567890}';
    const path = `/calls/${world.agentId}/call-1`;
    const facts = `"phone":"${phone}","direction":"inbound","startedAt":"2026-03-01T10:00:00Z"`;
    expect((await world.call('PUT', path, { body: `{${facts},"details":${raw}}` })).status).toBe(200);
    await patch(world, 'call-1', { custom_call_outcome: 'booked' });
    expect((await world.call('GET', path)).text).toContain(`"details":${raw}`);
    expect((await world.call('GET', `/calls/${world.agentId}`)).text).toContain(`"details":${raw}`);
    await world.recordCall('call-1');
    expect(await get(world, 'call-1')).not.toHaveProperty('details');
    const deep = { 1: { 2: { 3: { 4: { 5: { 6: { 7: { 8: { 9: { 10: {} } } } } } } } } } };
    for (const details of [[], 'x', null, { x: 'x'.repeat(50 * 1024) }, deep]) {
      const answer = await world.recordCall('call-1', { details });
      expect([answer.status, answer.body.details?.[0].path]).toEqual([400, 'details']);
    }
  });

  it('recording a call rejects a phone number as an id, malformed ids, and invalid facts', async () => {
    const world = await newWorld();
    for (const id of ['+14155550100', '%2B14155550100', '%2014155550100', 'a%20b', 'x'.repeat(129)]) {
      expect((await world.recordCall(id)).status, id).toBe(400);
    }
    // API Gateway decodes the path before it looks for a route: this is one of three parts, and has none.
    expect((await world.recordCall('a%2Fb')).status).toBe(404);
    for (const facts of [
      { phone: '415' },
      { startedAt: '2026-03-01T10:00:00' },
      { durationSeconds: 1e-200 },
      // In UTC these lie before the year 0 and after the year 9999, where text order is no longer time order.
      { startedAt: '0000-01-01T00:00:00+00:01' },
      { startedAt: '9999-12-31T23:59:59-00:01' },
    ]) {
      const answer = await world.recordCall('call-1', facts);
      expect([answer.status, answer.body.details?.[0].path], JSON.stringify(facts)).toEqual([
        400,
        Object.keys(facts)[0],
      ]);
    }
  });
});

describe.concurrent('setting an outcome', () => {
  it('setting an outcome sets the fields sent and reports them in the order of the contract', async () => {
    const world = await newWorld();
    await world.recordCall('call-1');
    const body = { custom_call_metadata: { a: 1 }, custom_call_outcome_value: 1e300, custom_call_outcome: 'booked' };
    const answer = await patch(world, 'call-1', body);
    expect(answer.body).toEqual({
      success: true,
      call_id: 'call-1',
      agent_id: world.agentId,
      phone,
      preference: 'last',
      updated_fields: ['custom_call_outcome', 'custom_call_outcome_value', 'custom_call_metadata'],
    });
    expect(await get(world, 'call-1')).toMatchObject(body);
  });

  it('setting an outcome is partial: an absent field stays, null clears one, and an empty body changes nothing', async () => {
    const world = await newWorld();
    await world.recordCall('call-1');
    const before = await get(world, 'call-1');
    expect((await patch(world, 'call-1', {})).body.updated_fields).toEqual([]);
    expect(await get(world, 'call-1')).toEqual(before);
    await patch(world, 'call-1', { custom_call_outcome: 'a', custom_call_outcome_value: 0 });
    await patch(world, 'call-1', { custom_call_outcome: null });
    const after = await get(world, 'call-1');
    expect(after).not.toHaveProperty('custom_call_outcome');
    expect(after.custom_call_outcome_value).toBe(0);
  });

  it('setting an outcome by number finds the first or the last call, ties by id, even one recorded a moment ago', async () => {
    const world = await newWorld();
    const times = {
      b: '2026-03-02T00:00:00Z',
      a: '2026-03-01T00:00:00Z',
      d: '2026-03-03T00:00:00Z',
      c: '2026-03-03T00:00:00Z',
    };
    for (const [id, startedAt] of Object.entries(times)) await world.recordCall(id, { startedAt });
    const named = async (spelling: string, query: Record<string, string> = {}) =>
      (await patch(world, spelling, { custom_call_outcome: 'x' }, query)).body;
    expect((await named(phone, { preference: 'first' })).call_id).toBe('a');
    for (const spelling of [phone, '%2B14155550100', '%2014155550100']) {
      expect(await named(spelling)).toMatchObject({ call_id: 'd', preference: 'last' });
    }
    await world.recordCall('e', { startedAt: '2026-03-04T00:00:00Z' });
    expect((await named(phone)).call_id).toBe('e');
    expect((await named(phone, { preference: 'first' })).preference).toBe('first');
  });

  it('setting an outcome says that bare digits need their plus, and reports a missing call', async () => {
    const world = await newWorld();
    const digits = await patch(world, '14155550100', {});
    expect([digits.status, digits.body.error]).toEqual([404, 'call_not_found']);
    expect(digits.body.message).toContain('+');
    for (const missing of ['nope', '+14155550111', 'a%20b', 'x'.repeat(500)]) {
      expect((await patch(world, missing, {})).body.error, missing).toBe('call_not_found');
    }
  });

  it('setting an outcome merges metadata by top-level key on request, within the limits of one document', async () => {
    const world = await newWorld();
    await world.recordCall('call-1');
    await patch(world, 'call-1', { custom_call_metadata: { a: { x: 1 }, b: 1 } });
    await patch(world, 'call-1', { custom_call_metadata: { a: { y: 2 }, c: 3 } }, { metadataMode: 'merge' });
    expect((await get(world, 'call-1')).custom_call_metadata).toEqual({ a: { y: 2 }, b: 1, c: 3 });
    const half = 'x'.repeat(30 * 1024);
    expect(
      (await patch(world, 'call-1', { custom_call_metadata: { d: half } }, { metadataMode: 'merge' })).status,
    ).toBe(200);
    const over = await patch(world, 'call-1', { custom_call_metadata: { e: half } }, { metadataMode: 'merge' });
    expect([over.status, over.body.details[0].path]).toEqual([400, 'custom_call_metadata']);
    expect((await patch(world, 'call-1', {}, { metadataMode: 'mix' })).status).toBe(400);
  });

  it('an outcome returns its metadata as it was written: any key, and numbers that are no doubles', async () => {
    const world = await newWorld();
    await world.recordCall('call-1');
    const path = `/calls/${world.agentId}/call-1`;
    const sent = async (method: string, to: string, body: string) => {
      expect((await world.call(method, to, { body })).status, body).toBe(200);
      return (await world.call('GET', path)).text.match(/"custom_call_metadata":(.*),"outcomeUpdatedAt"/)?.[1];
    };
    const raw =
      '{"id":12345678901234567890,"deep":[{"less":-0,"more":[1e400,0.30000000000000000001]}],"own":{"toJSON":5},"plain":1.50e2,"constructor":null,"":[],"lone":"\\ud800"}';
    expect(await sent('PATCH', path, `{"custom_call_metadata":${raw}}`)).toBe(raw);
    const merge = `{"custom_call_metadata":{"deep":-1e-400,"__proto__":98765432109876543210}}`;
    const merged = raw.replace(/\[\{.*\}\]/, '-1e-400').replace(/}$/, ',"__proto__":98765432109876543210}');
    expect(await sent('PATCH', `${path}?metadataMode=merge`, merge)).toBe(merged);
    const item = `{"agentId":"${world.agentId}","callIdOrPhone":"call-1","custom_call_metadata":${raw}}`;
    expect(await sent('POST', '/call-outcomes', `{"items":[${item}]}`)).toBe(raw);
  });

  it('a change of an outcome is kept with its key, its fields and their values', async () => {
    const world = await newWorld();
    await world.recordCall('call-1');
    await patch(world, 'call-1', { custom_call_outcome: 'booked', custom_call_metadata: { campaign: 'spring' } });
    await patch(world, 'call-1', { custom_call_outcome: null });
    const made = { at: expect.any(String), keyId: world.keyId, keyName: 'test' };
    expect((await get(world, 'call-1')).outcomeHistory).toEqual([
      { ...made, fields: ['custom_call_outcome', 'custom_call_metadata'], custom_call_outcome: 'booked' },
      { ...made, fields: ['custom_call_outcome'], custom_call_outcome: null },
    ]);
  });
});

describe.concurrent('listing calls', () => {
  it('calls are listed newest first, all or those of a number, page by page', async () => {
    const world = await newWorld();
    const day = (n: number) => `2026-03-${String(n + 1).padStart(2, '0')}T00:00:00Z`;
    for (let n = 0; n < 7; n++)
      await world.recordCall(`c${n}`, { startedAt: day(n), phone: n % 2 ? '+14155550199' : phone });
    const ids = (body: { calls: { callId: string }[] }) => body.calls.map(({ callId }) => callId);
    const list = async (query: Record<string, string | number> = {}) =>
      (await world.call('GET', `/calls/${world.agentId}`, { query })).body;
    expect(ids(await list())).toEqual(['c6', 'c5', 'c4', 'c3', 'c2', 'c1', 'c0']);
    expect(ids(await list({ phone: '+14155550199' }))).toEqual(['c5', 'c3', 'c1']);
    for (const spelling of [' 14155550199', ' +1 415 555 0199', '  1-415-555-0199'])
      expect(ids(await list({ phone: spelling })), spelling).toEqual(['c5', 'c3', 'c1']);
    const first = await list({ limit: 3 });
    expect(ids(first)).toEqual(['c6', 'c5', 'c4']);
    const second = await list({ limit: 4, cursor: first.nextCursor });
    expect(ids(second)).toEqual(['c3', 'c2', 'c1', 'c0']);
    expect(second).not.toHaveProperty('nextCursor');
    expect((await world.call('GET', `/calls/${world.agentId}`, { query: { phone: 'x' } })).status).toBe(400);
  });

  it('a list of calls has those that match every filter', async () => {
    const world = await newWorld();
    const day = (n: number) => `2026-03-0${n}T00:00:00Z`;
    const facts = [
      { direction: 'inbound', status: 'completed' },
      { direction: 'outbound', status: 'completed' },
      { direction: 'inbound', status: 'busy', phone: '+14155550199' },
      { direction: 'outbound', status: 'busy' },
      { direction: 'inbound', status: 'completed' },
    ];
    for (const [n, more] of facts.entries()) await world.recordCall(`c${n + 1}`, { startedAt: day(n + 1), ...more });
    await patch(world, 'c1', { custom_call_outcome: 'won' });
    await patch(world, 'c2', { custom_call_outcome: 'lost' });
    await patch(world, 'c3', { custom_call_outcome_value: 5 });
    const list = (query: Record<string, string | number>) => world.call('GET', `/calls/${world.agentId}`, { query });
    const ids = async (query: Record<string, string | number>) =>
      (await list(query)).body.calls.map(({ callId }: { callId: string }) => callId).join();
    expect(await ids({ from: day(2), to: day(4) })).toBe('c3,c2');
    expect(await ids({ from: '2026-03-04T01:00:00+01:00' })).toBe('c5,c4');
    expect(await ids({ to: day(2) })).toBe('c1');
    expect(await ids({ from: day(4), to: day(2) })).toBe('');
    expect(await ids({ from: day(3), to: day(3) })).toBe('');
    expect(await ids({ direction: 'outbound' })).toBe('c4,c2');
    expect(await ids({ status: 'busy' })).toBe('c4,c3');
    expect(await ids({ status: 'Busy' })).toBe('c4,c3');
    expect(await ids({ outcome: 'WON' })).toBe('c1');
    expect(await ids({ hasOutcome: 'true' })).toBe('c2,c1');
    expect(await ids({ hasOutcome: 'false' })).toBe('c5,c4,c3');
    // Programs in Python write booleans so.
    expect(await ids({ hasOutcome: 'True' })).toBe('c2,c1');
    expect(await ids({ hasOutcome: 'False' })).toBe('c5,c4,c3');
    // The first page of a program that sends every parameter.
    expect(await ids({ hasOutcome: 'true', cursor: '', limit: '' })).toBe('c2,c1');
    expect(await ids({ phone, direction: 'inbound', hasOutcome: 'false', from: day(2) })).toBe('c5');
    for (const [name, value] of [
      ['from', 'yesterday'],
      ['direction', 'sideways'],
      ['hasOutcome', 'yes'],
    ] as const) {
      expect((await list({ [name]: value })).status, name).toBe(400);
    }
  });

  it('a filtered list of calls has each match once, page by page, and a cursor is valid only for its filters', async () => {
    const world = await newWorld();
    for (let n = 0; n < 9; n++) {
      await world.recordCall(`c${n}`, {
        startedAt: `2026-03-0${n + 1}T00:00:00Z`,
        status: n % 3 ? 'busy' : 'completed',
      });
    }
    const list = (query: Record<string, string | number>) => world.call('GET', `/calls/${world.agentId}`, { query });
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await list({
        status: 'busy',
        limit: 2,
        from: '2026-03-02T00:00:00Z',
        ...(cursor && { cursor }),
      });
      expect(body.calls.length).toBeLessThanOrEqual(2);
      seen.push(...body.calls.map(({ callId }: { callId: string }) => callId));
      cursor = body.nextCursor ?? '';
    } while (cursor);
    expect(seen).toEqual(['c8', 'c7', 'c5', 'c4', 'c2', 'c1']);
    const { nextCursor } = (await list({ limit: 2 })).body;
    expect((await list({ limit: 2, cursor: nextCursor, to: '2026-03-02T00:00:00Z' })).status).toBe(400);
    expect((await list({ limit: 2, cursor: nextCursor })).status).toBe(200);
  });
});

describe.concurrent('listing the calls of all agents', () => {
  const create = async (world: World) =>
    (await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Second' } })).body.agentId as string;
  const record = (world: World, agentId: string, callId: string, startedAt: string) =>
    world.call('PUT', `/calls/${agentId}/${callId}`, { body: { phone, direction: 'inbound', startedAt } });

  it('the calls of all own agents are listed newest first, and none of an agent that is shared', async () => {
    const [world, other] = [await newWorld(), await newWorld()];
    await agentSharing.get().share(other.agentId, other.uid, world.uid);
    const second = await create(world);
    await record(world, world.agentId, 'c1', '2026-03-01T00:00:00Z');
    await record(world, second, 'c2', '2026-03-02T00:00:00Z');
    await record(world, other.agentId, 'c3', '2026-03-03T00:00:00Z');
    await patch(world, 'c1', { custom_call_outcome: 'Won' });
    const list = async (query: Record<string, string | number> = {}) =>
      (await world.call('GET', '/calls', { query: { uid: world.uid, ...query } })).body;
    const { calls, ...next } = await list();
    expect(calls).toMatchObject([
      { agentId: second, callId: 'c2' },
      { agentId: world.agentId, callId: 'c1' },
    ]);
    expect(next).toEqual({});
    expect((await list({ outcome: 'won' })).calls).toMatchObject([{ callId: 'c1' }]);
    const first = await list({ limit: 1 });
    expect(first.calls).toMatchObject([{ callId: 'c2' }]);
    // A new agent does not end the list that is being read.
    await create(world);
    expect((await list({ limit: 1, cursor: first.nextCursor })).calls).toMatchObject([{ callId: 'c1' }]);
  });

  it('with more agents than can be listed together, a request is told to choose one', async () => {
    const world = await newWorld();
    const agentIds = await putAgents(world.uid, limits.listedAgents - 1);
    await record(world, agentIds[0] as string, 'c1', '2026-03-01T00:00:00Z');
    const list = () => world.call('GET', '/calls', { query: { uid: world.uid, limit: 10 } });
    const check = () => world.call('GET', '/block-list/check', { query: { uid: world.uid, number: '+14155550100' } });
    expect((await list()).body.calls).toMatchObject([{ agentId: agentIds[0] }]);
    expect((await check()).body).toMatchObject({ blocked: false });
    await create(world);
    expect(await check()).toMatchObject({
      status: 400,
      body: { message: 'uid: owns more than 200 agents: choose one, with GET /agent-block-list/check' },
    });
    const { status, body } = await list();
    expect([status, body.message]).toEqual([
      400,
      'uid: owns more than 200 agents: choose one, with GET /calls/{agentId}',
    ]);
  });
});

describe.concurrent('deleting a call', () => {
  const remove = (world: World, call: string) => world.call('DELETE', `/calls/${world.agentId}/${call}`);

  it('deleting a call removes it wherever it is found, and nothing else; again it is 404', async () => {
    const world = await newWorld();
    await world.recordCall('call-1');
    const { body: other } = await world.recordCall('call-2');
    await patch(world, 'call-1', { custom_call_outcome: 'booked' });
    expect((await remove(world, 'call-1')).body).toEqual({ message: 'Call deleted successfully' });
    expect((await world.call('GET', `/calls/${world.agentId}/call-1`)).status).toBe(404);
    expect((await patch(world, 'call-1', { custom_call_outcome: 'won' })).status).toBe(404);
    for (const query of [{}, { phone }]) {
      expect((await world.call('GET', `/calls/${world.agentId}`, { query })).body.calls).toEqual([other]);
    }
    expect(await get(world, phone)).toEqual(other);
    const again = await remove(world, 'call-1');
    expect([again.status, again.body.error]).toEqual([404, 'call_not_found']);
    // Recorded again, it is a new call without an outcome.
    expect((await world.recordCall('call-1')).body).not.toHaveProperty('custom_call_outcome');
  });

  it('deleting a call rejects a phone number in any format', async () => {
    const world = await newWorld();
    await world.recordCall('call-1');
    for (const number of [phone, encodeURIComponent(phone), `%20${phone.slice(1)}`]) {
      const answer = await remove(world, number);
      expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, 'callIdOrPhone']);
    }
    for (const unknown of ['absent', 'a%20b', phone.slice(1)]) expect((await remove(world, unknown)).status).toBe(404);
    expect((await get(world, phone)).callId).toBe('call-1');
  });

  it('deleting a call by a guest of the agent is 401 as for a foreign agent, and the call stays', async () => {
    const world = await newWorld();
    const { body: call } = await world.recordCall('call-1');
    const guest = await newUser();
    const removeAsGuest = (name: string) =>
      world.call('DELETE', `/calls/${world.agentId}/${name}`, { apiKey: guest.apiKey });
    const foreign = await removeAsGuest('call-1');
    expect([foreign.status, foreign.body.error]).toEqual([401, 'insufficient_permissions']);
    await agentSharing.get().share(world.agentId, world.uid, guest.uid);
    expect((await world.call('GET', `/calls/${world.agentId}/call-1`, { apiKey: guest.apiKey })).status).toBe(200);
    for (const name of ['call-1', 'absent', phone]) {
      const answer = await removeAsGuest(name);
      expect([answer.status, answer.text]).toEqual([401, foreign.text]);
    }
    expect(await get(world, 'call-1')).toEqual(call);
    expect((await remove(world, 'call-1')).status).toBe(200);
  });
});
