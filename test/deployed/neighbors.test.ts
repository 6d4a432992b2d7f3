import { expect, it } from 'vitest';
import { bulkSender } from '../../functions/clients/job-queue.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { type StoredDelivery, webhookDeliveries } from '../../functions/webhooks/webhook-deliveries.ts';
import { newEndpoint, newReceiver } from '../support/webhooks.ts';
import { newWorld, type World } from '../support/world.ts';

/** As many as the emulator delivers in more than a minute. The local run is measured with 40,000 (`npm run bench -- neighbours`). */
const waiting = 1000;
const maxDelaySeconds = 5;

/** Fills the table and the queue with deliveries of one user, as the job that creates them does. */
const fillQueue = async ({ uid, agentId }: World, endpointId: string) => {
  const at = new Date().toISOString();
  const deliveries = Array.from({ length: waiting }, () => {
    const [deliveryId, eventId] = [newIdentifier('delivery'), newIdentifier('event')];
    const delivery: StoredDelivery = {
      ...{ deliveryId, endpointId, eventId, type: 'agent.updated', createdAt: at, timestamp: at },
      ...{ ids: { uid, agentId }, subject: { agentId }, status: 'pending', attempts: [], sequence: 0, failures: 0 },
    };
    return { uid, delivery };
  });
  const { unwritten } = await webhookDeliveries.get().addAll(deliveries, Date.now() + 300_000);
  expect(unwritten).toEqual([]);
  const messages = deliveries.map(({ delivery: { deliveryId } }) => ({
    ...{ job: 'deliverWebhook' as const, uid, endpointId, deliveryId, sequence: 0 },
  }));
  await bulkSender('deliverWebhook').get().sendMany(messages);
};

it('deliveries of one user that wait delay the first delivery of another one by at most five seconds', {
  timeout: 900_000,
}, async () => {
  const [busy, other] = [await newWorld(), await newWorld()];
  const [ofBusy, ofOther] = [await newReceiver(), await newReceiver()];
  const { endpointId } = await newEndpoint(busy, ofBusy.url);
  await newEndpoint(other, ofOther.url, { events: ['agent.updated'] });
  /** Returns the seconds from a change to its event. */
  const measureDelay = async () => {
    const count = (await ofOther.received()).length;
    const begin = performance.now();
    const { agentId, uid } = other;
    const renamed = await other.call('PATCH', `/agents/${agentId}`, { body: { uid, name: `Agent ${count}` } });
    expect(renamed.status).toBe(200);
    await ofOther.waitFor(count + 1, 300);
    return (performance.now() - begin) / 1000;
  };
  // The first one starts the functions.
  await measureDelay();
  const quiet = await measureDelay();
  await fillQueue(busy, endpointId);
  await ofBusy.waitFor(1, 300);
  const beside = await measureDelay();
  const delivered = (await ofBusy.received()).length;
  expect(delivered).toBeLessThan(waiting);
  expect(beside).toBeLessThan(quiet + maxDelaySeconds);
  // What still waits has no endpoint then, and ends.
  await busy.call('DELETE', `/webhook-endpoints/${endpointId}`, { query: { uid: busy.uid } });
});
