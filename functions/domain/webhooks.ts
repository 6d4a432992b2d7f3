import * as z from 'zod/mini';
import type { Scope } from './api-keys.ts';
import { KeyName } from './change-maker.ts';
import { timestamp } from './date-time.ts';
import {
  component,
  describe,
  describedObject,
  flagField,
  listField,
  objectComponent,
  textField,
  wholeField,
} from './describe.ts';
import { examples } from './examples.ts';
import { Identifier, Uid } from './identifiers.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { text } from './text.ts';

/** Every type of event, with its meaning. Types may be added: receivers ignore types that they do not know. */
export const eventTypes = {
  'agent.created':
    'An agent was created. A copy of an agent is one such event, without events for what was copied to it.',
  'agent.updated': 'An agent was changed.',
  'agent.traffic_updated': 'The traffic of an agent was split among its versions, or is no longer.',
  'agent.deleted': 'An agent was deleted, with everything it had.',
  'block_list.updated':
    'Numbers were added to or removed from a block list. A request may have several of these events, an import has one.',
  'consent.recorded': 'A consent, or its revocation, was recorded.',
  'block_list.rules_updated': 'The rules of a block list were replaced: its prefixes and its allowed numbers.',
  'website.ready': 'The pages of a website were read: for the first time, with another text, or after a failure.',
  'website.failed': 'A website could not be read.',
  'website.deleted': 'A website was deleted.',
  'document.ready': 'The text of a document was read.',
  'document.failed': 'A document could not be read.',
  'document.deleted': 'A document was deleted.',
  'call.recorded': 'A call was recorded, or changed by recording it again.',
  'call.outcome_updated': 'The outcome of a call was set or cleared.',
  'call.outcome_held':
    'A voice platform found an outcome in a call that does not meet the conditions which the agent declares for it.',
  'call.outcome_refused': 'A voice platform found an outcome that the agent does not declare.',
  'call.deleted': 'A call was deleted.',
  'user.budget_reached':
    'The calls of a client have cost 80 % or 100 % of its budget. The service sends each event once a period, to the endpoints of the client and of its creator.',
  'webhook_endpoint.disabled': 'The service has disabled a webhook endpoint.',
} as const;
export type EventType = keyof typeof eventTypes;

/** The type of the event that `POST …/test` sends. An endpoint cannot subscribe to it. */
export const testEventType = 'webhook_endpoint.test';

const typeNames = Object.keys(eventTypes) as EventType[];
const eventGroup = (type: string) => `${type.slice(0, type.indexOf('.'))}.*`;
const filters = ['*', ...new Set(typeNames.map(eventGroup)), ...typeNames] as [string, ...string[]];

/** A type of event, `name.*` for all types that begin with `name.`, or `*`. */
const EventFilter = z.enum(filters);

/** The scopes of the groups of types: a key gets the events of the data that it may read. */
const scopesOfGroups: Record<string, Scope> = {
  'agent.*': 'agents',
  'block_list.*': 'block-list',
  'consent.*': 'block-list',
  'website.*': 'knowledge',
  'document.*': 'knowledge',
  'call.*': 'calls',
  'user.*': 'calls',
  'webhook_endpoint.*': 'webhooks',
};

/** Returns the scopes that a key needs to subscribe to these types by name. */
export const scopesOfEvents = (events: readonly string[]): Scope[] => [
  ...new Set(events.flatMap((filter) => scopesOfGroups[eventGroup(filter)] ?? [])),
];

/** An endpoint gets the types that its filters name, limited to the `scopes` of the key that created it, if any. */
type Subscription = { events: readonly string[]; scopes?: readonly Scope[] };

/** Checks whether an endpoint gets a type of event. */
export const wantsEvent = ({ events, scopes }: Subscription, type: EventType) =>
  events.some((filter) => filter === '*' || filter === type || filter === eventGroup(type)) &&
  scopesOfEvents([type]).every((scope) => scopes?.includes(scope) ?? true);

export const EndpointId = Identifier.check(
  describe('Id of the webhook endpoint.', 'endpoint_01KB3R0W1P6T8X2Z4B6D8F0H2K'),
);
export const EndpointIdInPath = textField('Id of the webhook endpoint.', 'endpoint_01KB3R0W1P6T8X2Z4B6D8F0H2K');
export const DeliveryId = Identifier.check(describe('Id of the delivery.', 'delivery_01KB3R2C5D7F9H1K3M5P7R9T1V'));

/** The fields with which an endpoint is created or changed. The operations check that its host is public. */
const fields = {
  url: z
    .string()
    .check(
      z.maxLength(limits.urlCharacters),
      describe(
        'The address that events are sent to: https, on port 443, with a host that resolves to public addresses only.',
        'https://crm.example.com/webhooks/voice-agents',
        { format: 'uri' },
      ),
    ),
  events: list(EventFilter, { min: 1, max: filters.length }).check(
    describe('Types of events to send; `name.*` stands for all types of that name, `*` for all.', ['call.*']),
  ),
  agentIds: list(Identifier, { min: 1, max: limits.webhookAgents }).check(
    describe(
      'Only events of these agents; events of the user’s own block list are then not sent. Absent: of all agents that the user may use, and of the user.',
      [examples.agentId],
    ),
  ),
  description: text(0, limits.webhookDescriptionCharacters).check(
    describe('A note for people.', 'Outcomes for the CRM'),
  ),
};

export const NewWebhookEndpoint = z.object({
  uid: Uid,
  url: fields.url,
  events: z._default(fields.events, ['*']),
  agentIds: z.optional(fields.agentIds),
  description: z.optional(fields.description),
});

