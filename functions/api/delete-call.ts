import * as z from 'zod/mini';
import { CallIdAlone, checkIsNoPhoneNumber } from '../domain/calls.ts';
import { deletionResponse } from '../domain/describe.ts';
import { insufficientPermissions, noSuchCall } from '../domain/errors.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { calls } from '../store/calls/calls.ts';

/** Deletes a call with all entries that point to it. */
export const deleteCall = endpoint({
  name: 'deleteCall',
  method: 'DELETE',
  path: '/calls/{agentId}/{callIdOrPhone}',
  summary: 'Delete a call',
  description:
    'Deletes a call with its outcome, only by its id, because a phone number may have several calls. Only the owner of the agent may delete its calls: other users with access get the 401 of an agent that they cannot use. A report of your voice platform within 40 days, in its webhook or in its list of calls, does not bring it back; recording it yourself does.',
  caller: { kind: 'key', scope: 'calls', agent: ({ params }) => params },
  services: { calls: calls.for('remove') },
  params: z.object({ agentId: AgentIdInPath, callIdOrPhone: CallIdAlone }),
  response: deletionResponse('the call', 'Call deleted successfully'),
  errors: ['invalid_request', 'call_not_found'],

  async handle({ principal, agent: { agentId, uid }, params: { callIdOrPhone: callId } }, { calls }) {
    if (uid !== principal.uid) throw insufficientPermissions();
    checkIsNoPhoneNumber(callId);
    if (!(await calls.remove(agentId, callId))) throw noSuchCall(callId);
    return { message: 'Call deleted successfully' };
  },
});

export const handler = lambda(deleteCall);
