import * as z from 'zod/mini';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { Budget } from '../domain/budgets.ts';
import { Call, eventFacts } from '../domain/calls.ts';
import { Consent } from '../domain/consents.ts';
import { timestamp } from '../domain/date-time.ts';
import {
  choiceField,
  describe,
  describedObject,
  listField,
  markField,
  numberField,
  textField,
  wholeField,
} from '../domain/describe.ts';
import { examples } from '../domain/examples.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { warningsField } from '../domain/sources.ts';
import { Split } from '../domain/traffic.ts';
import { EndpointId, type EventType, eventTypes, testEventType } from '../domain/webhooks.ts';
import { WebsiteId } from '../domain/websites.ts';

const idsOfAgent = { uid: Uid, agentId: AgentId };

const agent = z.object({
  ...idsOfAgent,
  name: z.optional(textField('Name of the agent.', 'Front desk')),
  phoneNumber: z.optional(textField('Phone number of the agent.', '+14155550199')),
  key: z.optional(textField('Key of the agent: the name that it has in files.', 'front-desk')),
  version: z.optional(wholeField('Number of the newest version.', 7)),
  createdAt: z.optional(timestamp('When the agent was created.')),
  updatedAt: z.optional(timestamp('When the agent was last changed.')),
  sourceAgentId: z.optional(textField('The agent that it is a copy of.', 'agent_01KB3M5T3Q8RXN2M6J4HB7C0DE')),
});

const keyId = z.optional(
  textField('Id of the API key that made the change. Absent when the operator did.', 'key_01KB3M5T3Q8RXN2M6J4HB7C0DF'),
);
const updatedAgent = z.extend(agent, {
  changed: listField(z.string(), 'The fields that changed.', ['name', 'configuration.greeting']),
  keyId,
  note: z.optional(textField('The note that was given.', 'Ask for the insurance first')),
});

const numbers = (verb: string) =>
  describedObject(`The numbers that were ${verb}.`, {
    count: wholeField(`How many numbers were ${verb}.`, 1),
    numbers: listField(z.string(), `The first ${formatLimit('webhookNumbers')} of them.`, ['+14155550100']),
  });

/** An event has up to 80 numbers of a request. */
const blockList = z.object({
  uid: Uid,
  scope: choiceField(['agent', 'user'], 'Whose list it is.', 'agent'),
  requestId: z.optional(
    textField(
      'Id of the request that changed the list, however many events it has: the `x-request-id` of its response.',
      '6d2f0b1c-8a43-4e57-9f60-1b7c5d2e3a48',
    ),
  ),
  agentId: z.optional(AgentId),
  added: z.optional(numbers('added')),
  removed: z.optional(numbers('removed')),
});

const consent = z.object({
  uid: Uid,
  consentId: Consent.shape.consentId,
  ...z.partial(z.pick(Consent, { number: true, purpose: true, state: true, at: true })).shape,
});

const rules = z.object({
  uid: Uid,
  scope: choiceField(['agent', 'user'], 'Whose list it is.', 'agent'),
  agentId: z.optional(AgentId),
  version: z.optional(wholeField('Number of the new version.', 3)),
});

const error = z.optional(textField('Why it failed, in a sentence.', 'The host was not found.'));
const website = z.object({
  ...idsOfAgent,
  websiteId: WebsiteId,
  name: z.optional(textField('Name of the website.', 'www.example.com')),
  url: z.optional(textField('The page that the crawl starts from.', 'https://www.example.com/')),
  pages: z.optional(wholeField('How many pages were read.', 5)),
  error,
  ...warningsField,
});
const document = z.object({
  ...idsOfAgent,
  documentId: textField('Id of the document.', 'doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0'),
  name: z.optional(textField('Name of the file.', 'Price list.pdf')),
  type: z.optional(textField('Kind of the file.', 'pdf')),
  size: z.optional(wholeField('Bytes of the file.', 48_213)),
  error,
  ...warningsField,
});

