import * as z from 'zod/mini';
import { describedObject, listField, textField } from '../domain/describe.ts';
import { examples } from '../domain/examples.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { UidOfOwner } from '../domain/users.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agents } from '../store/agents/agents.ts';
import { users } from '../store/users.ts';
import { guestsOfAdministered } from '../users/administered-agent.ts';

/** Lists the users with whom an agent is shared. */
export const listAgentAccess = endpoint({
  name: 'listAgentAccess',
  method: 'GET',
  path: '/agents/{agentId}/access',
  summary: 'List the guests of an agent',
  description:
    'Returns the users with whom the owner shares an agent: its guests. The API key is of the owner (scope `agents`), or of the user that created the owner (scope `users`).',
  caller: { kind: 'key', scope: ['agents', 'users'], administersUsers: true },
  services: { agents: agents.for('access'), users: users.for('findClient', 'findMany') },
  params: z.object({ agentId: AgentIdInPath }),
  query: z.object({ uid: UidOfOwner }),
  response: describedObject('Who may use the agent besides its owner.', {
    access: listField(
      z.object({
        uid: textField('Id of the guest.', examples.clientUid),
        name: z.optional(textField('A name for people.', 'Acme Inc.')),
      }),
      'The guests, sorted by `uid`.',
    ),
  }),
  errors: ['user_not_found'],

  async handle({ principal, params: { agentId }, query: { uid } }, { agents, users }) {
    const guests = await guestsOfAdministered(principal, { uid, agentId }, { agents, users });
    const found = await users.findMany(guests);
    return { access: guests.toSorted().map((guest) => ({ uid: guest, name: found.get(guest)?.name })) };
  },
});

export const handler = lambda(listAgentAccess);
