import { afterEach, expect, it } from 'vitest';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { calls } from '../../functions/store/calls/calls.ts';
import { callKey, webhookDeliveryCollections, webhookEndpointsKey } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import {
  type FollowServices,
  followChanges,
  followServices,
  readChange,
} from '../../functions/stream/follow-changes.ts';
import { createDeliveries } from '../../functions/webhooks/create-deliveries.ts';
import { type StoredDelivery, webhookDeliveries } from '../../functions/webhooks/webhook-deliveries.ts';
import { type EndpointsItem, webhookEndpoints } from '../../functions/webhooks/webhook-endpoints.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { newEndpointRecord } from '../support/records.ts';
import '../support/quiet-logs.ts';
import { newWorld } from '../support/world.ts';

afterEach(noFaults);

const [callCount, endpointCount] = [10, 10];

/** Returns a function that makes the changes of new calls, which no other reader sees: their items are not in the table. */
const newChanges = async () => {
  const { agentId: recorded } = await newWorld();
  const facts = { phone: '+14155550100', direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' } as const;
  await calls.get().record(recorded, 'recorded-call', facts);
  const [item] = await table.get().getMany<Item>([callKey(recorded, 'recorded-call')]);
  return (agentId: string) =>
    Array.from({ length: callCount }, (_, n) => {
      const text = JSON.stringify(item).replaceAll(recorded, agentId).replaceAll('recorded-call', `call-${n}`);
      const after = JSON.parse(text) as Item;
      const key = { pk: after.pk, sk: after.sk };
      return readChange({ key, after, at: Date.now(), sequenceNumber: String(10 ** 12 + n) });
    });
};

/** The reader of the stream and the jobs of its messages, which die at one step: a call to the table, or messages that are sent. */
class FanOut {
  isDead = false;
  readonly queued: JobMessage<'createDeliveries'>[] = [];
  readonly sent = new Set<string>();
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  dies(): boolean {
    this.isDead ||= this.#left-- <= 0;
    return this.isDead;
  }

  revive() {
    this.isDead = false;
    this.#left = Number.POSITIVE_INFINITY;
  }

  #send<M>(add: (message: M) => void) {
    return async (messages: M[]) => {
      for (const message of messages) {
        if (this.dies()) throw new Error('killed');
        add(message);
      }
      if (this.dies()) throw new Error('killed');
    };
  }

  async read(changes: ReturnType<typeof readChange>[]) {
    const services = {
      ...Object.fromEntries(Object.entries(followServices).map(([name, service]) => [name, service.get()])),
      eventQueue: { sendMany: this.#send((message: JobMessage<'createDeliveries'>) => this.queued.push(message)) },
      jobQueue: { send: async () => {} },
    } as unknown as FollowServices;
    const { failures } = await followChanges(changes, services, { until: Date.now() + 60_000 });
    if (failures.size > 0) throw new Error('They come again.');
  }

  create(message: JobMessage<'createDeliveries'>) {
    const deliveryQueue = {
      sendMany: this.#send(({ deliveryId }: JobMessage<'deliverWebhook'>) => this.sent.add(deliveryId)),
    };
    const services = {
      webhookEndpoints: webhookEndpoints.get(),
      webhookDeliveries: webhookDeliveries.get(),
      deliveryQueue: deliveryQueue as { sendMany(messages: JobMessage[]): Promise<void> },
    };
    return createDeliveries(message, services, Date.now() + 60_000);
  }
}

/** Does work until it survives. Returns true if it was killed. */
const untilDone = async (fanOut: FanOut, work: () => Promise<void>): Promise<boolean> => {
  let wasKilled = false;
  for (;;) {
    const error = await work().catch((error: Error) => error);
    if (!error && !fanOut.isDead) return wasKilled;
    if (!fanOut.isDead) throw error;
    wasKilled = true;
    fanOut.revive();
  }
};

it('a fan-out that is killed at any step loses no delivery, and doubles none', {
  tags: ['heavy', 'local-only'],
  timeout: 600_000,
}, async () => {
  const makeChanges = await newChanges();
  let kills = 0;
  for (let kill = 0; ; kill++) {
    const { uid, agentId } = await newWorld();
    const endpoints = Array.from({ length: endpointCount }, (_, n) => ({
      ...newEndpointRecord(`https://crm-${n}.example.com/hooks`),
      events: ['call.recorded'],
    }));
    const byId = Object.fromEntries(endpoints.map((endpoint) => [endpoint.endpointId, endpoint]));
    const item: EndpointsItem = { ...webhookEndpointsKey(uid), endpoints: byId, version: newIdentifier('event') };
    await table.get().put(item);
    const fanOut = new FanOut(kill);
    injectFaults(() => (fanOut.dies() ? 'kill' : undefined));
    const changes = makeChanges(agentId);
    let wasKilled = await untilDone(fanOut, () => fanOut.read(changes));
    for (const message of fanOut.queued)
      wasKilled = (await untilDone(fanOut, () => fanOut.create(message))) || wasKilled;
    noFaults();
    const stored: StoredDelivery[] = [];
    for (const collection of webhookDeliveryCollections(uid)) {
      for await (const item of table.get().query<Item & StoredDelivery>(collection)) stored.push(item);
    }
    const ofEvents = [...Map.groupBy(stored, ({ eventId }) => eventId).values()].map((some) =>
      some.map(({ endpointId }) => endpointId).sort(),
    );
    expect(ofEvents, `killed at step ${kill}`).toEqual(Array(callCount).fill(Object.keys(byId).sort()));
    expect(new Set(stored.map(({ deliveryId }) => deliveryId)), `killed at step ${kill}`).toEqual(fanOut.sent);
    if (!wasKilled) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(10);
});
