import * as z from 'zod/mini';
import { noSuchEndpoint } from '../domain/errors.ts';
import { Uid } from '../domain/identifiers.ts';
import { EndpointIdInPath, WebhookEndpoint } from '../domain/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { toEndpointResponse, webhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** Returns a webhook endpoint without its secret. */
export const getWebhookEndpoint = endpoint({
  name: 'getWebhookEndpoint',
  method: 'GET',
  path: '/webhook-endpoints/{endpointId}',
  summary: 'Get a webhook endpoint',
  description: 'Returns a webhook endpoint. Its secret is not shown.',
  caller: { kind: 'key', scope: 'webhooks', user: ({ query }) => query },
  services: { webhookEndpoints: webhookEndpoints.for('find') },
  params: z.object({ endpointId: EndpointIdInPath }),
  query: z.object({ uid: Uid }),
  response: WebhookEndpoint,
  errors: ['endpoint_not_found'],

  async handle({ params: { endpointId }, query: { uid } }, { webhookEndpoints }) {
    const found = await webhookEndpoints.find(uid, endpointId);
    if (!found) throw noSuchEndpoint();
    return toEndpointResponse(found);
  },
});

export const handler = lambda(getWebhookEndpoint);
