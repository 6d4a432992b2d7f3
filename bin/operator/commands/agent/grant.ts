import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { existingAgent, existingUser } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const grantAgent = (agent: Group) =>
  agent
    .command('grant')
    .description('Give another user access to an agent')
    .argument('<agentId>', 'the agent', as(Identifier))
    .requiredOption('--uid <uid>', 'the user who gets access', as(Identifier))
    .addHelpText('after', examples('agent grant front-desk --uid partner'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { users, agents } = await openStores(options);
      const { owner } = await existingAgent(agents, agentId);
      await existingUser(users, options.uid);
      if (owner === options.uid) throw new CommandError(`User ${owner} owns agent ${agentId}, and already has access.`);
      await agents.grant(agentId, owner, options.uid);
      print(
        options,
        { agentId, uid: options.uid, access: true },
        () => `User ${options.uid} has access to agent ${agentId}.`,
      );
    });
