import { expect, it } from 'vitest';
import { callAttempts } from '../../functions/calling/call-attempts.ts';
import { now } from '../../functions/domain/date-time.ts';
import { personLineCounts } from '../../functions/domain/person-exports.ts';
import { readServices } from '../../functions/erasure/person-kinds.ts';
import { readPerson } from '../../functions/person-exports/run-person-export.ts';
import { lazyServices } from '../../functions/service.ts';
import { exportKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { ended, newAgent, newPerson, other, privateWorld, request, startedAt } from '../support/erasures.ts';
import { findStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

const create = (world: World, number: string) =>
  world.call('POST', '/person-exports', { body: { uid: world.uid, number } });
const get = (world: World, exportId: string) =>
  world.call('GET', `/person-exports/${exportId}`, { query: { uid: world.uid } });
const done = (world: World, exportId: string) =>
  until(async () => {
    const { body } = await get(world, exportId);
    return /done|failed/.test(body.status) && body;
  });
type Line = { kind: string; data: Record<string, unknown> };
const readLines = async (url: string): Promise<Line[]> => {
  const text = await (await fetch(url)).text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

/** A person with data of every kind, in both forms of the number, at two agents of a user. */
const knownPerson = async () => {
  const world = await privateWorld();
  const digits = `2${newPerson().slice(-9)}`;
  const forms = [`+52${digits}`, `+521${digits}`] as const;
  const agentIds = [world.agentId, await newAgent(world)];
  const items = agentIds.flatMap((agentId) =>
    [...forms, other].map((phone, index) => ({
      agentId,
      callId: `call-${index}`,
      phone,
      direction: 'inbound',
      startedAt,
    })),
  );
  await world.call('POST', '/calls', { body: { items } });
  const transcripts = { keepDays: 30 };
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { transcripts } } });
  const transcript = [{ role: 'caller', text: 'When do you open?' }];
  await world.recordCall('call-0', { phone: forms[0], direction: 'inbound', startedAt: now(), transcript });
  const rules = { allow: [forms[1], other], prefixes: [{ prefix: forms[0], reason: 'asked' }, { prefix: '+8838' }] };
  await world.call('PUT', '/block-list-rules', { body: { uid: world.uid, agentId: world.agentId, ...rules } });
  await world.call('PUT', '/block-list-rules', { body: { uid: world.uid, allow: [forms[0]], prefixes: [] } });
  await world.block([forms[1], other], { reason: 'asked' });
  await world.call('POST', '/block-list', { body: { uid: world.uid, numbers: [forms[0]] } });
  const consents = [...forms, other].map((number, index) => ({
    ...{ number, purpose: 'marketing', state: index ? 'revoked' : 'given', at: startedAt },
    proof: { channel: 'web', text: 'I agree.' },
  }));
  await world.call('POST', '/consents', { body: { uid: world.uid, consents } });
  const found = await callAttempts.get().find(world.agentId, forms[0]);
  await callAttempts
    .get()
    .add(world.agentId, forms[0], { callId: 'attempt', at: Date.now() }, found, { attempts: [{ max: 3, hours: 24 }] });
  return { world, digits, forms };
};

it('an export of a person has every kind of data in both forms of the number, and nobody else’s', async () => {
  const { world, forms, digits } = await knownPerson();
  const { status, body } = await create(world, forms[1]);
  expect([status, body.status]).toEqual([200, 'pending']);
  const found = await done(world, body.exportId);
  const counts = { calls: 4, transcripts: 1, blockedNumbers: 2, rules: 3, consents: 2, attempts: 1 };
  expect(found).toMatchObject({ status: 'done', counts, bytes: expect.any(Number) });
  const lines = await readLines(found.url);
  const countLines = (kind: string) => lines.filter((line) => line.kind === kind).length;
  expect(Object.keys(personLineCounts).map(countLines)).toEqual(Object.values(counts));
  const readData = (kind: string) => lines.filter((line) => line.kind === kind).map(({ data }) => data);
  const source = { agentId: world.agentId, call_id: 'call-0', source: 'api' };
  expect(readData('transcript')).toEqual([{ ...source, turns: [{ role: 'caller', text: 'When do you open?' }] }]);
  const list = { scope: 'agent', agentId: world.agentId };
  const prefix = { ...list, prefix: forms[0], reason: 'asked' };
  expect(readData('rule')).toEqual([{ scope: 'user', allow: forms[0] }, { ...list, allow: forms[1] }, prefix]);
  expect(JSON.stringify(lines)).not.toContain(other);
  const recorded = await world.call('GET', '/consents', { query: { uid: world.uid, number: forms[0] } });
  expect(readData('consent')).toEqual(expect.arrayContaining(recorded.body.consents));
  expect(JSON.stringify(await table.get().get(exportKey('PERSON', world.uid, body.exportId)))).not.toContain(digits);
});

it('what an erasure that removes leaves of a person is nothing that an export has, for each kind', async () => {
  const { world, forms, digits } = await knownPerson();
  const services = lazyServices(readServices);
  const before = await readPerson(world.uid, forms[0], services);
  expect(Object.entries(before.counts).filter(([, count]) => count === 0)).toEqual([]);
  const exported = await create(world, forms[0]);
  await done(world, exported.body.exportId);
  const { body } = await request(world, forms[0], { blockList: 'remove' });
  const { erased } = await ended(world, body.erasureId);
  const { calls, blockedNumbers, consents } = before.counts;
  expect(erased).toEqual({ calls, blockedNumbers, consents });
  const after = await readPerson(world.uid, forms[0], services);
  expect([after.content.length, Object.values(after.counts)]).toEqual([0, [0, 0, 0, 0, 0, 0]]);
  // Whatever the kinds leave out is still there.
  await until(async () => (await findStored(digits)).length === 0);
  expect((await get(world, exported.body.exportId)).status).toBe(404);
});

it('an export of nobody is done without a file, and a bad number is refused', async () => {
  const world = await privateWorld();
  const { body } = await create(world, newPerson());
  const found = await done(world, body.exportId);
  expect([found.status, found.url, found.counts.calls]).toEqual(['done', undefined, 0]);
  expect((await create(world, '12345')).status).toBe(400);
  expect((await get(world, 'export_none')).body.error).toBe('not_found');
});
