import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { CallFacts } from '../domain/calls.ts';
import { describe } from '../domain/describe.ts';
import { ApiError, invalidField } from '../domain/errors.ts';
import { AgentId, isIdentifier, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { cut } from '../domain/text.ts';
import { validate } from '../domain/validation.ts';
import { callStartKeys, callStarts } from '../hooks/call-starts.ts';
import { agentOfCall, decide, toCallStartReference, variablesOf } from '../hooks/decide-call-start.ts';
import type { CallEnd, HookEvent, HookRequest, Platform } from '../hooks/platform.ts';
import { isPlatformName, platforms } from '../hooks/platforms.ts';
import { readHookBody } from '../hooks/read-hook-body.ts';
import { type CustomResponse, endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { log } from '../log.ts';
import { calls } from '../store/calls/calls.ts';

/** How long a start waits for the table before it is answered as `unsure` says. Platforms give up after 3 to 10 s. */
const unsureAfterMilliseconds = 2000;

const Query = z.object({
  uid: Uid,
  agentId: z.optional(AgentId),
  key: z.optional(z.string().check(describe('An API key whose only scope is `hooks`.', 'vap_…'))),
  unsure: z.optional(
    z
      .enum(['accept', 'reject'])
      .check(
        describe('The decision on a call when the service cannot look it up in time. Default: `accept`.', 'accept'),
      ),
  ),
  next: z.optional(
    z.string().check(
      z.refine((value) => URL.parse(value)?.protocol === 'https:', { error: 'must be an absolute https URL' }),
      describe('Twilio: the TwiML address that handles an accepted call.', 'https://voice.example.com/answer'),
    ),
  ),
  assistantId: z.optional(z.string().check(describe('Vapi, Retell: the assistant for an accepted call.', 'asst_1'))),
});
type Query = z.infer<typeof Query>;

/** The response to a start whose decision is not known in time. */
const unsureResponse = (event: APIGatewayProxyEventV2): CustomResponse | undefined => {
  const name = event.pathParameters?.platform ?? '';
  const query = event.queryStringParameters ?? {};
  if (!isPlatformName(name)) return undefined;
  const platform: Platform = platforms[name];
  const request: HookRequest = { body: readHookBody(event), query };
  const start = platform.read(request);
  if (start.type !== 'start') return undefined;
  const accept = query.unsure !== 'reject';
  const needed = platform.needs?.(request);
  if (accept && needed && !query[needed]) return undefined;
  const { requestId } = event.requestContext;
  log('error', { requestId, operation: 'receiveHook', platform: name, unsure: accept ? 'accept' : 'reject' });
  const reference = toCallStartReference({ uid: query.uid ?? '', ...start });
  return platform.decide({ accept, variables: textsOf(variablesOf(undefined, reference, start.direction)) }, request);
};

/** Answers the webhooks of voice platforms in their own form: a start with a decision, an end by recording the call. */
export const receiveHook = endpoint({
  name: 'receiveHook',
  method: 'POST',
  path: '/hooks/{platform}',
  summary: 'Answer a voice platform’s webhook',
  description:
    'Enter this address at `twilio`, `vapi`, `retell` or `elevenlabs`. A call that comes in is accepted or rejected in the platform’s own form, as `POST /call-starts` decides; a call that ended is recorded. Any other event gets an empty response. Without `agentId`, the agent is the user’s own with the number that was called.',
  caller: {
    kind: 'key',
    scope: 'hooks',
    user: ({ query: { uid } }) => ({ uid }),
    platform: true,
    prefetch: ({ params, query, body }) => {
      const event = eventOf(params.platform, { body, query });
      return event && event.type !== 'other' ? callStartKeys(toCallStartReference({ ...query, ...event })) : [];
    },
  },
  readOnly: true,
  services: { callStarts: callStarts.for('read'), calls: calls.for('record') },
  params: z.object({
    platform: z.string().check(describe('The voice platform: `twilio`, `vapi`, `retell` or `elevenlabs`.', 'twilio')),
  }),
  query: Query,
  readBody: readHookBody,
  body: z
    .record(z.string(), z.unknown())
    .check(describe('The platform’s own event.', { CallSid: 'CA0123', CallStatus: 'ringing' })),
  responds: 'custom',
  mediaTypes: ['text/xml'],
  fallback: { afterMilliseconds: unsureAfterMilliseconds, respond: unsureResponse },
  response: z.looseObject({}).check(describe('The response that the platform understands; TwiML for Twilio.', {})),
  errors: ['agent_not_found', 'not_found', 'call_rejected'],
  errorDescriptions: { 403: 'The call is rejected (ElevenLabs).' },

  async handle({ params: { platform: name }, query, body, prefetched }, { callStarts, calls }) {
    if (!isPlatformName(name)) throw new ApiError('not_found', 'There is no such voice platform.');
    const platform: Platform = platforms[name];
    const request: HookRequest = { body, query };
    const event = platform.read(request);
    if (event.type === 'other') return platform.acknowledge();
    const reference = toCallStartReference({ ...query, ...event });
    const located = agentOfCall(reference, prefetched);
    if (event.type === 'end') {
      const keepStart = event.facts.startedAt === undefined;
      await calls.record(located.agentId, callIdOf(name, event), factsOf(event, reference.other), { keepStart });
      return platform.acknowledge();
    }
    const facts = await callStarts.read(located, reference, prefetched, true);
    const accept = decide(located, reference, facts).decision === 'accept';
    if (accept) checkNeeded(platform.needs?.(request), query);
    return platform.decide(
      { accept, variables: textsOf(variablesOf(facts.agent, reference, event.direction)) },
      request,
    );
  },
});

const eventOf = (platform: string, request: HookRequest): HookEvent | undefined =>
  isPlatformName(platform) ? platforms[platform].read(request) : undefined;

const checkNeeded = (needed: 'next' | 'assistantId' | undefined, query: Query) => {
  if (needed && !query[needed]) throw invalidField(needed, 'is required to accept a call');
};

const textsOf = (variables: Record<string, string | number | boolean>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));

const callIdOf = (platform: string, { callId }: CallEnd): string => {
  const id = `${platform}:${callId}`;
  if (!isIdentifier(id)) throw invalidField('callId', 'must be 1 to 128 of A-Z a-z 0-9 _ . : -');
  return id;
};

/** The facts as they can be stored: what the platform sends beyond the limits of a call is cut or left out. */
const factsOf = ({ direction, facts }: CallEnd, phone: string | undefined): CallFacts => {
  const { durationSeconds, status, details, ...times } = facts;
  const isDuration = durationSeconds !== undefined && durationSeconds <= limits.callSeconds;
  const sent = {
    // A call without times has just ended.
    startedAt: new Date(Date.now() - (isDuration ? durationSeconds * 1000 : 0)).toISOString(),
    ...times,
    direction,
    ...(phone !== undefined && { phone }),
    ...(isDuration && { durationSeconds }),
    ...(status !== undefined && { status: cut(status, 64) }),
    ...(details && Object.keys(details).length > 0 && { details }),
  };
  const { data, error } = validate(CallFacts, sent);
  if (error) throw error;
  return data;
};

export const handler = lambda(receiveHook);
