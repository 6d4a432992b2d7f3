import { statusOf } from '../../functions/domain/api-keys.ts';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import { text } from '../../functions/domain/text.ts';
import { existingUser } from './existing-user.ts';
import { columns, print, record } from './output.ts';
import { examples, type Operator } from './program.ts';
import { as } from './read.ts';
import { openStores } from './stores.ts';
import { UsageError } from './usage-error.ts';

export const addUserCommands = (program: Operator) => {
  const user = program
    .command('user')
    .description('Users, to whom keys and agents belong')
    .addHelpText('after', examples('user create acme', 'user show acme'));

  user
    .command('create')
    .description('Make a user')
    .argument('<uid>', 'the user’s id, yours to choose', as(Identifier))
    .option('--name <name>', 'a name for people to read', as(text(1, limits.nameCharacters)))
    .addHelpText('after', examples('user create acme', 'user create acme --name "Acme Inc."'))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users } = await openStores(options);
      const made = await users.create(uid, options.name);
      if (!made) throw new UsageError(`There is a user ${uid} already.`);
      print(options, made, () => `User ${uid} made.`);
    });

  user
    .command('show')
    .description('Show a user, with their agents and keys')
    .argument('<uid>', 'the user’s id', as(Identifier))
    .addHelpText('after', examples('user show acme'))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users, agents, apiKeys } = await openStores(options);
      const { name, createdAt } = await existingUser(users, uid);
      const own = await Array.fromAsync(agents.list(uid), (agent) => ({
        agentId: agent.agentId,
        name: agent.name,
        owner: agent.uid,
      }));
      const keys = (await apiKeys.list(uid)).map((key) => ({ ...key, status: statusOf(key) }));
      print(options, { uid, ...(name !== undefined && { name }), createdAt, agents: own, keys }, () => {
        const parts = [record({ uid, name, created: createdAt, agents: own.length, keys: keys.length })];
        if (own.length > 0)
          parts.push(
            columns(
              own.map((agent) => [agent.agentId, agent.name, agent.owner]),
              ['AGENT', 'NAME', 'OWNER'],
            ),
          );
        if (keys.length > 0)
          parts.push(
            columns(
              keys.map((key) => [key.keyId, key.name, key.status]),
              ['KEY', 'NAME', 'STATUS'],
            ),
          );
        return parts.join('\n\n');
      });
    });
};
