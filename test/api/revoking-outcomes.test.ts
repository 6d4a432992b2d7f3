import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordListedEnd } from '../../functions/hooks/record-ended.ts';
import { reconcileServices } from '../../functions/reconciliation/run-reconciliation.ts';
import { routes } from '../../functions/routes.ts';
import { lazyServices } from '../../functions/service.ts';
import { call, newGuest, newWorld, type World } from '../support/world.ts';

const number = '+14155550100';
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const startedAt = minutesAgo(20);

const outcomes = [
  { name: 'stop', revokes: 'found', found: { minSeconds: 10 } },
  { name: 'no', revokes: 'set', blocks: 'set' },
  { name: 'booked' },
];

/** A user whose person has consented, with a call of that person. */
const makeWorld = async (configuration: object = { outcomes }) => {
  const world = await newWorld();
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });
  await give(world, 10);
  await world.recordCall('call', { phone: number, startedAt });
  return world;
};
const give = (world: World, minutes: number) =>
  world.call('POST', '/consents', {
    body: { uid: world.uid, consents: [{ number, purpose: 'marketing', state: 'given', at: minutesAgo(minutes) }] },
  });
const readState = async (world: World) =>
  (await world.call('GET', '/consents/check', { query: { uid: world.uid, number, purpose: 'marketing' } })).body.state;
const listRevocations = async (world: World) => {
  const { body } = await world.call('GET', '/consents', { query: { uid: world.uid, number, purpose: '*' } });
  return body.consents as { keyId: string; proof: unknown; at: string }[];
};
const set = (world: World, body: object, callId = 'call', apiKey = world.apiKey) =>
  call('PATCH', `/calls/${world.agentId}/${callId}`, { apiKey, body });
const sendEnd = (world: World, result: string, seconds = 60) =>
  world.call('POST', '/hooks/vapi', {
    query: { uid: world.uid, agentId: world.agentId },
    body: {
      message: {
        ...{
          type: 'end-of-call-report',
          call: { id: 'one', customer: { number } },
          phoneNumber: { number: '+14155550123' },
        },
        ...{ startedAt: minutesAgo(8), durationSeconds: seconds },
        analysis: { structuredData: { custom_call_outcome: result } },
      },
    },
  });

/** What stores an outcome: each function, by its file, that uses a method of the calls which does. */
const writers: Record<string, (world: World) => Promise<unknown>> = {
  'api/update-call-outcome.ts': async (world) => (await set(world, { custom_call_outcome: 'NO' })).body.revoked,
  'api/update-call-outcomes.ts': async ({ agentId, call }) => {
    const items = [{ agentId, callIdOrPhone: number, custom_call_outcome: 'No' }];
    return (await call('POST', '/call-outcomes', { body: { items } })).body.updated[0].revoked;
  },
  'api/record-calls.ts': async ({ agentId, call }) => {
    const one = { agentId, callId: 'new', phone: number, direction: 'outbound', startedAt, custom_call_outcome: 'no' };
    return (await call('POST', '/calls', { body: { items: [one] } })).body.recorded[0].revoked;
  },
  'api/receive-hook.ts': async (world) => (await sendEnd(world, 'stop')).status === 200,
  'reconciliation/run-reconciliation.ts': async ({ agentId, uid }) => {
    const end = {
      ...{ type: 'end' as const, callId: 'listed', direction: 'outbound' as const, from: '+14155550123', to: number },
      facts: { startedAt: minutesAgo(8), durationSeconds: 60, details: {} },
      findings: { custom_call_outcome: 'stop' },
    };
    const listed = { platform: 'vapi' as const, end, callId: 'vapi:listed', agentId, uid };
    await recordListedEnd(lazyServices(reconcileServices), listed, 'request');
    return true;
  },
};

const functionsFolder = join(import.meta.dirname, '../../functions');
const sources = readdirSync(functionsFolder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(functionsFolder, path), 'utf8') }));
const using = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

