import * as z from 'zod/mini';
import { Uid } from '../domain/identifiers.ts';
import { fillPage, fromCursor, nextPage, paging } from '../domain/paging.ts';
import { WebhookEndpoint } from '../domain/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { toEndpointResponse, webhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** Lists a user's webhook endpoints, oldest first, without their secrets. */
export const listWebhookEndpoints = endpoint({
  name: 'listWebhookEndpoints',
  method: 'GET',
  path: '/webhook-endpoints',
  summary: 'List the webhook endpoints of a user',
  description: 'Returns the webhook endpoints of the user, oldest first. Secrets are not shown.',
  caller: { kind: 'key', scope: 'webhooks', user: ({ query }) => query },
  services: { webhookEndpoints: webhookEndpoints.for('list') },
  query: z.object({ uid: Uid, ...paging }),
  response: z
    .object({ endpoints: z.array(WebhookEndpoint).check(z.describe('The endpoints, oldest first.')), ...nextPage })
    .check(z.describe('A page of webhook endpoints.')),

  async handle({ query: { uid, limit, cursor } }, { webhookEndpoints }) {
    const collection = `webhook-endpoints:${uid}`;
    const after = fromCursor(collection, cursor) ?? '';
    const found = await webhookEndpoints.list(uid);
    const { items, ...next } = await fillPage(inOrder(found.filter(({ endpointId }) => endpointId > after)), {
      collection,
      limit,
      getPosition: ({ endpointId }) => endpointId,
    });
    return { endpoints: items.map(toEndpointResponse), ...next };
  },
});

async function* inOrder<T>(items: T[]) {
  yield* items;
}

export const handler = lambda(listWebhookEndpoints);
