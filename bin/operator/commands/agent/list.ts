import { identifier } from '../../../command-line/arguments.ts';
import { print, table } from '../../../command-line/output.ts';
import { allAgents } from '../../all-users.ts';
import { existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const listAgents = (agent: Group) =>
  addCommand(agent, 'agent list', 'List agents', ['', '--uid acme --json'])
    .option(
      '--uid <uid>',
      'only those that this user owns or has access to (default: all agents, which reads the whole table)',
      identifier,
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      const { users, agents } = stores;
      if (options.uid) await existingUser(users, options.uid);
      const found = await Array.fromAsync(options.uid ? agents.list(options.uid) : allAgents(stores));
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
          options.uid ? `User ${options.uid} has no agents.` : 'There are no agents.',
        ),
      );
    });
