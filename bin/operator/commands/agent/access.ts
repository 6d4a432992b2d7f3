import { identifier } from '../../../command-line/arguments.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { existingAgent, existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

const accessCommand = (agent: Group, name: string, description: string, user: string) =>
  addCommand(agent, `agent ${name}`, description, ['front-desk --uid partner'])
    .argument('<agentId>', 'the agent', identifier)
    .requiredOption('--uid <uid>', user, identifier);

export const grantAgent = (agent: Group) =>
  accessCommand(agent, 'grant', 'Give another user access to an agent', 'the user who gets access').action(
    async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { uid } = options;
      const { users, agents, agentSharing } = await openStores(options);
      const { owner } = await existingAgent(agents, agentId);
      await existingUser(users, uid);
      if (owner === uid) throw new CommandError(`User ${owner} owns agent ${agentId}, and already has access.`);
      // The limit of guests is for keys: the operator may exceed it.
      await agentSharing.share(agentId, owner, uid, { isLimited: false });
      print(options, { agentId, uid, access: true }, () => `User ${uid} has access to agent ${agentId}.`);
    },
  );

export const revokeAgent = (agent: Group) =>
  accessCommand(agent, 'revoke', 'Revoke the access of another user to an agent', 'the user who loses access').action(
    async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { uid } = options;
      const { agents, agentSharing } = await openStores(options);
      const { owner, guests } = await existingAgent(agents, agentId);
      if (owner === uid)
        throw new CommandError(`User ${uid} owns agent ${agentId}. The access of an owner cannot be revoked.`);
      if (!guests.includes(uid)) throw new CommandError(`User ${uid} has no access to agent ${agentId}.`);
      await agentSharing.revoke(agentId, owner, uid);
      print(options, { agentId, uid, access: false }, () => `User ${uid} no longer has access to agent ${agentId}.`);
    },
  );
