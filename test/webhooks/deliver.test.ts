import { encodeTime } from 'ulid';
import { afterEach, expect, it, vi } from 'vitest';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { parkedDeliveryKey } from '../../functions/store/keys.ts';
import { users } from '../../functions/store/users.ts';
import { deliver } from '../../functions/webhooks/deliver.ts';
import { resumeDeliveries } from '../../functions/webhooks/resume-deliveries.ts';
import { type StoredDelivery, toDeliveryResponse } from '../../functions/webhooks/webhook-deliveries.ts';
import { newDelivery } from '../support/webhooks.ts';
import { newWorld } from '../support/world.ts';

afterEach(() => vi.useRealTimers());

it('a delivery whose message arrives twice at once is ended by the attempt that ends first: a later failure does not begin it again', async () => {
  const { uid, delivery, message, receiver, services } = await newDelivery(
    { status: 500, delayMilliseconds: 1500 },
    { status: 204 },
  );
  const slow = deliver(message, services);
  await receiver.waitFor(1);
  await deliver(message, services);
  await slow;
  const found = await services.webhookDeliveries.find(uid, delivery.deliveryId);
  expect(found).toMatchObject({ status: 'delivered', sequence: 1, failures: 0, attempts: [{ status: 204 }] });
});

it('a delivery of a change that is older than deliveries are kept is kept as long as any other', async () => {
  const { uid, delivery, services } = await newDelivery();
  const old = { ...delivery, deliveryId: newIdentifier('delivery'), createdAt: '2020-03-01T10:00:00.000Z' };
  await services.webhookDeliveries.addAll([{ uid, delivery: old }], Date.now() + 10_000);
  const { items } = await services.webhookDeliveries.page(uid, {});
  expect(items.map(({ deliveryId }) => deliveryId)).toContain(old.deliveryId);
});

it('a delivery whose message arrives late is not tried again, and none is tried before its time', async () => {
  const { uid, delivery, message, messages, receiver, services } = await newDelivery({ status: 500 });
  await deliver(message, services);
  await deliver(message, services);
  expect(messages).toMatchObject([{ deliveryId: delivery.deliveryId, sequence: 1, dueAt: expect.any(Number) }]);
  const [next] = messages as [typeof message];
  await deliver(next, services);
  expect(messages).toEqual([next, next]);
  expect(await receiver.received()).toHaveLength(1);
  const found = await services.webhookDeliveries.find(uid, delivery.deliveryId);
  expect(found).toMatchObject({ status: 'pending', sequence: 1, attempts: [{ status: 500 }] });
});

it('a delivery that fails is retried after five seconds, or after the time that the receiver requests', async () => {
  const { uid, delivery, message, messages, receiver, services } = await newDelivery(
    { status: 500 },
    { status: 503, headers: { 'retry-after': '1' } },
    { status: 200 },
  );
  vi.useFakeTimers({ toFake: ['Date'] });
  const secondsUntil = (dueAt = 0) => (dueAt - Date.now()) / 1000;
  await deliver(message, services);
  const [second] = messages as [typeof message];
  expect(secondsUntil(second.dueAt)).toBeGreaterThan(4);
  expect(secondsUntil(second.dueAt)).toBeLessThan(6);
  vi.setSystemTime(Math.ceil(second.dueAt as number));
  await deliver(second, services);
  const [, third] = messages as [typeof message, typeof message];
  expect(secondsUntil(third.dueAt)).toBe(1);
  vi.setSystemTime(Math.ceil(third.dueAt as number));
  await deliver(third, services);
  expect(await receiver.received()).toHaveLength(3);
  const found = await services.webhookDeliveries.find(uid, delivery.deliveryId);
  expect(found).toMatchObject({ status: 'delivered', attempts: [{ status: 500 }, { status: 503 }, { status: 200 }] });
  expect(found).not.toHaveProperty('nextAttemptAt');
});

