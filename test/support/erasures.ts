import { expect } from 'vitest';
import { erasePerson } from '../../functions/jobs/erase-person.ts';
import { table } from '../../functions/store/table.ts';
import { deliverMessage } from './deliver-message.ts';
import { toText } from './stored.ts';
import { until } from './until.ts';
import { newEndpoint, newReceiver } from './webhooks.ts';
import { newGuest, newWorld, unique, type World } from './world.ts';

// Files that run at the same time begin at different numbers.
let last = Math.floor(Math.random() * 1000);
/** A number that nothing else in the table holds. */
export const newPerson = () =>
  `+4915${String(Date.now()).slice(-8)}${String(last++).padStart(3, '0').slice(-3)}`.slice(0, 16);
export const other = '+14155550100';
export const startedAt = '2026-03-01T10:00:00Z';

export const privateWorld = () => newWorld(['agents', 'knowledge', 'calls', 'block-list', 'privacy', 'webhooks']);
export const request = (world: World, number: string, more: object = {}, headers: Record<string, string> = {}) =>
  world.call('POST', '/erasures', { body: { uid: world.uid, number, ...more }, headers });
export const readStatus = async (world: World, erasureId: string) =>
  (await world.call('GET', `/erasures/${erasureId}`, { query: { uid: world.uid } })).body;
/** Waits until an erasure has ended. */
export const ended = async (world: World, erasureId: string) => {
  const statusOnceEnded = async () => {
    const found = await readStatus(world, erasureId);
    return /done|failed/.test(found.status) && found;
  };
  return until(statusOnceEnded, { interval: 500 });
};
/** Delivers the message of an erasure to the job in this process. Returns true if the job accepted it. */
export const deliver = (uid: string, erasureId: string, delivery?: number) =>
  deliverMessage(erasePerson, { job: 'erasePerson', uid, erasureId }, delivery);

export const newAgent = async (world: World) =>
  (await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Agent' } })).body.agentId as string;
export const record = (world: World, agentId: string, callId: string, phone: string | null) =>
  world.call('PUT', `/calls/${agentId}/${callId}`, { body: { phone, direction: 'inbound', startedAt } });
export const block = (world: World, agentId: string, number: string, more: object = {}) =>
  world.call('POST', '/agent-block-list', {
    body: { uid: world.uid, agentId, numbers: [number, other], ...more },
    headers: { 'idempotency-key': unique('key') },
  });

/** Waits until events about some lists hold a number. */
export const eventsHold = async (number: string, partitions: string[]) => {
  const holds = async (pk: string) =>
    (await Array.fromAsync(table.get().query({ pk, prefix: 'EVENT#' }))).some((event) =>
      toText(event).includes(number),
    );
  const areThere = async () => (await Promise.all(partitions.map(holds))).every(Boolean);
  await expect.poll(areThere).toBe(true);
};

/** A person with calls and entries at two agents of a user, responses that are kept and, if wanted, events of webhooks. */
export const knownPerson = async ({ withWebhook = false } = {}) => {
  const world = await privateWorld();
  if (withWebhook) await newEndpoint(world, (await newReceiver()).url, { events: ['*'] });
  const person = newPerson();
  const guest = await newGuest(world);
  const second = await newAgent(world);
  const fill = async (agentId: string) => {
    const outcome = { body: { custom_call_outcome: 'booked' }, headers: { 'idempotency-key': unique('key') } };
    await world.call('PATCH', `/calls/${agentId}/${encodeURIComponent(person)}`, outcome);
    await block(world, agentId, person, { reason: 'asked not to be called' });
  };
  const agentIds = [world.agentId, second];
  const phones = [other, person, person, person, other, null];
  const listStoredCalls = (agentId: string) =>
    phones.map((phone, n) => ({ agentId, callId: `call-${n}`, phone, direction: 'inbound', startedAt }));
  await world.call('POST', '/calls', { body: { items: agentIds.flatMap(listStoredCalls) } });
  await Promise.all(agentIds.map(fill));
  const { apiKey } = guest;
  const body = { items: [{ agentId: world.agentId, callIdOrPhone: person, custom_call_outcome: 'won' }] };
  const bulk = await world.call('POST', '/call-outcomes', { apiKey, body, headers: { 'idempotency-key': 'bulk' } });
  expect(bulk.body.updated[0].phone).toBe(person);
  await world.call('POST', '/block-list', { body: { uid: world.uid, numbers: [person] } });
  if (withWebhook) await eventsHold(person, [`AGENT#${world.agentId}`, `AGENT#${second}`, `USER#${world.uid}`]);
  return { world, person, second, guest };
};
