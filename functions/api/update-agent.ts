import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { Agent, AgentChange, withChange, withWarnings } from '../domain/agents.ts';
import { nameKeyId } from '../domain/change-maker.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentChanges } from '../store/agents/agent-changes.ts';

/** Updates an agent. The configuration is merged by top-level field, and `null` clears a field. */
export const updateAgent = endpoint({
  name: 'updateAgent',
  method: 'PATCH',
  path: '/agents/{agentId}',
  summary: 'Update an agent',
  description:
    'Updates the fields that are sent; the others keep their values. `configuration` is merged by top-level field, and `null` clears a field. `agentId` and `uid` never change, and `phoneNumber` and `key` are changed by the owner of the agent alone. A change of `name` or `configuration` is a new version; what changes nothing makes none. After a change of `language` the agent’s knowledge is indexed again in the background.',
  caller: { kind: 'key', scope: 'agents', agent: ({ params }) => params },
  services: { agentChanges: agentChanges.for('change'), jobQueue: queueSender('indexKnowledge') },
  params: z.object({ agentId: AgentIdInPath }),
  body: AgentChange,
  response: Agent,
  hasETag: true,
  takesIfMatch: true,
  errors: ['phone_number_in_use', 'key_in_use'],

  async handle({ principal, agent: { uid, agentId }, body, ifMatch, creationId }, { agentChanges, jobQueue }) {
    const origin = { uid: principal.uid, keyId: nameKeyId(principal), note: body.note, creationId };
    const withOwnersChange = (found: Agent) => {
      const agent = withChange(found, body);
      // Routing and names are the owner's.
      const isOwners = agent.key !== found.key || agent.phoneNumber !== found.phoneNumber;
      if (isOwners && principal.uid !== uid) throw insufficientPermissions();
      return agent;
    };
    const changed = await agentChanges.change(uid, agentId, withOwnersChange, { ifMatch, ...origin });
    if (!changed) throw insufficientPermissions();
    // This also runs when the language stays the same: a request repeated after an error completes the indexing.
    if (body.configuration?.language !== undefined) await jobQueue.send({ job: 'indexKnowledge', uid, agentId });
    return withWarnings(changed, body.configuration);
  },
});

export const handler = lambda(updateAgent);
