import * as z from 'zod/mini';
import {
  CallOutcomeChange,
  fieldsOf,
  MetadataMode,
  outcomeFields,
  Preference,
  toCallReference,
  withOutcome,
} from '../domain/calls.ts';
import { now } from '../domain/date-time.ts';
import { noSuchCall } from '../domain/errors.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { calls } from '../store/calls.ts';

/** Sets outcome fields of a call, named by its id or as the first or last one with a phone number. */
export const updateCallOutcome = endpoint({
  name: 'updateCallOutcome',
  method: 'PATCH',
  path: '/calls/{agentId}/{callIdOrPhone}',
  summary: 'Set a call’s outcome',
  caller: { kind: 'key', scope: 'calls', agent: ({ params }) => params },
  may: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  uses: { calls },
  params: z.object({ agentId: z.string(), callIdOrPhone: z.string() }),
  query: z.object({ preference: z._default(Preference, 'last'), metadataMode: z._default(MetadataMode, 'replace') }),
  body: CallOutcomeChange,
  response: z.object({
    success: z.literal(true),
    call_id: z.string(),
    agent_id: z.string(),
    phone: z.string(),
    preference: Preference,
    updated_fields: z.array(z.enum(outcomeFields)),
  }),
  errors: {
    400: 'A parameter or the body is invalid.',
    401: 'The key is unknown, or its user may not use this agent.',
    404: 'There is no such call.',
  },

  async handle({ agent: { agentId }, params: { callIdOrPhone }, query, body, holder }, { calls }) {
    const { preference, metadataMode } = query;
    const target = { agentId, reference: toCallReference(callIdOrPhone, preference) };
    const call = await calls.change(
      target,
      (found) => found && withOutcome(found, body, metadataMode, holder.keyId, now()),
    );
    if (!call) throw noSuchCall(callIdOrPhone);
    const updated_fields = fieldsOf(body);
    return {
      success: true as const,
      call_id: call.callId,
      agent_id: agentId,
      phone: call.phone,
      preference,
      updated_fields,
    };
  },
});

export const handler = lambda(updateCallOutcome);
