import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { inject } from 'vitest';
import { makeStores } from '../../bin/operator/stores.ts';
import { SealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { table } from '../../functions/store/table.ts';
import { newEndpointSecret } from '../../functions/webhooks/secrets.ts';
import type { StoredDelivery } from '../../functions/webhooks/webhook-deliveries.ts';
import { WebhookReceivers } from '../../functions/webhooks/webhook-receivers.ts';
import { patienceSeconds } from './patience.ts';
import type { Received, ReceiverReply } from './receiver.ts';
import { newEndpointRecord } from './records.ts';
import { unique, useTargetInThisProcess, type World } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any event
export type SentEvent = { id: string; type: string; timestamp: string; data: any };

/** Starts a receiver for one test, whose replies can be changed at any time. */
export const newReceiver = async (...replies: ReceiverReply[]) => {
  const url = `${inject('receiverOrigin')}/${unique('receiver')}`;
  const reply = async (...next: ReceiverReply[]) =>
    void (await fetch(url, { method: 'PUT', body: JSON.stringify(next) }));
  await reply(...replies);
  const state = async () => (await (await fetch(url)).json()) as { received: Received[]; sentBytes: number };
  const received = async () => (await state()).received;
  return {
    url,
    reply,
    received,
    sentBytes: async () => (await state()).sentBytes,
    /** Waits until this many requests have arrived. */
    async waitFor(count: number, seconds = patienceSeconds): Promise<Received[]> {
      for (const deadline = Date.now() + seconds * 1000; ; await sleep(100)) {
        const requests = await received();
        if (requests.length >= count) return requests;
        if (Date.now() > deadline) throw new Error(`Only ${requests.length} of ${count} requests came to ${url}.`);
      }
    },
  };
};

/** Makes a webhook endpoint of a world's user, as one whose address has answered before. */
export const newEndpoint = async (world: World, url: string, more: object = {}) => {
  const made = await world.call('POST', '/webhook-endpoints', { body: { uid: world.uid, url, ...more } });
  if (made.status !== 200) throw new Error(`The endpoint could not be made: ${made.text}`);
  const { endpointId, secret } = made.body as { endpointId: string; secret: string };
  const confirmedAt = new Date().toISOString();
  await makeStores(table.get()).webhookEndpoints.change(world.uid, endpointId, (found) => ({ ...found, confirmedAt }));
  return { endpointId, secret };
};

/** Returns the event of a request. Throws if the library of Standard Webhooks does not accept its signature. */
export const verified = (secret: string, { headers, body }: Received): SentEvent => {
  const event = new Webhook(secret).verify(body, headers) as Omit<SentEvent, 'id'>;
  return { id: headers['webhook-id'] ?? '', ...event };
};

/** A delivery to a receiver in the table, with functions that attempt it in this process. Its messages are kept, not queued. */
export const newDelivery = async (...replies: ReceiverReply[]) => {
  useTargetInThisProcess();
  const stores = makeStores(table.get());
  const receiver = await newReceiver(...replies);
  const sealedSecrets = new SealedSecrets({ read: async () => 'the key of these tests' });
  const webhookReceivers = new WebhookReceivers({ trustedOrigins: new Set([inject('receiverOrigin')]) });
  const at = new Date().toISOString();
  const endpoint = newEndpointRecord(receiver.url, { createdAt: at });
  const { endpointId } = endpoint;
  const [uid, deliveryId] = [unique('user'), newIdentifier('delivery')];
  const sealed = await sealedSecrets.seal(endpointId, newEndpointSecret());
  const secrets = [{ sealed, createdBy: 'test', keyId: 'key_test' }];
  await stores.webhookEndpoints.add(uid, { ...endpoint, secrets });
  const delivery: StoredDelivery = {
    ...{ deliveryId, endpointId, eventId: newIdentifier('event'), type: 'agent.updated', createdAt: at, timestamp: at },
    ...{ ids: { uid }, subject: { uid }, status: 'pending', attempts: [], sequence: 0, failures: 0 },
  };
  await stores.webhookDeliveries.addAll([{ uid, delivery }], Date.now() + 10_000);
  const messages: JobMessage<'deliverWebhook'>[] = [];
  const resumptions: JobMessage<'resumeDeliveries'>[] = [];
  const send = async (message: JobMessage<'deliverWebhook' | 'resumeDeliveries'>) =>
    void (message.job === 'deliverWebhook' ? messages.push(message) : resumptions.push(message));
  const jobQueue = { send };
  const deliveryQueue = {
    sendMany: async (sent: JobMessage<'deliverWebhook'>[]) => void messages.push(...sent),
  };
  const message: JobMessage<'deliverWebhook'> = { job: 'deliverWebhook', uid, endpointId, deliveryId, sequence: 0 };
  return {
    uid,
    delivery,
    message,
    messages,
    resumptions,
    receiver,
    services: {
      ...stores,
      credentials: new Credentials(stores.table),
      ...{ jobQueue, deliveryQueue, sealedSecrets, webhookReceivers },
    },
  };
};
