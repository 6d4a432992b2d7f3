import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { withCause } from '../../functions/cause.ts';
import { entityOfKey } from '../../functions/parking/parked-changes.ts';
import { callKey } from '../../functions/store/keys.ts';
import { listEvents, newParkingWorld, poison, readSequenceNumber } from '../support/parking.ts';
import { useOwnDatabaseInThisProcess } from '../support/world.ts';

const startedAt = '2026-03-01T10:00:00.000Z';

beforeAll(useOwnDatabaseInThisProcess);

const newWorld = async () => {
  const world = await newParkingWorld();
  onTestFinished(() => world.stop());
  const record = (callId: string, phone = '+14155550101') =>
    world.stores.calls.record(world.agentId, callId, { phone, direction: 'inbound', startedAt });
  return { ...world, record };
};

const captureErrors = () => {
  const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => lines.mockRestore());
  return () => lines.mock.calls.map(([line]) => JSON.parse(String(line)));
};

it('a change that cannot be read is parked as a whole with the later changes of its item, and the others are followed', async () => {
  const { agentId, record, writeUnreadableCall, changes, follow, listParked, sentEvents, parked } = await newWorld();
  const key = callKey(agentId, 'bad');
  await record('before');
  await withCause({ maker: { via: 'job' }, requestId: 'request-1' }, () =>
    writeUnreadableCall(key, { phone: '+14155550177' }),
  );
  await writeUnreadableCall(key, { phone: '+14155550177', details: '{}', startedAt, direction: 'inbound' });
  await record('after');
  const errors = captureErrors();
  const records = await changes();
  const isBad = (one: (typeof records)[number]) => one.dynamodb?.Keys?.pk?.S === key.pk;
  const bad = records.filter(isBad);
  expect(await follow(records)).toMatchObject({ events: 2, parked: 2, comesAgain: undefined });
  expect(await listParked(key)).toEqual(bad.map(readSequenceNumber));
  const [first, second] = await parked.list(entityOfKey(key));
  expect(first).toMatchObject({ requestId: 'request-1', attempts: 1, error: { name: 'SyntaxError' } });
  expect(second).toMatchObject({ attempts: 0 });
  expect(second).not.toHaveProperty('error');
  expect(await parked.read(second as never)).toEqual(JSON.parse(JSON.stringify(bad[1])));
  expect(sentEvents().sort()).toEqual(
    records
      .filter((one) => !isBad(one))
      .flatMap((one) => listEvents(one) ?? [])
      .sort(),
  );
  const [error] = errors().filter(({ level }) => level === 'error');
  expect(error).toMatchObject({ requestId: 'request-1', item: { kind: 'call', agentId, id: 'bad' } });
  expect(JSON.stringify(error)).not.toContain('4155550177');
});

it('a change of a parked item that comes later waits behind it, and is followed again when the item has no parked changes', async () => {
  const { agentId, rename, changes, follow, retry, world, parked, sentEvents, listParked } = await newWorld();
  captureErrors();
  await rename(agentId, poison);
  const poisoned = await changes();
  expect(await follow(poisoned)).toMatchObject({ parked: 1 });
  await rename(agentId, 'B');
  const waiting = await changes();
  expect(await follow(waiting)).toMatchObject({ events: 0, parked: 1 });
  expect(await retry()).toEqual({ followed: 0, parked: 1 });
  const [key] = [...(await parked.entities()).values()].map(({ item }) => item);
  expect(key).toMatchObject({ kind: 'agent', agentId });
  world.isBroken = false;
  expect(await retry()).toEqual({ followed: 2, parked: 0 });
  expect(await parked.entities()).toEqual(new Map());
  await rename(agentId, 'C');
  const later = await changes();
  expect(await follow(later)).toMatchObject({ events: 1, parked: 0 });
  expect(sentEvents()).toEqual([...poisoned, ...waiting, ...later].flatMap((one) => listEvents(one) ?? []));
  expect(
    await listParked({ pk: `${later[0]?.dynamodb?.Keys?.pk?.S}`, sk: `${later[0]?.dynamodb?.Keys?.sk?.S}` }),
  ).toEqual([]);
});

