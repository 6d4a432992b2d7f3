import type { JobMessage } from '../domain/job-messages.ts';
import type { WebhookDeliveries } from './webhook-deliveries.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';

type Services = {
  webhookEndpoints: Pick<WebhookEndpoints, 'find'>;
  webhookDeliveries: Pick<WebhookDeliveries, 'parked' | 'unpark'>;
  deliveryQueue: { sendMany(messages: JobMessage<'deliverWebhook'>[]): Promise<void> };
  jobQueue: { send(message: JobMessage<'resumeDeliveries'>): Promise<void> };
};

/**
 * Queues parked deliveries, until a time (Unix milliseconds): one probe while the endpoint fails. A message precedes
 * each end of rest.
 */
export const resumeDeliveries = async (
  { uid, endpointId }: { uid: string; endpointId: string },
  { webhookEndpoints, webhookDeliveries, deliveryQueue, jobQueue }: Services,
  until: number,
): Promise<void> => {
  const endpoint = await webhookEndpoints.find(uid, endpointId);
  // The end of the suspension sends another message.
  if (endpoint?.isSuspended) return;
  const isFailing = endpoint?.active && (endpoint.failingSince !== undefined || endpoint.confirmedAt === undefined);
  for await (const page of webhookDeliveries.parked(uid, endpointId)) {
    const taken = isFailing ? page.slice(0, 1) : page;
    await deliveryQueue.sendMany(
      taken.map(({ deliveryId, sequence, requestId }) => ({
        job: 'deliverWebhook',
        uid,
        endpointId,
        deliveryId,
        sequence,
        requestId,
      })),
    );
    await webhookDeliveries.unpark(uid, endpointId, taken);
    if (isFailing) return;
    if (Date.now() >= until) return jobQueue.send({ job: 'resumeDeliveries', uid, endpointId });
  }
};
