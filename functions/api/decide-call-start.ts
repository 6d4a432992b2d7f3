import * as z from 'zod/mini';
import { callAttempts } from '../calling/call-attempts.ts';
import { Agent } from '../domain/agents.ts';
import { Attestation } from '../domain/attestations.ts';
import { BlockPrefix } from '../domain/block-list.ts';
import { RetryAt, TimeZone, TimeZones } from '../domain/calling-rules.ts';
import { Call } from '../domain/calls.ts';
import { consentCauses } from '../domain/consent-decisions.ts';
import { DateTime } from '../domain/date-time.ts';
import { choiceField, describe, describedObject, integerField, textField } from '../domain/describe.ts';
import { AgentId, Identifier, Uid } from '../domain/identifiers.ts';
import { list } from '../domain/list.ts';
import { phoneNumber } from '../domain/phone-numbers.ts';
import { text } from '../domain/text.ts';
import { callStartLookup, callStarts } from '../hooks/call-starts.ts';
import { collectHistory } from '../hooks/caller-history.ts';
import {
  collectVariables,
  decide,
  locatedCall,
  toCallStartReference,
  withoutGuess,
} from '../hooks/decide-call-start.ts';
import { checkScopes } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { callRecords } from '../store/calls/call-records.ts';

const Side = z.optional(z.nullable(text(0, 256)));
const Variable = z.union([z.string(), z.number(), z.boolean()]);

