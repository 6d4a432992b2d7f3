import * as z from 'zod/mini';
import { beginJob, queueSender } from '../clients/job-queue.ts';
import { deletionResponse, textField } from '../domain/describe.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentDeletions } from '../store/agents/agent-deletions.ts';

/** Deletes an agent. It is gone with the response; its data are deleted in the background. */
export const deleteAgent = endpoint({
  name: 'deleteAgent',
  method: 'DELETE',
  path: '/agents/{agentId}',
  summary: 'Delete an agent',
  description:
    'Deletes an agent with its calls, block list, knowledge and the access of other users. Only its owner may delete it. From the response on, the agent does not exist for any operation and its phone number is free; its data are deleted in the background. This cannot be undone.',
  caller: { kind: 'key', scope: 'agents', agent: ({ params }) => params },
  services: { agentDeletions: agentDeletions.for('remove'), jobQueue: queueSender('finishDeletion') },
  params: z.object({
    // Not the agent of the other examples, which must work after this one has been tried.
    agentId: textField('Id of the agent.', 'agent_01KB3N0W7C5M9Y2D4S6V8X1Z3T'),
  }),
  response: deletionResponse('the agent', 'Agent deleted successfully'),

  async handle({ principal, agent: { agentId, uid } }, { agentDeletions, jobQueue }) {
    if (uid !== principal.uid) throw insufficientPermissions();
    const message = { job: 'finishDeletion', uid, agentId } as const;
    // The delayed message repeats the rest of the deletion when no earlier request is in flight.
    await beginJob(jobQueue, message, async () => {
      if (!(await agentDeletions.remove(uid, agentId))) throw insufficientPermissions();
    });
    return { message: 'Agent deleted successfully' };
  },
});

export const handler = lambda(deleteAgent);
