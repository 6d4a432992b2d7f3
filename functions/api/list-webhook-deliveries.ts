import * as z from 'zod/mini';
import { describe, listField } from '../domain/describe.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { Uid } from '../domain/identifiers.ts';
import { describedPage, paging } from '../domain/paging.ts';
import { DeliveryStatus, EndpointId, WebhookDelivery } from '../domain/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { toDeliveryResponse, webhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** Lists the deliveries of a user's events, newest first. */
export const listWebhookDeliveries = endpoint({
  name: 'listWebhookDeliveries',
  method: 'GET',
  path: '/webhook-deliveries',
  summary: 'List webhook deliveries',
  description: `Returns the deliveries of the last ${formatLimit('webhookDays')} days with their attempts, newest first. Bodies of requests and responses are not shown. A page may be short, or empty, and still have a \`nextCursor\`; the last page has none.`,
  caller: { kind: 'key', scope: 'webhooks', user: ({ query }) => query },
  services: {
    webhookDeliveries: webhookDeliveries.for('page'),
    webhookEndpoints: webhookEndpoints.for('list'),
  },
  query: z.object({
    uid: Uid,
    endpointId: z.optional(EndpointId),
    status: z.optional(DeliveryStatus.check(describe('Only deliveries with this status.', 'failed'))),
    ...paging,
  }),
  response: describedPage('A page of deliveries.', {
    deliveries: listField(WebhookDelivery, 'The deliveries, newest first.'),
  }),

  async handle({ query: { uid, ...query } }, { webhookDeliveries, webhookEndpoints }) {
    const [{ items, ...next }, list] = await Promise.all([
      webhookDeliveries.page(uid, query),
      webhookEndpoints.list(uid),
    ]);
    const endpoints = new Map(list.map((endpoint) => [endpoint.endpointId, endpoint]));
    return {
      deliveries: items.map((delivery) => toDeliveryResponse(delivery, endpoints.get(delivery.endpointId))),
      ...next,
    };
  },
});

export const handler = lambda(listWebhookDeliveries);
