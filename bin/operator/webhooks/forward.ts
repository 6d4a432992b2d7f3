import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryAttempt } from '../../../functions/domain/webhooks.ts';
import { buildMessage, sendOnce } from '../../../functions/webhooks/deliver.ts';
import type { StoredEndpoint } from '../../../functions/webhooks/endpoint-state.ts';
import type { StoredDelivery } from '../../../functions/webhooks/webhook-deliveries.ts';
import { WebhookReceivers } from '../../../functions/webhooks/webhook-receivers.ts';
import { describeError } from '../../command-line/describe-error.ts';
import { CommandError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/output.ts';
import type { Stores } from '../stores.ts';

/** The time for which the endpoint outlives a killed command. A running command renews this lease. */
const leaseMilliseconds = 60_000;
const renewalMilliseconds = 20_000;
const pauseMilliseconds = 250;
const pauseAfterErrorMilliseconds = 5000;
const concurrency = 20;

type Listener = { uid: string; endpoint: StoredEndpoint; secret: string };

/** Keeps an endpoint and sends its events to its address until the signal, and then deletes the endpoint. */
export const forward = async (
  stores: Pick<Stores, 'webhookEndpoints' | 'webhookDeliveries' | 'webhookEvents'>,
  { uid, endpoint, secret }: Listener,
  report: (delivery: StoredDelivery, attempt: DeliveryAttempt) => void,
  signal: AbortSignal,
): Promise<void> => {
  const { webhookEndpoints, webhookDeliveries } = stores;
  const { endpointId, url } = endpoint;
  const webhookReceivers = new WebhookReceivers({ trustedOrigins: new Set([new URL(url).origin]) });
  const sending = new Set<string>();
  const send = async (delivery: StoredDelivery) => {
    const message = await buildMessage(delivery, stores);
    const { attempt } = await sendOnce(message, { url, secrets: [secret] }, { webhookReceivers });
    report(delivery, attempt);
    await webhookDeliveries.take(uid, delivery);
  };
  let leaseEndsAt = 0;
  const renew = async () => {
    if (Date.now() < leaseEndsAt - leaseMilliseconds + renewalMilliseconds) return;
    const listeningUntil = Date.now() + leaseMilliseconds;
    const renewed = await webhookEndpoints.change(uid, endpointId, (found) => ({ ...found, listeningUntil }));
    if (!renewed && Date.now() < leaseEndsAt) throw new CommandError('The endpoint of this command was deleted.');
    // This is the first time, or the machine slept for longer than the lease.
    if (!renewed) await webhookEndpoints.add(uid, { ...endpoint, listeningUntil });
    leaseEndsAt = listeningUntil;
  };
  const fetchNext = async () => {
    await renew();
    for await (const delivery of webhookDeliveries.offered(uid, endpointId)) {
      if (sending.size === concurrency) break;
      const { deliveryId } = delivery;
      if (sending.has(deliveryId)) continue;
      sending.add(deliveryId);
      void send(delivery)
        .catch((error) => say(describeError(error)))
        .finally(() => sending.delete(deliveryId));
    }
  };
  // The command ends when the endpoint cannot be created. Later failures are retried.
  await renew();
  try {
    while (!signal.aborted) {
      const milliseconds = await fetchNext().then(
        () => pauseMilliseconds,
        (error) => {
          if (error instanceof CommandError) throw error;
          say(describeError(error));
          return pauseAfterErrorMilliseconds;
        },
      );
      await sleep(milliseconds, undefined, { signal }).catch(() => {});
    }
  } finally {
    await webhookEndpoints.remove(uid, endpointId);
    for await (const delivery of webhookDeliveries.offered(uid, endpointId))
      await webhookDeliveries.take(uid, delivery);
  }
};
