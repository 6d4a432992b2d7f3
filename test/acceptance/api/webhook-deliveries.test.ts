import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Received } from '../../support/receiver.ts';
import { distinct, listening } from '../../support/webhook-events.ts';
import { verified } from '../../support/webhooks.ts';

it('deliveries are retried with the same id and a fresh signature until one succeeds, and again on request', async () => {
  const { call, uid, endpointId, secret, receiver, recordCall } = await listening({ events: ['call.recorded'] });
  await receiver.reply({ status: 500 }, { status: 503, headers: { 'retry-after': '1' } }, { status: 200 });
  await recordCall('call-1');
  const requests = await receiver.waitFor(3);
  const events = requests.map((request) => verified(secret, request));
  expect(distinct(events)).toHaveLength(1);
  const [first, second, third] = requests as [Received, Received, Received];
  expect(second.at - first.at).toBeGreaterThan(4000);
  expect(second.at - first.at).toBeLessThan(60_000);
  // Without Retry-After it would be five minutes.
  expect(third.at - second.at).toBeLessThan(60_000);
  expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
  await sleep(500);
  const list = async () => (await call('GET', '/webhook-deliveries', { query: { uid, endpointId } })).body.deliveries;
  const [delivery] = await list();
  expect(delivery).toMatchObject({
    ...{ endpointId, eventId: events[0]?.id, type: 'call.recorded', status: 'delivered' },
    attempts: [{ status: 500 }, { status: 503 }, { status: 200 }],
  });
  expect(delivery).not.toHaveProperty('nextAttemptAt');
  const { deliveryId } = delivery;
  const again = await call('POST', '/webhook-deliveries/redeliver', { body: { uid, deliveryId } });
  expect(again.body).toEqual({ deliveryId, status: 'pending' });
  const [, , , repeated] = await receiver.waitFor(4);
  expect(verified(secret, repeated as never)).toEqual(events[0]);
  await sleep(500);
  expect(await list()).toMatchObject([{ status: 'delivered', attempts: [{}, {}, {}, { status: 200 }] }]);
});
