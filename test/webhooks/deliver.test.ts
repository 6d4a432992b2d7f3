import { afterEach, describe, expect, it, vi } from 'vitest';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { deliver } from '../../functions/webhooks/deliver.ts';
import { newDelivery } from '../support/webhooks.ts';

afterEach(() => vi.useRealTimers());

describe('a delivery', () => {
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

  it('a delivery that is added again, as when its change is read again, stays as its attempts left it', async () => {
    const { uid, delivery, message, receiver, services } = await newDelivery();
    await deliver(message, services);
    const added = await services.webhookDeliveries.addAll([{ uid, delivery }], Date.now() + 10_000);
    expect(added).toEqual({ waiting: [], unwritten: [] });
    const found = await services.webhookDeliveries.find(uid, delivery.deliveryId);
    expect(found).toMatchObject({ status: 'delivered', attempts: [{ status: 204 }] });
    expect(await receiver.received()).toHaveLength(1);
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
});