const { custom_call_outcome, custom_call_outcome_value, custom_call_metadata, heldOutcome } = Call.shape;
const idsOfCall = {
  uid: Uid,
  call_id: textField('Id of the call.', 'demo-call-2'),
  agent_id: AgentId,
};
const call = z.object({
  ...idsOfCall,
  ...Object.fromEntries(eventFacts.map((name) => [name, z.optional(Call.shape[name])])),
  custom_call_outcome,
  custom_call_outcome_value,
  custom_call_metadata,
  truncated: z.optional(
    markField(
      `Present when metadata of more than ${formatLimit('webhookMetadataBytes')} are left out: read the call to get them.`,
    ),
  ),
});

const endpoint = z.object({
  uid: Uid,
  endpointId: EndpointId,
  url: z.optional(textField('The address of the endpoint.', 'https://crm.example.com/webhooks/voice-agents')),
  description: z.optional(textField('The note of the endpoint.', 'Outcomes for the CRM')),
  disabledAt: z.optional(timestamp('When it was disabled.')),
  disabledReason: z.optional(textField('Why: `gone` or `failing`.', 'failing')),
});

const { amount, currency, spent } = Budget.shape;
const reachedBudget = z.object({
  uid: textField('The client, also in events to its creator.', examples.clientUid),
  share: z.optional(numberField('The share of the budget that is reached: 0.8 or 1.', 0.8)),
  amount: z.optional(amount),
  currency: z.optional(currency),
  spent: z.optional(spent),
  period: z.optional(textField('The day or the month, in the time zone of the budget.', '2026-03')),
});

const eventData: Record<EventType | typeof testEventType, z.core.$ZodType> = {
  'agent.created': agent,
  'agent.updated': updatedAgent,
  'agent.traffic_updated': z.object({ ...idsOfAgent, split: Split, keyId }),
  'agent.deleted': z.object(idsOfAgent),
  'block_list.updated': blockList,
  'consent.recorded': consent,
  'block_list.rules_updated': rules,
  'website.ready': website,
  'website.failed': website,
  'website.deleted': website,
  'document.ready': document,
  'document.failed': document,
  'document.deleted': document,
  'call.recorded': call,
  'call.outcome_updated': call,
  'call.outcome_held': z.extend(call, { heldOutcome }),
  'call.outcome_refused': z.extend(call, {
    refusedOutcome: z.optional(textField('The label that the platform found.', 'will think about it')),
  }),
  'call.deleted': z.object(idsOfCall),
  'user.budget_reached': reachedBudget,
  'webhook_endpoint.disabled': endpoint,
  [testEventType]: z.object({ uid: Uid, endpointId: EndpointId }),
};

const headers = z.object({
  'webhook-id': textField('Id of the event: the same in every attempt.', 'event_01KB3R2C5D0A2C4E6G8J0M2P4R'),
  'webhook-timestamp': textField('When the request was signed, in Unix seconds.', '1772359200'),
  'webhook-signature': textField(
    'Signatures of id, timestamp and body: `v1,` and base64, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
});

/** The tag of the events. Generators of clients write a file for each tag, which must not be that of an operation. */
export const eventsTag = { name: 'Events', description: 'The requests that the service sends to webhook endpoints.' };

/** Returns the `webhooks` of the OpenAPI document: the request of every type of event. */
export const webhookRequests = (): Record<string, ZodOpenApiPathItemObject> =>
  Object.fromEntries(
    Object.entries(eventData).map(([type, data]) => {
      const summary = type in eventTypes ? eventTypes[type as EventType] : 'A test event that you asked for.';
      const body = z.object({
        type: z.literal(type).check(describe('Type of the event.', type)),
        timestamp: timestamp('When the change happened.'),
        data,
      });
      return [
        type,
        {
          post: {
            operationId: type,
            summary,
            tags: [eventsTag.name],
            // The signature authenticates the service. OpenAPI has no scheme for it.
            security: [],
            requestParams: { header: headers },
            requestBody: { required: true, content: { 'application/json': { schema: body } } },
            responses: {
              204: { description: 'Received. Every 2xx status is a success; anything else is tried again.' },
            },
          },
        },
      ];
    }),
  );
