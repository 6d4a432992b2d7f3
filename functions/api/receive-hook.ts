import * as z from 'zod/mini';
import { booleanInQuery, choiceField, describe, textField } from '../domain/describe.ts';
import { ApiError, invalidField, missingScope } from '../domain/errors.ts';
import { AgentId, identifierError, Uid } from '../domain/identifiers.ts';
import { answerSearches } from '../hooks/answer-searches.ts';
import { agentLookup, callStartLookup, callStarts } from '../hooks/call-starts.ts';
import {
  collectVariables,
  decide,
  locatedCall,
  toCallStartReference,
  withoutGuess,
  withoutUnsigned,
} from '../hooks/decide-call-start.ts';
import { toCallId } from '../hooks/ended-call.ts';
import { readOverrides } from '../hooks/overrides.ts';
import { type Hook, readHook } from '../hooks/read-hook.ts';
import { recordEnded } from '../hooks/record-ended.ts';
import { recordRejected } from '../hooks/record-rejected.ts';
import { signedHooks } from '../hooks/secrets/signed-hooks.ts';
import { hasScope } from '../http/authorize.ts';
import { endpoint, type Principal } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { log } from '../log.ts';
import { knowledgeSearchOnDemand } from '../search/knowledge-searches.ts';
import { calls } from '../store/calls/calls.ts';
import { readChangeCount } from '../store/sources/source-changes.ts';

/** Deadline for a decision, after which a start gets the response that `unsure` selects. Platforms give up after 3 to 10 s. */
const unsureAfterMilliseconds = 2000;
/** Deadline for the response to a rejected call, whether or not the rejection is recorded. */
const recordedWithinMilliseconds = 1500;

const Query = z.object({
  uid: Uid,
  agentId: z.optional(AgentId),
  key: z.optional(textField('An API key whose only scope is `hooks`.', 'vap_…')),
  unsure: z.optional(
    choiceField(
      ['accept', 'reject'],
      'The decision on a call when the service cannot look it up in time. Default: `accept`, and `reject` for an outbound call.',
      'accept',
    ),
  ),
  next: z.optional(
    z.string().check(
      z.refine((value) => URL.parse(value)?.protocol === 'https:', { error: 'must be an absolute https URL' }),
      describe('Twilio, Telnyx: the TwiML address that handles an accepted call.', 'https://voice.example.com/answer'),
    ),
  ),
  overrides: z.optional(
    booleanInQuery(
      'Vapi, Retell, ElevenLabs: `true` sends the greeting, the instructions and the language of the agent with an accepted call, in place of those that the platform has. It needs a signature, or a key in a header that has the scope `agents`, too: otherwise it has no effect.',
      true,
    ),
  ),
  assistantId: z.optional(textField('Vapi, Retell: the assistant for an accepted call.', 'asst_1')),
});
type Query = z.infer<typeof Query>;

const Body = z
  .record(z.string(), z.unknown())
  .check(describe('The platform’s own event.', { CallSid: 'CA0123', CallStatus: 'ringing' }));

