import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print, table } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const listAgents = (agent: Group) =>
  agent
    .command('list')
    .description('List the agents that a user owns or has access to')
    .requiredOption('--uid <uid>', 'the user', as(Identifier))
    .addHelpText('after', examples('agent list --uid acme', 'agent list --uid acme --json'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { users, agents } = await openStores(options);
      await existingUser(users, options.uid);
      const found = await Array.fromAsync(agents.list(options.uid));
      print(options, { agents: found }, () =>
        table(
          found,
          {
            AGENT: 'agentId',
            NAME: 'name',
            KEY: 'key',
            'PHONE NUMBER': 'phoneNumber',
            OWNER: 'uid',
            UPDATED: 'updatedAt',
          },
          `User ${options.uid} has no agents.`,
        ),
      );
    });
