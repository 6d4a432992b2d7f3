import * as z from 'zod/mini';
import { deletionResponse, textField } from '../domain/describe.ts';
import { insufficientPermissions, noSuchTranscript } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { AgentIdInPath, Uid } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { calls } from '../store/calls/calls.ts';

/** Deletes what was said in a call, and leaves the call. */
export const deleteCallTranscript = endpoint({
  name: 'deleteCallTranscript',
  method: 'DELETE',
  path: '/calls/{agentId}/{callId}/transcript',
  summary: 'Delete the transcript of a call',
  description:
    'Deletes what was said in a call. The call stays, and no later report of a voice platform brings the transcript back. Only the owner of the agent may do this: other users with access get the 401 of an agent that they cannot use.',
  caller: {
    kind: 'key',
    scope: 'calls',
    agent: ({ params: { agentId }, query: { uid } }) => ({ agentId, uid }),
  },
  services: { calls: calls.for('removeTranscript') },
  params: z.object({ agentId: AgentIdInPath, callId: textField('Id of the call.', examples.callId) }),
  query: z.object({ uid: Uid }),
  response: deletionResponse('the transcript', 'Transcript deleted successfully'),
  errors: ['not_found'],

  async handle({ principal, agent: { agentId, uid }, params: { callId } }, { calls }) {
    if (uid !== principal.uid) throw insufficientPermissions();
    if (!(await calls.removeTranscript(agentId, callId, { isLogged: true }))) throw noSuchTranscript();
    return { message: 'Transcript deleted successfully' };
  },
});

export const handler = lambda(deleteCallTranscript);
