import type { JobMessage } from '../domain/job-messages.ts';
import { type EndpointState, endpointState } from './endpoint-state.ts';
import type { ParkedDelivery, WebhookDeliveries } from './webhook-deliveries.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';

type Services = {
  webhookEndpoints: Pick<WebhookEndpoints, 'find'>;
  webhookDeliveries: Pick<WebhookDeliveries, 'findParked' | 'parked' | 'unpark'>;
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
  const state: EndpointState = endpoint ? endpointState(endpoint) : { name: 'disabled' };
  const resume = async (parked: ParkedDelivery[]) => {
    await deliveryQueue.sendMany(
      parked.map(({ deliveryId, sequence, requestId }) => ({
        job: 'deliverWebhook',
        uid,
        endpointId,
        deliveryId,
        sequence,
        requestId,
      })),
    );
    await webhookDeliveries.unpark(uid, endpointId, parked);
  };
  switch (state.name) {
    case 'suspended':
      // The end of the suspension sends another message.
      return;
    case 'unconfirmed':
    case 'failing':
      return resume(await findProbe(uid, endpointId, state.probe, webhookDeliveries));
    case 'disabled':
    case 'healthy':
      for await (const page of webhookDeliveries.parked(uid, endpointId)) {
        await resume(page);
        if (Date.now() >= until) return jobQueue.send({ job: 'resumeDeliveries', uid, endpointId });
      }
  }
};

/** Returns the delivery that is to probe an endpoint: its probe, if a suspension has parked it, or the first parked one. */
const findProbe = async (
  uid: string,
  endpointId: string,
  probe: string | undefined,
  webhookDeliveries: Services['webhookDeliveries'],
): Promise<ParkedDelivery[]> => {
  if (probe !== undefined) return webhookDeliveries.findParked(uid, endpointId, probe);
  for await (const page of webhookDeliveries.parked(uid, endpointId)) return page.slice(0, 1);
  return [];
};
