import { bulkSender } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { createDeliveries as create } from '../webhooks/create-deliveries.ts';
import { webhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../webhooks/webhook-endpoints.ts';
import { queueJob, queueWorker } from './job.ts';

/** Creates the deliveries of a few events of one user, so that many events of a user delay no other user's. */
export const createDeliveries = queueJob({
  name: 'createDeliveries',
  message: jobMessages.createDeliveries,
  services: {
    webhookEndpoints: webhookEndpoints.for('list'),
    webhookDeliveries: webhookDeliveries.for('addAll', 'offer'),
    deliveryQueue: bulkSender('deliverWebhook'),
  },
  isAwaited: true,
  timeoutSeconds: 30,
  messagesAtOnce: 10,

  handle: (message, services, { until }) => create(message, services, until),
});

export const handler = queueWorker(createDeliveries);
