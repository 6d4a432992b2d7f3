import type { Call } from '../../../functions/domain/calls.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { record, table } from '../../command-line/output.ts';

export const describeCall = (call: Call) => {
  const head = record({
    call: call.callId,
    agent: call.agentId,
    phone: call.phone,
    'agent’s phone': call.agentPhone,
    direction: call.direction,
    started: call.startedAt,
    ended: call.endedAt,
    'duration (s)': call.durationSeconds,
    status: call.status,
    'agent’s version': call.agentVersion,
    outcome: call.custom_call_outcome,
    value: call.custom_call_outcome_value,
    metadata: call.custom_call_metadata && JSON.stringify(call.custom_call_metadata),
    held: call.heldOutcome && `${call.heldOutcome.custom_call_outcome} (${call.heldOutcome.causes.join(', ')})`,
  });
  const { outcomeHistory = [] } = call;
  if (outcomeHistory.length === 0) return head;
  const changes = table(outcomeHistory, {
    'OUTCOME CHANGED': 'at',
    'BY KEY': 'keyId',
    FIELDS: ({ fields }) => fields.join(', '),
  });
  return `${head}\n\n${changes}`;
};

export const noSuchCall = (agentId: string, callIdOrPhone: string) =>
  new CommandError(`Agent ${agentId} has no call ${callIdOrPhone}.`, exitCodes.failed, 'call_not_found');