/** Decides whether a call is accepted. Takes one round trip if the request includes nothing. */
export const decideCallStart = endpoint({
  name: 'decideCallStart',
  method: 'POST',
  path: '/call-starts',
  summary: 'Decide on a call',
  description:
    'Call this when a call comes in, or before one goes out. It finds the agent, checks the block lists of the agent and its owner, and returns what a voice agent needs to begin. Without `agentId`, it takes the user’s own agent whose `phoneNumber` is your side of the call (`to` of an inbound call, `from` of an outbound one). Numbers may be written as telephony reports them: also within `sip:`, `tel:` or `whatsapp:`, or with 00 instead of the `+`. Any other text counts as withheld, but digits without a `+` are looked up in the block lists. An outbound call is also rejected when `configuration.calling` of the agent forbids it: without the consent that the agent needs, outside the hours of the person who is called, or after too many attempts. With `callId`, an accepted outbound call counts as one attempt, however often the request is repeated; otherwise nothing is changed.',
  caller: {
    kind: 'key',
    scope: 'hooks',
    user: ({ body: { uid } }) => ({ uid }),
    prefetch: ({ body }) => callStartLookup(toCallStartReference(body)),
  },
  readOnly: true,
  atCallTime: true,
  measuredAs: () => ({ class: 'call-start', platform: 'api' }),
  services: {
    callStarts: callStarts.for('read'),
    callAttempts: callAttempts.for('find', 'add'),
    callRecords: callRecords.for('find', 'readHistory'),
  },
  body: z.object({
    uid: Uid,
    agentId: z.optional(AgentId),
    from: Side.check(describe('The number of the caller.', '+14155550100')),
    to: Side.check(describe('The number that is called.', '+14155550123')),
    direction: z
      ._default(z.enum(['inbound', 'outbound']), 'inbound')
      .check(describe('Who calls: the other party (`inbound`) or the agent (`outbound`).', 'inbound')),
    attestation: z.optional(Attestation),
    callId: z.optional(
      Identifier.check(
        describe(
          'Your id of the call. Outbound: an accepted call with an id counts as an attempt. With a split, a caller who withholds the number gets a version by it.',
          'call_42',
        ),
      ),
    ),
    timeZone: z.optional(TimeZone),
    at: z.optional(
      DateTime.check(describe('Outbound: decides as of this moment. Nothing is counted.', '2026-03-01T10:00:00Z')),
    ),
    include: z.optional(
      list(z.enum(['variables', 'agent', 'lastCall']), { max: 3 }).check(
        describe(
          'What else to return, also with a rejection. `agent` needs a key with the scope `agents`, `lastCall` one with `calls`.',
          ['variables', 'lastCall'],
        ),
      ),
    ),
  }),
  response: describedObject('The decision, and what was included.', {
    decision: choiceField(['accept', 'reject'], 'Whether to take or make the call.', 'reject'),
    cause: z.optional(
      choiceField(
        ['blocked', 'budget', 'withheld_number', 'attestation', ...consentCauses, 'outside_hours', 'too_many_attempts'],
        'The cause of a rejection.',
        'blocked',
      ),
    ),
    number: z.optional(phoneNumber('The other party’s number. Absent when it is withheld.')),
    attestation: z.optional(Attestation),
    scope: z.optional(
      choiceField(['agent', 'user'], 'The list that blocks the number: the agent’s or its owner’s.', 'agent'),
    ),
    prefix: BlockPrefix,
    reason: z.optional(textField('The reason that was given for the block.', 'Spam')),
    retryAt: RetryAt,
    timeZones: TimeZones,
    consentId: z.optional(
      textField(
        'The consent by which an accepted outbound call is made. Absent unless the agent needs one.',
        'consent_01KB3P8V4N6T0R2X5Z7B9D1F3H',
      ),
    ),
    agentId: textField('The agent that the call is for.', 'agent_01KA8QF0X2V5TJ9W3N6YBD4C7E'),
    version: integerField(
      'The version of the agent that this caller gets: `variables`, `agent` and the rules are that version’s.',
      7,
    ),
    variables: z.optional(
      z
        .record(z.string(), Variable)
        .check(
          describe(
            'The agent’s variables that are texts, numbers or booleans, with `caller_number`, `called_number` and `direction`, and those of `configuration.callerHistory` for an accepted call.',
            { company: 'Example Dental', caller_number: '+14155550100', direction: 'inbound' },
          ),
        ),
    ),
    agent: z.optional(Agent),
    lastCall: z.optional(z.nullable(Call).check(z.describe('The newest call with this number, or null.'))),
  }),
  errors: ['agent_not_found'],

  async handle({ body, principal, found, receivedAt, requestId }, { callStarts, callAttempts, callRecords }) {
    const includes = (part: 'variables' | 'agent' | 'lastCall') => body.include?.includes(part) ?? false;
    checkScopes(principal, [
      ...(includes('agent') ? (['agents'] as const) : []),
      ...(includes('lastCall') ? (['calls'] as const) : []),
    ]);
    const located = locatedCall(found);
    const findLastCall = async ({ agent: { agentId }, other: phone }: typeof located) =>
      phone === undefined ? undefined : callRecords.find({ agentId, reference: { phone, preference: 'last' } });
    const [facts, lastCall] = await Promise.all([
      callStarts.read(located),
      includes('lastCall') ? findLastCall(located) : undefined,
    ]);
    const start = withoutGuess(located, facts);
    const { callId, timeZone } = body;
    const at = body.at === undefined ? undefined : Date.parse(body.at);
    const counted = callId === undefined || at !== undefined ? undefined : { callId, callAttempts };
    const decision = await decide(start, facts, { timeZone, at, counted, budgetMark: principal.budgetMark });
    const hasHistory = includes('variables') && decision.decision === 'accept';
    const asked = { receivedAt, requestId, operation: 'decideCallStart' };
    const history = hasHistory ? await collectHistory(callRecords, facts, start, asked) : undefined;
    return {
      ...decision,
      ...(includes('variables') && { variables: collectVariables(facts.agent, start, body.direction, history) }),
      ...(includes('agent') && { agent: facts.agent }),
      ...(includes('lastCall') && { lastCall: start.other === undefined ? null : (lastCall?.call ?? null) }),
    };
  },
});

export const handler = lambda(decideCallStart);