/** Answers the webhooks of voice platforms in their own form: a start with a decision, an end by recording the call. */
export const receiveHook = endpoint({
  name: 'receiveHook',
  method: 'POST',
  path: '/hooks/{platform}',
  summary: 'Answer a voice platform’s webhook',
  description:
    'Enter this address at `twilio`, `vapi`, `retell`, `elevenlabs` or `telnyx`. A platform that has a secret (`PUT /hook-secrets/{platform}`) is recognized by its signature, and needs no key. A call that comes in is accepted or rejected in the platform’s own form, as `POST /call-starts` decides; a call that ended is recorded; a call of the tool `search_knowledge` is answered with passages of the agent’s knowledge, for which a key in a header needs the scope `knowledge`, too. Any other event gets an empty response. Without `agentId`, the agent is the user’s own with the number that was called.',
  caller: {
    kind: 'key',
    scope: 'hooks',
    user: ({ query: { uid } }) => ({ uid }),
    signature: signedHooks,
    // A platform sends an end once, so a refused end would be lost.
    servesSuspended: ({ body: { event } }) => event.type === 'end',
    prefetch: ({ query, body: { event } }) =>
      event.type === 'other'
        ? undefined
        : event.type === 'start'
          ? callStartLookup(toCallStartReference({ ...query, ...event }))
          : agentLookup(
              toCallStartReference({ ...query, ...event }),
              event.type === 'searches' ? 'sourceCount' : event.findings && 'record',
            ),
  },
  readOnly: true,
  atCallTime: true,
  services: {
    callStarts: callStarts.for('read', 'readOutcomeSettings'),
    calls: calls.for('record', 'recordWithOutcome'),
    knowledge: knowledgeSearchOnDemand,
  },
  params: z.object({
    platform: textField('The voice platform: `twilio`, `vapi`, `retell`, `elevenlabs` or `telnyx`.', 'twilio'),
  }),
  query: Query,
  body: z.custom<Hook>().check(z.meta({ documentAs: Body })),
  response: z
    .looseObject({})
    .check(describe('The response that the platform understands; TwiML for Twilio and Telnyx.', {})),
  errors: ['invalid_signature', 'agent_not_found', 'not_found', 'call_rejected'],
  errorDescriptions: { 403: 'The call is rejected (ElevenLabs), or the user is suspended.' },
  raw: {
    readBody: readHook,
    responds: 'custom',
    mediaTypes: ['text/xml'],
    fallback: {
      afterMilliseconds: unsureAfterMilliseconds,
      /** Answers a start whose decision is not known in time, or whose user is suspended. */
      respond({ query, body: { name, platform, request, event } }, { requestId, isSuspended }) {
        if (event.type !== 'start') return;
        if (isSuspended) return platform.decide({ accept: false, variables: {} }, request);
        const { unsure = event.direction === 'outbound' ? 'reject' : 'accept' } = query;
        if (unsure === 'accept' && findMissingParameter(query, { platform, request })) return;
        log('error', { requestId, operation: 'receiveHook', platform: name, unsure });
        const variables = collectVariables(
          undefined,
          withoutGuess(toCallStartReference({ ...query, ...event })),
          event.direction,
        );
        return platform.decide({ accept: unsure === 'accept', variables: stringifyVariables(variables) }, request);
      },
    },
  },

  async handle(
    { query, body: { name, platform, request, event }, found, principal, requestId, receivedAt },
    { callStarts, calls, knowledge },
  ) {
    if (event.type === 'other' || !found) return platform.acknowledge();
    if (event.type === 'searches') {
      if (!hasScope(principal, 'knowledge')) throw noKnowledge(principal);
      const { agent, read, items } = locatedCall(found);
      const changes = read.has('sourceCount') ? readChangeCount(items.sourceCount) : undefined;
      const answers = await answerSearches(knowledge, agent.agentId, event.queries, changes);
      return platform.answer?.(answers, request) ?? platform.acknowledge();
    }
    const located = withoutUnsigned(locatedCall(found), principal);
    const callId = toCallId(name, event.callId);
    if (event.type === 'end') {
      if (callId === undefined) throw invalidField('callId', identifierError);
      const start = withoutGuess(located);
      const ended = { platform: name, end: event, callId, start, principal };
      await recordEnded({ callStarts, calls }, ended, requestId);
      return platform.acknowledge();
    }
    const facts = await callStarts.read(located);
    const start = withoutGuess(located, facts);
    const { decision, cause, version } = await decide(start, facts);
    const accept = decision === 'accept';
    if (cause && callId !== undefined) {
      const until = receivedAt + recordedWithinMilliseconds;
      await recordRejected(calls, { start, callId, cause, version }, { requestId, until });
    }
    const missing = findMissingParameter(query, { platform, request });
    if (accept && missing) throw invalidField(missing, 'is required to accept a call');
    const variables = { ...collectVariables(facts.agent, start, event.direction), agent_version: version };
    const overrides =
      query.overrides && hasScope(principal, 'agents') ? readOverrides(facts.agent.configuration) : undefined;
    return platform.decide({ accept, variables: stringifyVariables(variables), overrides }, request);
  },
});

/** Creates the error of a search by a key, or by a signature, that may not read the knowledge. */
const noKnowledge = ({ keyId }: Principal) =>
  keyId.startsWith('signature:')
    ? new ApiError(
        'insufficient_permissions',
        'The secret of this signature was set without the scope "knowledge". Set it again with an API key that has it.',
      )
    : missingScope('knowledge');

/** Returns the missing query parameter that an accepted call needs. */
const findMissingParameter = (query: Query, { platform, request }: Pick<Hook, 'platform' | 'request'>) => {
  const needed = platform.needs?.(request);
  return needed && !query[needed] ? needed : undefined;
};

const stringifyVariables = (variables: Record<string, string | number | boolean>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));

export const handler = lambda(receiveHook);