it('a delivery to a deleted endpoint ends unsent', async () => {
  const { uid, delivery, message, messages, receiver, services } = await newDelivery({ status: 503 });
  vi.useFakeTimers({ toFake: ['Date'] });
  await deliver(message, services);
  await services.webhookEndpoints.remove(uid, delivery.endpointId);
  const [next] = messages as [typeof message];
  vi.setSystemTime(Math.ceil(next.dueAt as number));
  await deliver(next, services);
  expect(await receiver.received()).toHaveLength(1);
  const found = await services.webhookDeliveries.find(uid, delivery.deliveryId);
  expect(found).toMatchObject({ status: 'failed', attempts: [{ status: 503 }] });
});

it('a delivery about an agent whose guest has lost access ends unsent, even when it is requested again', async () => {
  const [owner, made] = [await newWorld(), await newDelivery({ status: 503 })];
  const { uid, messages, receiver, services } = made;
  const { agentId } = owner;
  await users.get().create(uid);
  await agentSharing.get().share(agentId, owner.uid, uid);
  const delivery = { ...made.delivery, deliveryId: newIdentifier('delivery'), subject: { agentId } };
  await services.webhookDeliveries.addAll([{ uid, delivery }], Date.now() + 10_000);
  const message = { ...made.message, deliveryId: delivery.deliveryId };
  vi.useFakeTimers({ toFake: ['Date'] });
  await deliver(message, services);
  await agentSharing.get().revoke(agentId, owner.uid, uid);
  const [next] = messages as [typeof message];
  vi.setSystemTime(Math.ceil(next.dueAt as number));
  await deliver(next, services);
  const find = async () => (await services.webhookDeliveries.find(uid, delivery.deliveryId)) as typeof delivery;
  expect(await find()).toMatchObject({ status: 'failed', attempts: [{ status: 503 }] });
  const sequence = (await services.webhookDeliveries.restart(uid, await find())) as number;
  await deliver({ ...message, sequence, isRequested: true }, services);
  expect((await find()).status).toBe('failed');
  expect(await receiver.received()).toHaveLength(1);
});

/** A failing endpoint with a probe, and more deliveries to it, a minute later. */
const failRepeatedly = async (seconds: number, ...replies: Parameters<typeof newDelivery>) => {
  const made = await newDelivery(...replies);
  const { uid, delivery, message, messages, services } = made;
  vi.useFakeTimers({ toFake: ['Date'] });
  await deliver(message, services);
  const [next] = messages.splice(0) as [typeof message];
  vi.setSystemTime(Date.now() + seconds * 1000);
  const others = Array.from({ length: 10 }, () => ({ ...delivery, deliveryId: newIdentifier('delivery') }));
  await services.webhookDeliveries.addAll(
    others.map((other) => ({ uid, delivery: other })),
    Date.now() + 10_000,
  );
  /** Makes the first attempt at each of the others. */
  const deliverOthers = async () => {
    for (const { deliveryId } of others) await deliver({ ...message, deliveryId }, services);
  };
  const resume = () => resumeDeliveries({ uid, endpointId: delivery.endpointId }, services, Number.POSITIVE_INFINITY);
  const statuses = async () => {
    const { items } = await services.webhookDeliveries.page(uid, {});
    return Object.entries(Object.groupBy(items, ({ status }) => status)).map(([name, all]) => [name, all?.length]);
  };
  return { ...made, next, others, deliverOthers, resume, statuses };
};

it('deliveries to an endpoint that has failed for a minute rest without a message, and are sent when the probe succeeds', async () => {
  const made = await failRepeatedly(61, { status: 500 }, { status: 204 });
  const { next, messages, resumptions, receiver, services, deliverOthers, resume, statuses } = made;
  await deliverOthers();
  expect(await receiver.received()).toHaveLength(1);
  expect([messages, resumptions]).toEqual([[], []]);
  await deliver(next, services);
  // Sent before the endpoint is noted as healthy, for a death in between, and after.
  expect(resumptions).toHaveLength(2);
  await resume();
  expect(messages).toHaveLength(10);
  for (const message of messages) await deliver(message, services);
  expect(await receiver.received()).toHaveLength(12);
  expect(await statuses()).toEqual([['delivered', 11]]);
  await resume();
  expect(messages).toHaveLength(10);
});

