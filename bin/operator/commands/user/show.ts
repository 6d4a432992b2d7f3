import { judgeKeyStatus } from '../../../../functions/domain/api-keys.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print, record, table } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const showUser = (user: Group) =>
  user
    .command('show')
    .description('Show a user with their agents and keys')
    .argument('<uid>', 'the user', as(Identifier))
    .addHelpText('after', examples('user show acme'))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users, agents, apiKeys } = await openStores(options);
      const { name, createdAt, maker, suspended } = await existingUser(users, uid);
      const own = await Array.fromAsync(agents.list(uid), (agent) => ({
        agentId: agent.agentId,
        name: agent.name,
        owner: agent.uid,
      }));
      const keys = (await apiKeys.list(uid)).map((key) => ({ ...key, status: judgeKeyStatus(key) }));
      print(options, { uid, name, createdAt, maker, suspended, agents: own, keys }, () =>
        [
          record({
            user: uid,
            name,
            created: createdAt,
            'client of': maker,
            suspended: suspended && 'yes',
            agents: own.length,
            keys: keys.length,
          }),
          table(own, { AGENT: 'agentId', NAME: 'name', OWNER: 'owner' }),
          table(keys, { KEY: 'keyId', NAME: 'name', STATUS: 'status' }),
        ]
          .filter(Boolean)
          .join('\n\n'),
      );
    });
