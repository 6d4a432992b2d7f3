import type { CreateWebhookEndpointParams } from '../../../openapi/client/client.ts';

/** A type of events, or a group of them. */
export type EventFilter = NonNullable<CreateWebhookEndpointParams['events']>[number];

/** The fields of an endpoint that a form has. */
export type EndpointFields = { url: string; events: EventFilter[]; description: string };

/** The groups of events that an endpoint may ask for, with their names for people. */
export const groupsOfEvents = new Map<EventFilter, string>([
  ['*', 'Everything'],
  ['call.*', 'Calls'],
  ['agent.*', 'Agents'],
  ['block_list.*', 'Block lists'],
  ['website.*', 'Websites'],
  ['document.*', 'Documents'],
  ['webhook_endpoint.*', 'Webhook endpoints'],
]);