it('deliveries to an endpoint that failed a moment ago are tried as ever', async () => {
  const { messages, receiver, deliverOthers } = await failRepeatedly(5, { status: 500 });
  await deliverOthers();
  expect(await receiver.received()).toHaveLength(11);
  expect(messages).toHaveLength(10);
});

it('one of the deliveries that rest becomes the probe when the probe was tried for the last time', async () => {
  const made = await failRepeatedly(61, { status: 500 });
  const { next, uid, delivery, messages, receiver, services, deliverOthers, resume } = made;
  await deliverOthers();
  let attempt: typeof next | undefined = next;
  for (; attempt; [attempt] = messages.splice(0)) {
    vi.setSystemTime(Math.ceil(attempt.dueAt as number));
    await deliver(attempt, services);
  }
  expect(await receiver.received()).toHaveLength(10);
  expect(await services.webhookDeliveries.find(uid, delivery.deliveryId)).toMatchObject({ status: 'failed' });
  await resume();
  const [taken, ...more] = messages.splice(0) as [typeof next];
  expect(more).toEqual([]);
  await deliver(taken, services);
  expect(await receiver.received()).toHaveLength(11);
  const endpoint = await services.webhookEndpoints.find(uid, delivery.endpointId);
  expect(endpoint?.probe?.deliveryId).toBe(taken.deliveryId);
});

it('deliveries that rest end as failed when their endpoint is disabled', async () => {
  const made = await failRepeatedly(61, { status: 500 }, { status: 410 });
  const { next, messages, services, deliverOthers, resume, statuses } = made;
  await deliverOthers();
  vi.setSystemTime(Math.ceil(next.dueAt as number));
  await deliver(next, services);
  await resume();
  for (const message of messages) await deliver(message, services);
  expect(await statuses()).toEqual([['failed', 11]]);
});

it('a delivery that a user requests is sent at once, and ends the rest of the others', async () => {
  const made = await failRepeatedly(61, { status: 500 }, { status: 204 });
  const { others, message, resumptions, receiver, services, deliverOthers } = made;
  await deliverOthers();
  const deliveryId = others[0]?.deliveryId as string;
  await deliver({ ...message, deliveryId, isRequested: true }, services);
  expect(await receiver.received()).toHaveLength(2);
  expect(resumptions).toHaveLength(2);
});

it('a delivery that rests while its endpoint recovers is taken up', async () => {
  const made = await failRepeatedly(61, { status: 500 }, { status: 204 });
  const { others, message, next, resumptions, services } = made;
  const rest = services.webhookDeliveries.park.bind(services.webhookDeliveries);
  services.webhookDeliveries.park = async (...rested) => {
    await deliver(next, services);
    await rest(...rested);
  };
  await deliver({ ...message, deliveryId: others[0]?.deliveryId as string }, services);
  // One more than those of the recovery.
  expect(resumptions).toHaveLength(3);
});

/** Returns the id of a delivery that is read before another one where both rest. */
const findEarlierPosition = ({ endpointId, deliveryId }: StoredDelivery): string => {
  const findShard = (id: string) => Number(parkedDeliveryKey('', endpointId, id).pk.split('#').at(-1));
  for (let number = 0; ; number++) {
    const id = `delivery_${encodeTime(number, 26)}`;
    if (findShard(id) <= findShard(deliveryId)) return id;
  }
};

/** Makes the endpoint of a delivery one whose address has never answered, and adds a second delivery. */
const unconfirmed = async (...replies: Parameters<typeof newDelivery>) => {
  const first = await newDelivery(...replies);
  const { uid, delivery, message, services } = first;
  await services.webhookEndpoints.change(uid, message.endpointId, ({ confirmedAt: _, ...endpoint }) => endpoint);
  const other = { ...delivery, deliveryId: findEarlierPosition(delivery) };
  await services.webhookDeliveries.addAll([{ uid, delivery: other }], Date.now() + 10_000);
  const readStatus = async (deliveryId: string) => (await services.webhookDeliveries.find(uid, deliveryId))?.status;
  return { ...first, other: { ...message, deliveryId: other.deliveryId }, readStatus };
};

