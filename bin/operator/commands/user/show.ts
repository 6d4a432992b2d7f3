import { judgeKeyStatus } from '../../../../functions/domain/api-keys.ts';
import { identifier } from '../../../command-line/arguments.ts';
import { print, record, table } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const showUser = (user: Group) =>
  addCommand(user, 'user show', 'Show a user with their agents and keys', ['acme'])
    .argument('<uid>', 'the user', identifier)
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