it('every function that stores outcomes is known here, and only the store of calls writes their records', () => {
  const text = sources.find(({ path }) => path === 'store/calls/calls.ts')?.text.replace(/\/\*\*.*?\*\//gs, '') ?? '';
  const [, methods = ''] = /^export class Calls .*?\n(.*?)^}/ms.exec(text) ?? [];
  const names = methods
    .split(/^ {2}(?=(?:async )?\*?#?\w+\()/m)
    .filter((method) => /outcome/i.test(method))
    .flatMap((method) => /^(?:async )?\*?(\w+)\(/.exec(method)?.[1] ?? []);
  expect(names).toEqual(['recordReported', 'recordMany', 'setOutcome', 'setOutcomes']);
  expect(using(new RegExp(`calls\\.for\\([^)]*'(${names.join('|')})'`)).sort()).toEqual(Object.keys(writers).sort());
  expect(
    using(/\b(OutcomeWriter|toCallAttributes|recordActions)\b/).filter((path) => !path.startsWith('store/calls/')),
  ).toEqual([]);
  expect(using(/\bwithOutcome\(/)).toEqual(['domain/call-outcomes.ts']);
  const withOutcome = routes.filter(({ body }) => JSON.stringify(body?._zod.def ?? {}).includes('custom_call_outcome'));
  expect(withOutcome.map(({ name }) => name)).toEqual(['updateCallOutcome']);
});

it.each(Object.entries(writers))('an outcome that revokes does so where %s stores it', async (_, write) => {
  const world = await makeWorld();
  expect(await readState(world)).toBe('given');
  expect(await write(world)).toBe(true);
  expect(await readState(world)).toBe('revoked');
  const [revocation, ...others] = await listRevocations(world);
  expect(others).toEqual([]);
  expect(revocation).toMatchObject({ proof: { channel: 'call', callId: expect.any(String) } });
});

it('an outcome that does not revoke, a cleared one, and one of a withheld number leave the consents', async () => {
  const world = await makeWorld();
  const { body } = await set(world, { custom_call_outcome: 'booked' });
  expect(body).not.toHaveProperty('revoked');
  await set(world, { custom_call_outcome: null });
  await world.recordCall('withheld', { phone: null });
  expect((await set(world, { custom_call_outcome: 'no' }, 'withheld')).body).not.toHaveProperty('revoked');
  expect(await readState(world)).toBe('given');
});

it('the same outcome again adds a revocation only where a consent was given since, and clearing it gives nothing back', async () => {
  const world = await makeWorld();
  const again = async () => {
    const { body } = await set(world, { custom_call_outcome: 'no', custom_call_outcome_value: Math.random() });
    return [body.revoked, body.blocked, (await listRevocations(world)).length];
  };
  expect(await again()).toEqual([true, true, 1]);
  expect(await again()).toEqual([true, true, 1]);
  await set(world, { custom_call_outcome: null });
  expect(await readState(world)).toBe('revoked');
  expect(await again()).toEqual([true, true, 2]);
  await give(world, 0);
  expect(await readState(world)).toBe('given');
  expect(await again()).toEqual([true, true, 3]);
  expect(await readState(world)).toBe('revoked');
});

it('a found outcome revokes only where the list says so, and a held one when somebody sets it', async () => {
  const world = await makeWorld();
  await sendEnd(world, 'no');
  expect(await readState(world)).toBe('given');
  const held = await makeWorld();
  await sendEnd(held, 'stop', 5);
  expect(await readState(held)).toBe('given');
  await set(held, { custom_call_outcome: 'stop' }, 'vapi:one');
  expect(await readState(held)).toBe('revoked');
});

it('a platform that repeats an outcome does not revoke a consent that was given since', async () => {
  const world = await makeWorld();
  await sendEnd(world, 'stop');
  await give(world, 0);
  await sendEnd(world, 'stop');
  expect(await readState(world)).toBe('given');
});

it('an outcome that a guest sets revokes with the owner, by the key of the guest', async () => {
  const world = await makeWorld();
  const guest = await newGuest(world);
  expect((await set(world, { custom_call_outcome: 'no' }, 'call', guest.apiKey)).body.revoked).toBe(true);
  expect(await readState(world)).toBe('revoked');
  expect(await listRevocations(world)).toMatchObject([{ keyId: guest.keyId, proof: { callId: 'call' } }]);
});

it('several outcomes of one person in a request revoke once each, and lose nothing', async () => {
  const world = await makeWorld();
  const { agentId } = world;
  const items = Array.from({ length: 12 }, (_, index) => ({
    ...{ agentId, callId: `call-${index}`, phone: number, direction: 'outbound', startedAt },
    custom_call_outcome: index % 2 ? 'no' : 'stop',
  }));
  const { body } = await world.call('POST', '/calls', { body: { items } });
  expect([body.recorded.length, body.failed]).toEqual([12, []]);
  expect(await listRevocations(world)).toHaveLength(12);
});
