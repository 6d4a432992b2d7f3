import * as z from 'zod/mini';
import {
  Blocked,
  blockingOf,
  type Call,
  CallOutcomeItem,
  fieldsOf,
  PhoneOrWithheld,
  toCallReference,
  UpdatedFields,
  withOutcome,
} from '../domain/calls.ts';
import { now } from '../domain/date-time.ts';
import { component, describe } from '../domain/describe.ts';
import { ApiError, insufficientPermissions, noSuchCall } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { limits } from '../domain/limits.ts';
import { validate } from '../domain/validation.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { calls } from '../store/calls/calls.ts';
import { credentials } from '../store/credentials.ts';

const index = z.number().check(describe('Position of the item in the request, starting at 0.', 0, { type: 'integer' }));

const UpdatedOutcome = component(
  'UpdatedOutcome',
  'An item whose call was changed.',
  z.object({
    index,
    call_id: z.string().check(describe('Id of the call that was updated.', examples.callId)),
    agent_id: z.string().check(describe('Id of the agent of the call.', examples.agentId)),
    phone: PhoneOrWithheld,
    updated_fields: UpdatedFields,
    blocked: Blocked,
  }),
);

const FailedOutcome = component(
  'FailedOutcome',
  'An item that was not applied, with the reason.',
  z.object({
    index,
    error: z.string().check(describe('One of the error codes.', 'call_not_found')),
    message: z.string().check(describe('The cause, in a sentence for a person.', 'This agent has no such call.')),
  }),
);

/** Sets the outcomes of many calls. An item that is invalid, or whose call is missing or foreign, fails alone. */
export const updateCallOutcomes = endpoint({
  name: 'updateCallOutcomes',
  method: 'POST',
  path: '/call-outcomes',
  summary: 'Set the outcomes of many calls',
  description:
    'Sets the outcomes of up to 1,000 calls in one request, of any agents that the user of the API key may use. Items are processed independently: one that is invalid is in `failed`. Several items may name the same call: they are applied in the order sent. The batch tool (`npm run outcomes`) sends files of any size this way.',
  caller: { kind: 'key', scope: 'calls' },
  services: { calls: calls.for('setOutcomes'), credentials: credentials.for('accessTo') },
  body: z.object({
    items: z
      .array(z.unknown().check(z.meta({ documentAs: CallOutcomeItem })))
      .check(z.minLength(1), z.maxLength(limits.outcomesPerRequest), z.describe('1 to 1,000 outcomes to set.')),
  }),
  response: z
    .object({
      updated: z.array(UpdatedOutcome).check(z.describe('The items that were applied, in the order sent.')),
      failed: z.array(FailedOutcome).check(z.describe('The items that were not applied, in the order sent.')),
    })
    .check(z.describe('The result of each item.')),
  errorDescriptions: {
    400: 'There is no item, or there are more than 1,000.',
  },

  async handle({ body, principal }, { calls, credentials }) {
    const checked = body.items.map((item, index) => ({ index, ...validate(CallOutcomeItem, item) }));
    const access = await credentials.accessTo(checked.flatMap(({ data }) => data?.agentId ?? []));
    const at = now();
    const failed: z.infer<typeof FailedOutcome>[] = [];
    const fail = (index: number, { code, message }: ApiError) => failed.push({ index, error: code, message });
    const accepted = checked.flatMap(({ index, data: item, error }) => {
      const agent = item && access.get(item.agentId);
      if (error) fail(index, error);
      else if (!agent?.has(principal.uid)) fail(index, insufficientPermissions());
      else {
        const reference = toCallReference(item.callIdOrPhone, item.preference);
        const change = (call: Call) => withOutcome(call, item, item.metadataMode, principal.keyId, at);
        const block = blockingOf(item, { uid: agent.owner, blockOnOutcomes: agent.blockOnOutcomes });
        return [{ index, item, agentId: item.agentId, reference, change, block }];
      }
      return [];
    });
    const results = await calls.setOutcomes(accepted, timeoutMilliseconds);
    const updated: z.infer<typeof UpdatedOutcome>[] = [];
    for (const [place, { index, item, block }] of accepted.entries()) {
      const call = results[place];
      if (call instanceof Error) fail(index, call instanceof ApiError ? call : notDone());
      else if (!call) fail(index, noSuchCall(item.callIdOrPhone));
      else {
        const { callId, agentId, phone = null } = call;
        updated.push({
          index,
          call_id: callId,
          agent_id: agentId,
          phone,
          updated_fields: fieldsOf(item),
          ...(block && phone !== null && { blocked: true as const }),
        });
      }
    }
    return { updated, failed: failed.sort((a, b) => a.index - b.index) };
  },
});

/** Calls that are not written by then are reported as failed. */
const timeoutMilliseconds = 15_000;

const notDone = () => new ApiError('internal_error', 'This outcome could not be set. Send it again later.');

export const handler = lambda(updateCallOutcomes);
