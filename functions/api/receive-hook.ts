import * as z from 'zod/mini';
import { hashingSecret } from '../clients/secrets.ts';
import { booleanInQuery, choiceField, describe, textField } from '../domain/describe.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import type { Measured } from '../domain/metrics.ts';
import { answerEvent, findMissingParameter, stringifyVariables } from '../hooks/answer-event.ts';
import { callStarts } from '../hooks/call-starts.ts';
import { collectVariables, locatedCall, withoutGuess, withoutUnsigned } from '../hooks/decide-call-start.ts';
import { allPlatforms, listTakers } from '../hooks/platforms/platforms.ts';
import { type Hook, lookUpCall, readHook } from '../hooks/read-hook.ts';
import { signedHooks } from '../hooks/secrets/signed-hooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { log } from '../log.ts';
import { knowledgeSearchOnDemand } from '../search/knowledge-searches.ts';
import { callRecords } from '../store/calls/call-records.ts';
import { calls } from '../store/calls/calls.ts';
import { erasedPeople } from '../store/erased-people.ts';

/** Deadline for a decision, after which a start gets the response that `unsure` selects. Platforms give up after 3 to 10 s. */
const unsureAfterMilliseconds = 2000;

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
      describe(
        `${listTakers('next')}: the TwiML address that handles an accepted call.`,
        'https://voice.example.com/answer',
      ),
    ),
  ),
  overrides: z.optional(
    booleanInQuery(
      `${listTakers('overrides')}: \`true\` sends the greeting, the instructions and the language of the agent with an accepted call, in place of those that the platform has. It needs a signature, or a key in a header that has the scope \`agents\`, too: otherwise it has no effect.`,
      true,
    ),
  ),
  assistantId: z.optional(textField(`${listTakers('assistantId')}: the assistant for an accepted call.`, 'asst_1')),
});

const Body = z
  .record(z.string(), z.unknown())
  .check(describe('The platform’s own event.', { CallSid: 'CA0123', CallStatus: 'ringing' }));

/** Returns the class of an event. An unreadable one means nothing. */
const measureEvent = (hook: Hook | undefined): Measured => {
  const { type } = hook?.event ?? {};
  if (type === 'start') return { class: 'call-start', platform: hook?.name };
  if (type === 'end') return { class: 'call-end', platform: hook?.name };
  return { class: type === 'searches' ? 'search' : 'management' };
};

/** Answers the webhooks of voice platforms in their own form: a start with a decision, an end by recording the call. */
export const receiveHook = endpoint({
  name: 'receiveHook',
  method: 'POST',
  path: '/hooks/{platform}',
  summary: 'Answer a voice platform’s webhook',
  description: `Enter this address at ${allPlatforms}. A platform that has a secret (\`PUT /hook-secrets/{platform}\`) is recognized by its signature, and needs no key. A call that comes in is accepted or rejected in the platform’s own form, as \`POST /call-starts\` decides; a call that ended is recorded; a call of the tool \`search_knowledge\` is answered with passages of the agent’s knowledge, for which a key in a header needs the scope \`knowledge\`, too. Any other event gets an empty response. Without \`agentId\`, the agent is the user’s own with the number that was called.`,
  caller: {
    kind: 'key',
    scope: 'hooks',
    user: ({ query: { uid } }) => ({ uid }),
    signature: signedHooks,
    // A platform sends an end once, so a refused end would be lost.
    servesSuspended: ({ body: { event } }) => event.type === 'end',
    prefetch: ({ body: { event } }) => lookUpCall(event),
  },
  readOnly: true,
  atCallTime: true,
  measuredAs: (input) => measureEvent(input?.body),
  services: {
    callStarts: callStarts.for('read', 'readEndFacts'),
    calls: calls.for('recordReported'),
    erasedPeople: erasedPeople.for('wasErasedAfter'),
    secret: hashingSecret,
    callRecords: callRecords.for('readHistory'),
    knowledge: knowledgeSearchOnDemand,
  },
  params: z.object({
    platform: textField(`The voice platform: ${allPlatforms}.`, 'twilio'),
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
        const variables = collectVariables(undefined, withoutGuess(event.reference), event.direction);
        return platform.decide({ accept: unsure === 'accept', variables: stringifyVariables(variables) }, request);
      },
    },
  },

  async handle({ query, body, found, principal, requestId, receivedAt }, services) {
    if (!found) return body.platform.acknowledge();
    const call = withoutUnsigned(locatedCall(found), principal);
    return answerEvent({ ...body, call, query, principal, requestId, receivedAt }, services);
  },
});

export const handler = lambda(receiveHook);
