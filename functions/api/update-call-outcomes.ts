import * as z from 'zod/mini';
import { CallOutcomeItem, fieldsOf, toCallReference, UpdatedFields, withOutcome } from '../domain/calls.ts';
import { now } from '../domain/date-time.ts';
import { component, describe } from '../domain/describe.ts';
import { ApiError, insufficientPermissions, noSuchCall } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { limits } from '../domain/limits.ts';
import { phoneNumber } from '../domain/phone-numbers.ts';
import { validate } from '../domain/validation.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { calls } from '../store/calls.ts';
import { credentials } from '../store/credentials.ts';

const index = z.number().check(describe('The item’s place in the request, counted from 0.', 0, { type: 'integer' }));

const UpdatedOutcome = component(
  'UpdatedOutcome',
  'An item whose call was changed.',
  z.object({
    index,
    call_id: z.string().check(describe('The call that was changed.', examples.callId)),
    agent_id: z.string().check(describe('Its agent.', examples.agentId)),
    phone: phoneNumber('The other party’s number of that call.'),
    updated_fields: UpdatedFields,
  }),
);

const FailedOutcome = component(
  'FailedOutcome',
  'An item that was not carried out, and why.',
  z.object({
    index,
    error: z.string().check(describe('Why, as one of the error codes.', 'call_not_found')),
    message: z.string().check(describe('Why, in words.', 'This agent has no such call.')),
  }),
);

/** Sets the outcomes of many calls. A malformed item, or one whose call is missing or foreign, fails alone. */
export const updateCallOutcomes = endpoint({
  name: 'updateCallOutcomes',
  method: 'POST',
  path: '/call-outcomes',
  summary: 'Set the outcomes of many calls',
  description:
    'For batch jobs: up to 1,000 changes in one request, of any agents the user of the key may use. Each item is answered for by itself; a bad one fails alone. Several items may name the same call: they are carried out in the order sent. `npm run outcomes` sends files of any size this way.',
  caller: { kind: 'key', scope: 'calls' },
  services: { calls: calls.for('changeMany'), credentials: credentials.for('accessTo') },
  body: z.object({
    items: z
      .array(z.unknown().check(z.meta({ documentAs: CallOutcomeItem })))
      .check(z.minLength(1), z.maxLength(limits.outcomesPerRequest), z.describe('1 to 1,000 changes.')),
  }),
  response: z.object({
    updated: z.array(UpdatedOutcome).check(z.describe('The items that were carried out, in the order sent.')),
    failed: z.array(FailedOutcome).check(z.describe('Those that were not, in the order sent.')),
  }),
  errorDescriptions: {
    400: 'There is no item, or there are more than 1,000.',
  },

  async handle({ body, principal }, { calls, credentials }) {
    const items = body.items.map((item) => validate(CallOutcomeItem, item));
    const access = await credentials.accessTo(items.flatMap(({ data }) => data?.agentId ?? []));
    const refusals = items.map(({ data, error }) => {
      if (error) return error;
      return access.get(data.agentId)?.has(principal.uid) ? undefined : insufficientPermissions();
    });
    const at = now();
    const targets = items.flatMap(({ data }, index) => {
      if (!data || refusals[index]) return [];
      const { agentId, callIdOrPhone, preference, metadataMode } = data;
      return {
        index,
        item: data,
        agentId,
        reference: toCallReference(callIdOrPhone, preference),
        change: (call: Parameters<typeof withOutcome>[0] | undefined) =>
          call && withOutcome(call, data, metadataMode, principal.keyId, at),
      };
    });
    const results = await calls.changeMany(targets);
    const updated = targets.flatMap(({ index, item }, place) => {
      const call = results[place];
      if (!call || call instanceof Error) {
        refusals[index] = call instanceof ApiError ? call : call ? notDone() : noSuchCall(item.callIdOrPhone);
        return [];
      }
      const { callId, agentId, phone } = call;
      return { index, call_id: callId, agent_id: agentId, phone, updated_fields: fieldsOf(item) };
    });
    const failed = refusals.flatMap((refusal, index) =>
      refusal ? { index, error: refusal.code, message: refusal.message } : [],
    );
    return { updated, failed };
  },
});

const notDone = () => new ApiError('internal_error', 'This outcome could not be set. Send it again later.');

export const handler = lambda(updateCallOutcomes);
