import { jobQueueFor } from '../clients/job-queue.ts';
import { webhookReceivers } from '../clients/webhook-receivers.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { webhookDeliveries } from '../store/webhook-deliveries.ts';
import { webhookEndpoints } from '../store/webhook-endpoints.ts';
import { webhookEvents } from '../store/webhook-events.ts';
import { deliver } from '../webhooks/deliver.ts';
import { endpointSecrets } from '../webhooks/secrets.ts';
import { job, worker } from './job.ts';

/** Makes one attempt to send an event to an endpoint, and plans the next one when it fails. */
export const deliverWebhook = job({
  name: 'deliverWebhook',
  message: jobMessages.deliverWebhook,
  services: {
    webhookDeliveries: webhookDeliveries.for('find', 'record'),
    webhookEndpoints: webhookEndpoints.for('find', 'note'),
    webhookEvents: webhookEvents.for('details'),
    jobQueue: jobQueueFor('deliverWebhook'),
    endpointSecrets,
    webhookReceivers,
  },
  timeoutSeconds: 30,
  concurrency: 40,

  handle: (message, services) => deliver(message, services),
});

export const handler = worker(deliverWebhook);
