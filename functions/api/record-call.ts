import * as z from 'zod/mini';
import { Call, CallFacts, CallIdAlone, checkIsNoPhoneNumber } from '../domain/calls.ts';
import { invalidField } from '../domain/errors.ts';
import { AgentIdInPath, identifierError, isIdentifier } from '../domain/identifiers.ts';
import { NewTranscript, toStoredTranscript } from '../domain/transcripts.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { callLookup } from '../store/calls/call-records.ts';
import { calls } from '../store/calls/calls.ts';

/** Records a call or corrects its facts. The outcome is not changed. */
export const recordCall = endpoint({
  name: 'recordCall',
  method: 'PUT',
  path: '/calls/{agentId}/{callIdOrPhone}',
  summary: 'Record a call',
  description:
    'Creates or updates a call. Call this from your telephony provider’s webhook when a call starts and when it ends. The outcome fields are not changed. Sending the same request again changes nothing.',
  caller: {
    kind: 'key',
    scope: 'calls',
    agent: ({ params }) => params,
    prefetch: ({ params: { agentId, callIdOrPhone: callId } }) => callLookup({ agentId, reference: { callId } }),
  },
  services: { calls: calls.for('record') },
  params: z.object({ agentId: AgentIdInPath, callIdOrPhone: CallIdAlone }),
  body: z.extend(CallFacts, { transcript: z.optional(NewTranscript) }),
  response: Call,

  async handle(
    {
      agent: { agentId, outcomeRules, discloses },
      params: { callIdOrPhone: callId },
      body,
      found: { lookedUp },
      ignored,
    },
    { calls },
  ) {
    checkIsNoPhoneNumber(callId);
    if (!isIdentifier(callId)) throw invalidField('callIdOrPhone', identifierError);
    const { transcript: sent, ...facts } = body;
    const { transcripts, hasHistory } = outcomeRules;
    if (sent && !transcripts) ignored.push('transcript');
    const transcript = toStoredTranscript(sent, 'api', transcripts);
    return calls.record(agentId, callId, facts, { lookedUp, discloses, hasHistory, transcript });
  },
});

export const handler = lambda(recordCall);
