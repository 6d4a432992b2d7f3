import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { newIdentifier } from '../../../../functions/domain/identifiers.ts';
import { type StoredDelivery, webhookDeliveries } from '../../../../functions/webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../../../../functions/webhooks/webhook-endpoints.ts';
import { ended, json, start } from '../../../support/operator-command.ts';
import { newEndpointRecord } from '../../../support/records.ts';
import { until } from '../../../support/until.ts';
import { newEndpoint, newReceiver, verified } from '../../../support/webhooks.ts';
import { newWorld, type World } from '../../../support/world.ts';

const listEndpoints = async ({ call, uid }: World) =>
  (await call('GET', '/webhook-endpoints', { query: { uid } })).body.endpoints;

/** Starts the command, and waits until its endpoint is there. */
const listen = async (world: World, url: string, ...more: string[]) => {
  const child = start(['webhooks', 'listen', '--forward-to', url, '--uid', world.uid, '--json', ...more]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(JSON.parse(line)));
  const end = ended(child);
  const found = async () => (await listEndpoints(world)).some((endpoint: { url: string }) => endpoint.url === url);
  await until(found);
  return { child, lines, end, ...(lines[0] as { secret: string; endpointId: string }) };
};

const interrupt = async ({ child, end }: { child: ChildProcess; end: ReturnType<typeof ended> }) => {
  child.kill('SIGINT');
  return end;
};

it('webhooks listen forwards events, signed with the secret that it prints, reports the responses, and removes its endpoint', async () => {
  const world = await newWorld();
  const receiver = await newReceiver({ status: 204 }, { status: 500 });
  const listening = await listen(world, receiver.url, '--event', 'call.*');
  const { secret, endpointId, lines } = listening;
  const [shown] = await listEndpoints(world);
  expect(shown).toEqual({
    ...{ endpointId, url: receiver.url, events: ['call.*'], description: 'operator webhooks listen', active: true },
    createdAt: expect.any(String),
  });
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { name: 'Not a call' } });
  await world.recordCall('call-1');
  const [first] = await receiver.waitFor(1);
  const event = verified(secret, first as never);
  expect(event).toMatchObject({ type: 'call.recorded', data: { uid: world.uid, phone: '+14155550100' } });
  await world.call('DELETE', `/calls/${world.agentId}/call-1`);
  await receiver.waitFor(2);
  await until(() => lines.length >= 3);
  expect(lines.slice(1)).toMatchObject([
    { eventId: event.id, type: 'call.recorded', status: 204 },
    { type: 'call.deleted', status: 500, cause: 'The receiver answered with status 500.' },
  ]);
  expect(await interrupt(listening)).toMatchObject({ code: 0, stderr: '' });
  expect(await listEndpoints(world)).toEqual([]);
  expect(await receiver.received()).toHaveLength(2);
});

it('webhooks listen does not change the user’s other endpoints, and fetches only its own events', async () => {
  const world = await newWorld();
  const [own, local] = [await newReceiver(), await newReceiver()];
  await world.call('POST', '/webhook-endpoints', { body: { uid: world.uid, url: own.url, events: ['call.*'] } });
  const listening = await listen(world, local.url, '--agent-id', world.agentId, '--event', 'call.*', 'agent.*');
  await world.recordCall('call-1');
  const [[atOwn], [atLocal]] = await Promise.all([own.waitFor(1), local.waitFor(1)]);
  expect(atLocal?.headers['webhook-id']).toBe(atOwn?.headers['webhook-id']);
  expect(atLocal?.body).toBe(atOwn?.body);
  const { deliveries } = (await world.call('GET', '/webhook-deliveries', { query: { uid: world.uid } })).body;
  expect(deliveries).toHaveLength(1);
  await interrupt(listening);
  expect(await listEndpoints(world)).toMatchObject([{ url: own.url }]);
});

it('webhooks listen keeps its endpoint while it runs, and ends when the endpoint is deleted', async () => {
  const world = await newWorld();
  const [kept, deleted] = [
    await listen(world, (await newReceiver()).url),
    await listen(world, (await newReceiver()).url),
  ];
  const readLease = async ({ endpointId }: { endpointId: string }) =>
    (await webhookEndpoints.get().find(world.uid, endpointId))?.listeningUntil ?? 0;
  const before = await readLease(kept);
  await world.call('DELETE', `/webhook-endpoints/${deleted.endpointId}`, { query: { uid: world.uid } });
  const stderr = '{"error":"failed","message":"The endpoint of this command was deleted."}\n';
  expect(await deleted.end).toMatchObject({ code: 1, stderr });
  await expect.poll(() => readLease(kept), { timeout: 60_000 }).toBeGreaterThan(before + 15_000);
  await interrupt(kept);
  expect(await listEndpoints(world)).toEqual([]);
});

it('webhooks listen that is killed leaves no endpoint for longer than a minute', async () => {
  const world = await newWorld();
  const receiver = await newReceiver();
  const { child, end, endpointId } = await listen(world, receiver.url);
  child.kill('SIGKILL');
  await end;
  const [left] = await webhookEndpoints.get().list(world.uid);
  expect(left?.listeningUntil).toBeLessThan(Date.now() + 61_000);
  await webhookEndpoints.get().change(world.uid, endpointId, (found) => ({ ...found, listeningUntil: Date.now() }));
  expect(await listEndpoints(world)).toEqual([]);
  const later = await newReceiver();
  await newEndpoint(world, later.url, { events: ['call.*'] });
  await world.recordCall('call-1');
  await later.waitFor(1);
  expect(await receiver.received()).toEqual([]);
});

it('webhooks deliveries shows what the deliveries of a suspended user wait for', async () => {
  const { uid } = await newWorld();
  const record = newEndpointRecord('https://crm.example.com/hooks');
  await webhookEndpoints.get().add(uid, record);
  const made = { deliveryId: newIdentifier('delivery'), eventId: newIdentifier('event'), type: 'agent.updated' };
  const { endpointId, createdAt } = record;
  const about = { endpointId, createdAt, timestamp: createdAt, ids: { uid }, subject: { uid } };
  const delivery: StoredDelivery = { ...made, ...about, status: 'pending', attempts: [], sequence: 0, failures: 0 };
  await webhookDeliveries.get().addAll([{ uid, delivery }], Date.now() + 10_000);
  await json('user', 'suspend', uid);
  const { deliveries } = await json('webhooks', 'deliveries', '--uid', uid);
  const waiting = { deliveryId: made.deliveryId, status: 'pending', waitsFor: 'suspension' };
  expect(deliveries).toContainEqual(expect.objectContaining(waiting));
});