it('a change that fails with others is found by halves, and comes alone three times before it is parked', async () => {
  const { agentId, newAgent, rename, record, changes, follow, sentEvents } = await newWorld();
  const errors = captureErrors();
  const other = await newAgent();
  for (let n = 0; n < 6; n++) await record(`before-${n}`);
  await rename(agentId, poison);
  await rename(other, 'B');
  await rename(agentId, 'B');
  for (let n = 0; n < 6; n++) await record(`after-${n}`);
  const records = await changes();
  expect(await follow(records)).toMatchObject({ parked: 2, comesAgain: undefined });
  const alone = errors().filter(({ changes, cause }) => changes === 1 && cause.name === 'ValidationException');
  expect(alone).toHaveLength(3);
  const ofPoisoned = records.filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === `AGENT#${agentId}`);
  const lost = new Set(ofPoisoned.flatMap((one) => listEvents(one) ?? []));
  const expected = records.flatMap((one) => listEvents(one) ?? []).filter((id) => !lost.has(id));
  expect(sentEvents().sort()).toEqual(expected.sort());
});

it.each([
  [
    'throttling',
    { name: 'ProvisionedThroughputExceededException', $fault: 'client', $metadata: { httpStatusCode: 400 } },
  ],
  ['a 5xx', { name: 'InternalServerError', $fault: 'server', $metadata: { httpStatusCode: 500 } }],
  ['a time-out', { name: 'TimeoutError' }],
  ['a lost connection', { name: 'Error', code: 'ECONNRESET' }],
])('%s parks nothing: the changes come again from the first that failed', async (_, fault) => {
  const { record, changes, makeServices, parked } = await newWorld();
  captureErrors();
  const { followBatch } = await import('../../functions/stream/follow-batch.ts');
  await record('one');
  const records = await changes();
  const services = makeServices();
  const addAll = async () => {
    throw Object.assign(new Error('It failed.'), fault);
  };
  Object.assign(services.webhookEvents, { addAll });
  const { comesAgain } = await followBatch(records, services, { until: Date.now() + 45_000 });
  expect(records).toContain(comesAgain);
  expect(await parked.entities()).toEqual(new Map());
});

it('where more than 5 % of a large batch fail, nothing is parked, and the changes come again', async () => {
  const { agentId, writeUnreadableCall, record, changes, follow, parked } = await newWorld();
  const lines = captureErrors();
  const writeBad = (name: string) => writeUnreadableCall(callKey(agentId, name));
  await record('first');
  for (let n = 0; n < 7; n++) await writeBad(`bad-${n}`);
  await Promise.all(Array.from({ length: 113 }, (_, n) => record(`call-${n}`)));
  const records = (await changes()).filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === 'CALL');
  expect(records).toHaveLength(121);
  const { comesAgain, ...followed } = await follow(records);
  expect(comesAgain?.dynamodb?.Keys?.pk?.S).toBe(callKey(agentId, 'bad-0').pk);
  expect(followed.parked).toBe(0);
  expect(await parked.entities()).toEqual(new Map());
  expect(lines().find(({ blocked }) => blocked)).toMatchObject({ level: 'error', blocked: { failing: 7 } });
  // Six of 121 are less.
  const fewer = records.filter(({ dynamodb }) => dynamodb?.Keys?.pk?.S !== callKey(agentId, 'bad-6').pk);
  expect(await follow(fewer)).toMatchObject({ parked: 6, comesAgain: undefined });
});

it('where more than a hundred items are parked in five minutes, the next ones come again', async () => {
  const { agentId, writeUnreadableCall, changes, follow, parked } = await newWorld();
  captureErrors();
  await Promise.all(Array.from({ length: 101 }, (_, n) => writeUnreadableCall(callKey(agentId, `bad-${n}`))));
  const records = (await changes()).filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === 'CALL');
  for (let n = 0; n < 100; n += 5) expect(await follow(records.slice(n, n + 5))).toMatchObject({ parked: 5 });
  expect((await follow(records.slice(100))).comesAgain).toBe(records[100]);
  expect((await parked.entities()).size).toBe(100);
  // A change of a parked item still waits behind it.
  await writeUnreadableCall(callKey(agentId, 'bad-0'));
  const [again] = (await changes()).filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === 'CALL');
  expect(await follow([again as never])).toMatchObject({ parked: 1, comesAgain: undefined });
});
