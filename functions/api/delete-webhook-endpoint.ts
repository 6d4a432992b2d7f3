import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { deletionResponse } from '../domain/describe.ts';
import { noSuchEndpoint } from '../domain/errors.ts';
import { Uid } from '../domain/identifiers.ts';
import { EndpointIdInPath } from '../domain/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { webhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** Deletes a webhook endpoint. Its pending deliveries are canceled. */
export const deleteWebhookEndpoint = endpoint({
  name: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: '/webhook-endpoints/{endpointId}',
  summary: 'Delete a webhook endpoint',
  description: 'Deletes a webhook endpoint with its secrets. Its pending deliveries are not sent.',
  caller: { kind: 'key', scope: 'webhooks', user: ({ query }) => query },
  services: { webhookEndpoints: webhookEndpoints.for('remove'), jobQueue: queueSender('resumeDeliveries') },
  params: z.object({ endpointId: EndpointIdInPath }),
  query: z.object({ uid: Uid }),
  response: deletionResponse('the endpoint', 'Webhook endpoint deleted successfully'),
  errors: ['endpoint_not_found'],

  async handle({ params: { endpointId }, query: { uid } }, { webhookEndpoints, jobQueue }) {
    if (!(await webhookEndpoints.remove(uid, endpointId))) throw noSuchEndpoint();
    // Resting deliveries end as failed.
    await jobQueue.send({ job: 'resumeDeliveries', uid, endpointId });
    return { message: 'Webhook endpoint deleted successfully' };
  },
});

export const handler = lambda(deleteWebhookEndpoint);
