import { expect, it } from 'vitest';
import { callAttemptsKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { remove } from '../support/deletions.ts';
import { ended, newPerson, request } from '../support/erasures.ts';
import { findStored } from '../support/stored.ts';
import { newWorld, type World } from '../support/world.ts';

/** New York: 18:00 of a Thursday in January is 23:00 UTC. */
const number = '+12125550123';
const evening = '2026-01-15T23:00:00Z';
const night = '2026-01-16T04:00:00Z';
const hours = { from: '08:00', to: '21:00' };

const makeWorld = async (calling: object, configuration: object = {}) => {
  const world = await newWorld();
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { ...configuration, calling } } });
  return world;
};

const start = async (world: World, body: object = {}) => {
  const { uid, agentId } = world;
  const answer = await world.call('POST', '/call-starts', {
    body: { uid, agentId, direction: 'outbound', to: number, ...body },
  });
  return answer.body;
};

const check = async (world: World, numbers: string[], body: object = {}) =>
  world.call('POST', '/call-start-checks', { body: { uid: world.uid, agentId: world.agentId, numbers, ...body } });

it('the rules for outbound calls accept a call in the hours of the number’s time zone, and say when a rejected one may be tried again', async () => {
  const world = await makeWorld({ hours });
  expect((await start(world, { at: evening })).decision).toBe('accept');
  expect(await start(world, { at: night })).toEqual({
    decision: 'reject',
    cause: 'outside_hours',
    retryAt: '2026-01-16T13:00:00.000Z',
    timeZones: ['America/New_York'],
    agentId: world.agentId,
    version: 2,
    number,
  });
  expect((await start(world, { at: '2026-01-16T13:00:00.000Z' })).decision).toBe('accept');
  expect((await start(world, { at: '2026-01-16T12:59:59.000Z' })).decision).toBe('reject');
});

it('the rules for outbound calls do not apply to a call that comes in', async () => {
  const world = await makeWorld({ hours: { from: '00:00', to: '00:01' } });
  const { body } = await world.call('POST', '/call-starts', {
    body: { uid: world.uid, agentId: world.agentId, from: number, at: night },
  });
  expect(body.decision).toBe('accept');
});

it('the rules for outbound calls take the time zone of the request before that of the number', async () => {
  const world = await makeWorld({ hours });
  expect((await start(world, { at: night, timeZone: 'America/Los_Angeles' })).decision).toBe('accept');
  expect(await start(world, { timeZone: 'Mars/Olympus' })).toMatchObject({ error: 'invalid_request' });
});

it('a number without a time zone gets the fallback of the rules, then the agent’s, and is rejected without either', async () => {
  const unknown = { to: '+9990001234567', at: evening };
  const withFallback = await makeWorld({ hours, timeZone: 'America/New_York' }, { timeZone: 'Asia/Tokyo' });
  expect((await start(withFallback, unknown)).decision).toBe('accept');
  const withAgents = await makeWorld({ hours }, { timeZone: 'Asia/Tokyo' });
  expect(await start(withAgents, { ...unknown, at: '2026-01-15T13:00:00Z' })).toMatchObject({
    cause: 'outside_hours',
    timeZones: ['Asia/Tokyo'],
  });
  const without = await makeWorld({ hours });
  const rejected = await start(without, unknown);
  expect(rejected).toMatchObject({ cause: 'outside_hours', timeZones: [] });
  expect(rejected).not.toHaveProperty('retryAt');
});

it('the rules for outbound calls never come before the block list', async () => {
  const world = await makeWorld({ hours });
  await world.block([number]);
  expect(await start(world, { at: night })).toMatchObject({ decision: 'reject', cause: 'blocked', scope: 'agent' });
});

it.each([
  [{ hours: { from: '21:00', to: '08:00' } }, 'configuration.calling.hours.to'],
  [{ hours: { from: '8:00', to: '21:00' } }, 'configuration.calling.hours.from'],
  [{ hours: { ...hours, days: ['mon', 'mon'] } }, 'configuration.calling.hours.days'],
  [{ timeZone: 'Europe' }, 'configuration.calling.timeZone'],
  [{ hour: hours }, 'configuration.calling'],
])('rules for outbound calls such as %j are refused with the path of the field', async (calling, path) => {
  const world = await newWorld();
  const { status, body } = await world.call('PATCH', `/agents/${world.agentId}`, {
    body: { configuration: { calling } },
  });
  expect([status, body.details.map((detail: { path: string }) => detail.path)]).toEqual([400, [path]]);
});

