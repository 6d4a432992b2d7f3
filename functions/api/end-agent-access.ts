import * as z from 'zod/mini';
import { confirmation, describedObject } from '../domain/describe.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { ClientUidInPath, UidOfOwner } from '../domain/users.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentSharing } from '../store/agents/agent-sharing.ts';
import { agents } from '../store/agents/agents.ts';
import { users } from '../store/users.ts';
import { guestsOfAdministered } from '../users/administered-agent.ts';

/** Ends the access of a guest to an agent. */
export const endAgentAccess = endpoint({
  name: 'endAgentAccess',
  method: 'DELETE',
  path: '/agents/{agentId}/access/{guestUid}',
  summary: 'End the sharing of an agent',
  description:
    'Ends the access of a guest to an agent, from the next request of the guest on. Ending it again changes nothing. The API key is of the owner (scope `agents`), or of the user that created the owner (scope `users`).',
  caller: { kind: 'key', scope: ['agents', 'users'], administersUsers: true },
  services: { agents: agents.for('access'), agentSharing: agentSharing.for('revoke'), users: users.for('findClient') },
  params: z.object({ agentId: AgentIdInPath, guestUid: ClientUidInPath }),
  query: z.object({ uid: UidOfOwner }),
  response: describedObject('Confirmation that the guest has no access.', {
    message: confirmation('Access ended successfully'),
  }),
  errors: ['user_not_found'],

  async handle({ principal, params: { agentId, guestUid }, query: { uid } }, { agents, agentSharing, users }) {
    const guests = await guestsOfAdministered(principal, { uid, agentId }, { agents, users });
    if (guests.includes(guestUid)) await agentSharing.revoke(agentId, uid, guestUid);
    return { message: 'Access ended successfully' };
  },
});

export const handler = lambda(endAgentAccess);
