import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { existingAgent } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const revokeAgent = (agent: Group) =>
  agent
    .command('revoke')
    .description('Revoke the access of another user to an agent')
    .argument('<agentId>', 'the agent', as(Identifier))
    .requiredOption('--uid <uid>', 'the user who loses access', as(Identifier))
    .addHelpText('after', examples('agent revoke front-desk --uid partner'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { agents } = await openStores(options);
      const { owner, guests } = await existingAgent(agents, agentId);
      const uid = options.uid;
      if (owner === uid)
        throw new CommandError(`User ${uid} owns agent ${agentId}. The access of an owner cannot be revoked.`);
      if (!guests.includes(uid)) throw new CommandError(`User ${uid} has no access to agent ${agentId}.`);
      await agents.revoke(agentId, owner, uid);
      print(options, { agentId, uid, access: false }, () => `User ${uid} no longer has access to agent ${agentId}.`);
    });
