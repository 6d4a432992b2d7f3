import * as z from 'zod/mini';
import { listField } from '../domain/describe.ts';
import { Uid } from '../domain/identifiers.ts';
import { describedPage, paging, readPage } from '../domain/paging.ts';
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
  response: describedPage('A page of webhook endpoints.', {
    endpoints: listField(WebhookEndpoint, 'The endpoints, oldest first.'),
  }),

  async handle({ query: { uid, limit, cursor } }, { webhookEndpoints }) {
    const found = await webhookEndpoints.list(uid);
    const listAfter = ({ after = '' }) => found.filter(({ endpointId }) => endpointId > after);
    const { items, ...next } = await readPage(listAfter, {
      collection: `webhook-endpoints:${uid}`,
      limit,
      cursor,
      getPosition: ({ endpointId }) => endpointId,
    });
    return { endpoints: items.map(toEndpointResponse), ...next };
  },
});

export const handler = lambda(listWebhookEndpoints);