const attempts = [{ max: 2, hours: 24 }];
const countedAttempts = ({ agentId }: World, phone: string) => table.get().get(callAttemptsKey(agentId, phone));

it('an attempt to call is counted once for a call id, however often the request is repeated', async () => {
  const world = await makeWorld({ attempts });
  for (const callId of ['call-1', 'call-1', 'call-2', 'call-1', 'call-2'])
    expect((await start(world, { callId })).decision).toBe('accept');
  const third = await start(world, { callId: 'call-3' });
  expect(third).toMatchObject({ decision: 'reject', cause: 'too_many_attempts' });
  expect(Date.parse(third.retryAt)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect(third).not.toHaveProperty('timeZones');
});

it('an attempt to call is not counted without a call id, with a moment, for another number, or when it is rejected', async () => {
  const world = await makeWorld({ attempts: [{ max: 1, hours: 24 }] });
  await start(world);
  await start(world, { callId: 'call-1', at: new Date().toISOString() });
  await start(world, { callId: 'call-2', to: '+12125550124' });
  expect((await start(world, { callId: 'call-3' })).decision).toBe('accept');
  expect((await start(world, { callId: 'call-4' })).decision).toBe('reject');
});

it('an attempt to call does not count for a decision as of an earlier moment', async () => {
  const world = await makeWorld({ attempts: [{ max: 1, hours: 24 }] });
  const before = new Date().toISOString();
  await start(world, { callId: 'call-1' });
  expect((await start(world, { at: before })).decision).toBe('accept');
  expect((await start(world)).decision).toBe('reject');
});

it('an attempt to call leaves nothing behind when the person is erased', async () => {
  const world = await newWorld(['agents', 'hooks', 'privacy']);
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { calling: { attempts } } } });
  const person = newPerson();
  await start(world, { callId: 'call-1', to: person });
  expect(await findStored(person)).toEqual([`AGENT#${world.agentId}#ATTEMPTS ${person}`]);
  const { body } = await request(world, person);
  expect((await ended(world, body.erasureId)).status).toBe('done');
  expect(await findStored(person)).toEqual([]);
});

it('an attempt to call is deleted with its agent', async () => {
  const world = await makeWorld({ attempts });
  const person = newPerson();
  await start(world, { callId: 'call-1', to: person });
  expect(await countedAttempts(world, person)).toBeDefined();
  await remove(world, world.agentId);
  await expect.poll(() => countedAttempts(world, person)).toBeUndefined();
  expect(await findStored(person)).toEqual([]);
});

it('a preview of outbound calls decides on each number once, in the order sent, and counts nothing', async () => {
  const world = await makeWorld({ hours, attempts: [{ max: 1, hours: 24 }] });
  await world.block(['+12125550150']);
  const numbers = ['+1 212 555 0123', '+12125550150', 'nonsense', '+442071838750', number];
  const expected = {
    accepted: [number],
    rejected: [
      { number: '+12125550150', cause: 'blocked', scope: 'agent' },
      { number: '+442071838750', cause: 'outside_hours', retryAt: '2026-01-16T08:00:00.000Z' },
    ],
    failed: [expect.objectContaining({ number: 'nonsense', code: 'invalid_format' })],
  };
  expect((await check(world, numbers, { at: evening })).body).toEqual(expected);
  expect((await check(world, numbers, { at: evening })).body).toEqual(expected);
});

it('a preview of outbound calls knows the attempts so far', async () => {
  const world = await makeWorld({ attempts: [{ max: 1, hours: 24 }] });
  await start(world, { callId: 'call-1' });
  const { body } = await check(world, [number, '+12125550124']);
  expect(body.accepted).toEqual(['+12125550124']);
  expect(body.rejected).toMatchObject([{ number, cause: 'too_many_attempts' }]);
});

it('attempts to call a number count for its other form', async () => {
  const world = await makeWorld({ attempts: [{ max: 1, hours: 24 }] });
  const forms = ['+525512345678', '+5215512345678'] as const;
  await start(world, { callId: 'call-1', to: forms[1] });
  const refused = { decision: 'reject', cause: 'too_many_attempts' };
  for (const to of forms) expect(await start(world, { callId: 'call-2', to })).toMatchObject(refused);
  const { body } = await check(world, [...forms]);
  expect(body.rejected).toMatchObject(forms.map((number) => ({ number, cause: 'too_many_attempts' })));
});

it('a preview of more than a thousand outbound calls is refused', async () => {
  const { body } = await check(await newWorld(), Array(1001).fill(number));
  expect(body.error).toBe('too_many_numbers');
});
