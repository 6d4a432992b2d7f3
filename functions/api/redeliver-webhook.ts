import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { describe, describedObject } from '../domain/describe.ts';
import { noSuchDelivery, noSuchEndpoint } from '../domain/errors.ts';
import { Uid } from '../domain/identifiers.ts';
import { DeliveryId } from '../domain/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { webhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** Starts a delivery again, whatever its status. */
export const redeliverWebhook = endpoint({
  name: 'redeliverWebhook',
  method: 'POST',
  path: '/webhook-deliveries/redeliver',
  summary: 'Send an event again',
  description:
    'Starts a delivery again, whatever its status, with the same `webhook-id`, a new timestamp and signature, and the full number of attempts. Data of calls and agents that have been deleted in the meantime are not sent.',
  caller: { kind: 'key', scope: 'webhooks', user: ({ body }) => body },
  services: {
    webhookDeliveries: webhookDeliveries.for('find', 'restart'),
    webhookEndpoints: webhookEndpoints.for('find'),
    jobQueue: queueSender('deliverWebhook'),
  },
  body: z.object({ uid: Uid, deliveryId: DeliveryId }),
  response: describedObject('The delivery that was started again.', {
    deliveryId: DeliveryId,
    status: z.literal('pending').check(describe('The next attempt is made at once.', 'pending')),
  }),
  errors: ['delivery_not_found', 'endpoint_not_found'],

  async handle({ body: { uid, deliveryId } }, { webhookDeliveries, webhookEndpoints, jobQueue }) {
    const found = await webhookDeliveries.find(uid, deliveryId);
    if (!found) throw noSuchDelivery();
    if (!(await webhookEndpoints.find(uid, found.endpointId))) throw noSuchEndpoint();
    const sequence = await webhookDeliveries.restart(uid, found);
    if (sequence === undefined) throw noSuchDelivery();
    const { endpointId } = found;
    await jobQueue.send({ job: 'deliverWebhook', uid, endpointId, deliveryId, sequence, isRequested: true });
    return { deliveryId, status: 'pending' as const };
  },
});

export const handler = lambda(redeliverWebhook);
