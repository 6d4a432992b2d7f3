import pMap from 'p-map';
import { currentRequestId } from '../cause.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import type { JobMessage } from '../domain/job-messages.ts';
import type { StoredDelivery, UserDelivery, WebhookDeliveries } from './webhook-deliveries.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';

type Services = {
  webhookEndpoints: Pick<WebhookEndpoints, 'list'>;
  webhookDeliveries: Pick<WebhookDeliveries, 'addAll' | 'offer'>;
  deliveryQueue: { sendMany(messages: JobMessage<'deliverWebhook'>[]): Promise<void> };
};

const offersInFlight = 8;

/**
 * Writes and queues a delivery of each event for each of its endpoints that still exists, until a time (Unix
 * milliseconds). Throws if some were not written by then. Repeating is safe.
 */
export const createDeliveries = async (
  { uid, events }: JobMessage<'createDeliveries'>,
  { webhookEndpoints, webhookDeliveries, deliveryQueue }: Services,
  until: number,
): Promise<void> => {
  const endpoints = await webhookEndpoints.list(uid);
  const listening = new Set(endpoints.filter((one) => one.listeningUntil !== undefined).map((one) => one.endpointId));
  const existing = new Set(endpoints.map(({ endpointId }) => endpointId));
  const deliveries = events.flatMap(({ endpointIds, ...event }) =>
    endpointIds
      .filter((endpointId) => existing.has(endpointId))
      .map((endpointId) => ({ uid, delivery: newDelivery(event, endpointId) })),
  );
  const isFetched = ({ delivery }: UserDelivery) => listening.has(delivery.endpointId);
  await pMap(deliveries.filter(isFetched), ({ delivery }) => webhookDeliveries.offer(uid, delivery), {
    concurrency: offersInFlight,
  });
  const sent = deliveries.filter((delivery) => !isFetched(delivery));
  const { waiting, unwritten } = await webhookDeliveries.addAll(sent, until);
  await deliveryQueue.sendMany(
    waiting.map(({ delivery: { deliveryId, endpointId } }) => ({
      job: 'deliverWebhook',
      uid,
      endpointId,
      deliveryId,
      sequence: 0,
    })),
  );
  if (unwritten.length > 0) throw new Error(`${unwritten.length} deliveries were not written in time.`);
};

type Event = Pick<StoredDelivery, 'eventId' | 'type' | 'timestamp' | 'ids' | 'subject' | 'sourceId'>;

/** Returns a delivery whose id follows from the event and the endpoint. */
const newDelivery = (event: Event, endpointId: string): StoredDelivery => ({
  deliveryId: derivedIdentifier('delivery', [event.eventId, endpointId], Date.parse(event.timestamp)),
  endpointId,
  ...event,
  createdAt: event.timestamp,
  requestId: currentRequestId(),
  status: 'pending',
  attempts: [],
  sequence: 0,
  failures: 0,
});
