import type { CreateWebhookEndpointParams } from '../../../openapi/client/client.ts';

/** A type of events, or a group of them. */
export type EventFilter = NonNullable<CreateWebhookEndpointParams['events']>[number];

/** The fields of an endpoint that a form has. */
export type EndpointFields = { url: string; events: EventFilter[]; description: string };

/** The groups of events that an endpoint may ask for, with their names for people. */
export const groupsOfEvents: { filter: EventFilter; label: string }[] = [
  { filter: '*', label: 'Everything' },
  { filter: 'call.*', label: 'Calls' },
  { filter: 'agent.*', label: 'Agents' },
  { filter: 'block_list.*', label: 'Block lists' },
  { filter: 'website.*', label: 'Websites' },
  { filter: 'document.*', label: 'Documents' },
  { filter: 'webhook_endpoint.*', label: 'Webhook endpoints' },
];