export const WebhookEndpointChange = z.object({
  uid: Uid,
  url: z.optional(fields.url),
  events: z.optional(fields.events),
  agentIds: z.optional(z.nullable(fields.agentIds)),
  description: z.optional(z.nullable(fields.description)),
  active: z.optional(
    flagField('Whether events are sent. `true` also enables an endpoint that the service disabled.', true),
  ),
});
export type WebhookEndpointChange = z.infer<typeof WebhookEndpointChange>;

/** Returns an endpoint with a change applied. Enabling it again clears its record of failures. */
export const withEndpointChange = <E extends WebhookEndpoint>(
  endpoint: E,
  { url, events, agentIds, description, active }: Omit<WebhookEndpointChange, 'uid'>,
): E => {
  const given = { url, events, agentIds: agentIds ?? undefined, description: description ?? undefined, active };
  const cleared = [
    ...(agentIds === null ? ['agentIds'] : []),
    ...(description === null ? ['description'] : []),
    ...(active && !endpoint.active ? ['failingSince', 'disabledAt', 'disabledReason'] : []),
  ];
  const kept = Object.entries(endpoint).filter(([name]) => !cleared.includes(name));
  const changed = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...kept, ...changed]) as E;
};

const disabledReasons = {
  gone: 'The receiver answered 410 Gone.',
  failing: 'No delivery succeeded for five days.',
} as const;
export type DisabledReason = keyof typeof disabledReasons;
const DisabledReason = z.enum(Object.keys(disabledReasons) as [DisabledReason, ...DisabledReason[]]);

export const WebhookEndpoint = objectComponent('WebhookEndpoint', 'An address that events are sent to.', {
  endpointId: EndpointId,
  url: fields.url,
  events: listField(z.string(), 'Types of events that are sent.', ['call.*']),
  agentIds: z.optional(fields.agentIds),
  description: z.optional(fields.description),
  active: flagField('Whether events are sent.', true),
  createdAt: timestamp('When the endpoint was created.'),
  confirmedAt: z.optional(
    timestamp(
      'When the address first answered a delivery or a test with 2xx. Until then, one delivery at a time is tried, and the others wait.',
    ),
  ),
  keyId: z.optional(
    textField(
      'Id of the API key that created the endpoint, or last changed its `url`, `events` or `agentIds`. Only events that the scopes of this key cover are sent.',
      'key_01KB3M5T3Q8RXN2M6J4HB7C0DF',
    ),
  ),
  keyName: KeyName,
  failingSince: z.optional(
    timestamp(
      'Since when every delivery has failed. Absent after a success. After five days the endpoint is disabled.',
    ),
  ),
  disabledAt: z.optional(timestamp('When the service disabled the endpoint.')),
  disabledReason: z.optional(
    DisabledReason.check(
      describe('Why: `gone` (the receiver answered 410) or `failing` (five days without a success).', 'failing'),
    ),
  ),
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

export const EndpointSecret = textField(
  'The secret that signs events, for a library of Standard Webhooks. It is not shown again.',
  'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
);

export const WebhookEndpointWithSecret = component(
  'WebhookEndpointWithSecret',
  'A new webhook endpoint with its secret, which is not shown again.',
  z.extend(WebhookEndpoint, { secret: EndpointSecret }),
);

const attemptFields = {
  status: z.optional(wholeField('Status of the response, if there was one.', 500)),
  milliseconds: wholeField('Duration of the attempt in milliseconds.', 182),
  cause: z.optional(textField('The cause of a failure, in a sentence.', 'The receiver answered with status 500.')),
};

/** The result of one attempt to send an event. */
export const SentTest = describedObject('The attempt.', {
  delivered: flagField('Whether the receiver answered with a 2xx status.', false),
  ...attemptFields,
});

export const DeliveryStatus = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

const deliveryWaits = {
  attempt: 'it is due, or under way',
  retry: 'its last attempt failed; the next one is due at `nextAttemptAt`',
  confirmation: 'the address has never answered with 2xx, and another delivery tries it',
  probe: 'the endpoint fails, and another delivery probes it',
  suspension: 'the user is suspended',
} as const;
export type DeliveryWait = keyof typeof deliveryWaits;
const DeliveryWait = z.enum(Object.keys(deliveryWaits) as [DeliveryWait, ...DeliveryWait[]]);

const DeliveryAttempt = z.object({ at: timestamp('When the attempt began.'), ...attemptFields });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const WebhookDelivery = component(
  'WebhookDelivery',
  'An event on its way to an endpoint, with the attempts that were made.',
  z.object({
    deliveryId: DeliveryId,
    endpointId: EndpointId,
    eventId: Identifier.check(
      describe(
        'Id of the event: the `webhook-id` of every attempt, and the same for all endpoints.',
        'event_01KB3R2C5D0A2C4E6G8J0M2P4R',
      ),
    ),
    type: textField('Type of the event.', 'call.outcome_updated'),
    createdAt: timestamp('When the change happened.'),
    status: DeliveryStatus.check(
      describe('`pending` until an attempt succeeds or there are no more attempts.', 'pending'),
    ),
    attempts: listField(DeliveryAttempt, 'The latest attempts, oldest first; at most 20.'),
    nextAttemptAt: z.optional(timestamp('When the next attempt is due.')),
    waitsFor: z.optional(
      DeliveryWait.check(
        describe(
          `What a pending delivery waits for. ${Object.entries(deliveryWaits)
            .map(([wait, meaning]) => `\`${wait}\`: ${meaning}`)
            .join('. ')}.`,
          'attempt',
        ),
      ),
    ),
    requestId: z.optional(
      textField(
        'Id of the request that caused the event, however many jobs earlier: the `x-request-id` of its response.',
        '6d2f0b1c-8a43-4e57-9f60-1b7c5d2e3a48',
      ),
    ),
  }),
);
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