it('an address that has never answered gets one delivery at a time, and the others when it has answered', async () => {
  const { uid, message, other, receiver, services, messages, resumptions, readStatus } = await unconfirmed(
    { status: 500 },
    { status: 204 },
  );
  vi.useFakeTimers({ toFake: ['Date'] });
  await deliver(message, services);
  await deliver(other, services);
  // Also one that its owner asks for.
  await deliver({ ...other, isRequested: true }, services);
  expect(await receiver.received()).toHaveLength(1);
  vi.setSystemTime(Date.now() + 20_000);
  const [retry] = messages.splice(0) as [typeof message];
  await deliver(retry, services);
  expect(await services.webhookEndpoints.find(uid, message.endpointId)).toMatchObject({
    confirmedAt: expect.any(String),
  });
  for (const job of resumptions) await resumeDeliveries(job, services, Date.now() + 10_000);
  for (const job of messages.splice(0)) await deliver(job, services);
  expect([await readStatus(message.deliveryId), await readStatus(other.deliveryId)]).toEqual([
    'delivered',
    'delivered',
  ]);
});

it('after a suspension, the delivery that probes an endpoint is sent although another one rests before it, and then the others', async () => {
  const { uid, message, other, receiver, services, messages, resumptions, readStatus } = await unconfirmed(
    { status: 500 },
    { status: 204 },
  );
  // A mark in the table would have the service itself resume the deliveries.
  let isSuspended = false;
  const find = services.webhookEndpoints.find.bind(services.webhookEndpoints);
  services.webhookEndpoints.find = async (...named) => {
    const endpoint = await find(...named);
    return endpoint && { ...endpoint, isSuspended };
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  await deliver(message, services);
  const [retry] = messages.splice(0) as [typeof message];
  vi.setSystemTime(Date.now() + 20_000);
  isSuspended = true;
  for (const job of [other, retry]) await deliver(job, services);
  const endpoint = await services.webhookEndpoints.find(uid, message.endpointId);
  for (const { deliveryId } of [other, retry]) {
    const waiting = (await services.webhookDeliveries.find(uid, deliveryId)) as StoredDelivery;
    const shown = toDeliveryResponse(waiting, endpoint);
    expect([shown.waitsFor, shown.nextAttemptAt]).toEqual(['suspension', undefined]);
  }
  isSuspended = false;
  const resume = () => resumeDeliveries(message, services, Number.POSITIVE_INFINITY);
  await resume();
  expect(messages.map(({ deliveryId }) => deliveryId)).toEqual([message.deliveryId]);
  for (const job of messages.splice(0)) await deliver(job, services);
  expect(resumptions).not.toEqual([]);
  await resume();
  for (const job of messages.splice(0)) await deliver(job, services);
  expect(await receiver.received()).toHaveLength(3);
  expect([await readStatus(message.deliveryId), await readStatus(other.deliveryId)]).toEqual([
    'delivered',
    'delivered',
  ]);
});

it('an address that has never answered gets a delivery at most every 15 seconds, however often it is asked for', async () => {
  const { message, receiver, services, messages } = await unconfirmed({ status: 500 });
  vi.useFakeTimers({ toFake: ['Date'] });
  const started = Date.now();
  for (let seconds = 0; seconds < 60; seconds += 5) {
    vi.setSystemTime(started + seconds * 1000);
    const sequence = messages.splice(0).find((job) => job.sequence > 0)?.sequence ?? 0;
    await deliver({ ...message, sequence, isRequested: true }, services);
  }
  expect((await receiver.received()).length).toBeLessThanOrEqual(4);
  expect((await receiver.received()).length).toBeGreaterThan(1);
});
