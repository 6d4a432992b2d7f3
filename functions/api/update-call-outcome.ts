import * as z from 'zod/mini';
import { decideOutcome } from '../domain/call-outcomes.ts';
import {
  Blocked,
  CallIdOrPhone,
  CallOutcomeChange,
  MetadataMode,
  PhoneOrWithheld,
  Preference,
  Revoked,
  UpdatedFields,
} from '../domain/calls.ts';
import { toNamedKey } from '../domain/change-maker.ts';
import { now } from '../domain/date-time.ts';
import { describe, describedObject, markField, textField } from '../domain/describe.ts';
import { noSuchCall } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { addressedCallLookup } from '../store/calls/addressed-call.ts';
import { calls } from '../store/calls/calls.ts';

/** Sets outcome fields of a call, named by its id or as the first or last one with a phone number. */
export const updateCallOutcome = endpoint({
  name: 'updateCallOutcome',
  method: 'PATCH',
  path: '/calls/{agentId}/{callIdOrPhone}',
  summary: 'Set the outcome of a call',
  description:
    'Updates any combination of the three outcome fields; `null` clears a field. The call is addressed by its id, or by a phone number: then `preference` chooses the first or the last call with that number. If the agent declares `outcomes`, the label must be one of them. An outcome that blocks, by this list or by `blockOnOutcomes`, also blocks the number of the call: for all agents of its owner, or for this agent if a user with whom it was shared sets the outcome. An outcome that revokes also revokes the consents of the person, with the owner of the agent. To set many outcomes use `POST /call-outcomes`.',
  caller: { kind: 'key', scope: 'calls', agent: ({ params }) => params, prefetch: addressedCallLookup },
  services: { calls: calls.for('setOutcome') },
  params: z.object({ agentId: AgentIdInPath, callIdOrPhone: CallIdOrPhone }),
  query: z.object({ preference: z._default(Preference, 'last'), metadataMode: z._default(MetadataMode, 'replace') }),
  body: CallOutcomeChange,
  response: describedObject('The call that was updated, and the fields that were set.', {
    success: markField('Always `true`.'),
    call_id: textField('Id of the call that was updated.', examples.callId),
    agent_id: textField('Id of the agent of the call.', examples.agentId),
    phone: PhoneOrWithheld,
    preference: Preference.check(describe('The preference that was applied.', 'last')),
    updated_fields: UpdatedFields,
    blocked: Blocked,
    revoked: Revoked,
  }),
  errors: ['unknown_outcome', 'call_not_found'],

  async handle({ agent, params: { callIdOrPhone }, query, body, principal, found: target }, { calls }) {
    const { preference, metadataMode: mode } = query;
    const { uid } = principal;
    const outcome = decideOutcome(
      body,
      { ...agent, owner: agent.uid },
      { uid, ...toNamedKey(principal), at: now(), mode },
    );
    const call = await calls.setOutcome({ ...target, ...outcome });
    if (!call) throw noSuchCall(callIdOrPhone);
    return {
      success: true as const,
      call_id: call.callId,
      agent_id: call.agentId,
      phone: call.phone ?? null,
      preference,
      updated_fields: outcome.fields(call),
      ...(outcome.block && call.phone !== undefined && { blocked: true as const }),
      ...(outcome.revocation && call.phone !== undefined && { revoked: true as const }),
    };
  },
});

export const handler = lambda(updateCallOutcome);
