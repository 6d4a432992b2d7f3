import { queueSender } from '../clients/job-queue.ts';
import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { credentials } from '../store/credentials.ts';
import { users } from '../store/users.ts';
import { deliver } from '../webhooks/deliver.ts';
import { webhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../webhooks/webhook-endpoints.ts';
import { webhookEvents } from '../webhooks/webhook-events.ts';
import { webhookReceivers } from '../webhooks/webhook-receivers.ts';
import { queueJob, queueWorker } from './job.ts';

/** Makes one attempt to send an event to an endpoint, and schedules the next one when it fails. */
export const deliverWebhook = queueJob({
  name: 'deliverWebhook',
  message: jobMessages.deliverWebhook,
  services: {
    credentials: credentials.for('readAccess'),
    users: users.for('find'),
    webhookDeliveries: webhookDeliveries.for('find', 'record', 'park'),
    webhookEndpoints: webhookEndpoints.for('find', 'note', 'change'),
    webhookEvents: webhookEvents.for('details'),
    jobQueue: queueSender('deliverWebhook', 'resumeDeliveries'),
    sealedSecrets,
    webhookReceivers,
  },
  timeoutSeconds: 30,
  concurrency: 64,
  messagesAtOnce: 10,

  handle: (message, services) => deliver(message, services),
});

export const handler = queueWorker(deliverWebhook);
