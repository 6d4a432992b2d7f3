import * as z from 'zod/mini';
import { describedObject, textField } from '../domain/describe.ts';
import { noSuchGuest } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { ClientUidInPath, mayShare, UidOfOwner } from '../domain/users.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentSharing } from '../store/agents/agent-sharing.ts';
import { agents } from '../store/agents/agents.ts';
import { users } from '../store/users.ts';
import { guestsOfAdministered } from '../users/administered-agent.ts';

/** Shares an agent with another user. */
export const grantAgentAccess = endpoint({
  name: 'grantAgentAccess',
  method: 'PUT',
  path: '/agents/{agentId}/access/{guestUid}',
  summary: 'Share an agent',
  description: `Lets another user use an agent. The API key is of the owner (scope \`agents\`), or of the user that created the owner (scope \`users\`). The owner and the guest were created by the same user, or one of them created the other. Sharing again changes nothing. An agent has at most ${formatLimit('guests')} guests.`,
  caller: { kind: 'key', scope: ['agents', 'users'], administersUsers: true },
  services: {
    agents: agents.for('access'),
    agentSharing: agentSharing.for('share'),
    users: users.for('findClient', 'findMany'),
  },
  params: z.object({ agentId: AgentIdInPath, guestUid: ClientUidInPath }),
  body: z.object({ uid: UidOfOwner }),
  response: describedObject('The agent and its guest.', {
    agentId: textField('Id of the agent.', examples.agentId),
    uid: textField('Id of the guest.', examples.clientUid),
  }),
  errors: ['user_not_found', 'quota_exceeded'],

  async handle({ principal, params: { agentId, guestUid }, body: { uid } }, { agents, agentSharing, users }) {
    const guests = await guestsOfAdministered(principal, { uid, agentId }, { agents, users });
    const found = await users.findMany([uid, guestUid]);
    const [owner, guest] = [found.get(uid), found.get(guestUid)];
    const isAllowed = owner && guest && (principal.isOperators ? uid !== guestUid : mayShare(owner, guest));
    if (!isAllowed) throw noSuchGuest();
    // The limit of guests is for other keys.
    const isLimited = !principal.isOperators;
    if (!guests.includes(guestUid)) await agentSharing.share(agentId, uid, guestUid, { isLimited });
    return { agentId, uid: guestUid };
  },
});

export const handler = lambda(grantAgentAccess);
