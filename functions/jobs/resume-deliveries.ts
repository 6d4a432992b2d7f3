import { bulkSender, queueSender } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { resumeDeliveries as resume } from '../webhooks/resume-deliveries.ts';
import { webhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../webhooks/webhook-endpoints.ts';
import { queueJob, queueWorker } from './job.ts';

/** Resumes the deliveries that rested while their endpoint failed. */
export const resumeDeliveries = queueJob({
  name: 'resumeDeliveries',
  message: jobMessages.resumeDeliveries,
  services: {
    webhookEndpoints: webhookEndpoints.for('find'),
    webhookDeliveries: webhookDeliveries.for('findParked', 'parked', 'unpark'),
    deliveryQueue: bulkSender('deliverWebhook'),
    jobQueue: queueSender('resumeDeliveries'),
  },
  timeoutSeconds: 60,

  handle: (message, services, { until }) => resume(message, services, until),
});

export const handler = queueWorker(resumeDeliveries);
