import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { statusOf } from '../../functions/domain/api-keys.ts';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import { text } from '../../functions/domain/text.ts';
import { userKey } from '../../functions/store/keys.ts';
import type { Table } from '../../functions/store/table.ts';
import type { User } from '../../functions/store/users.ts';
import { as } from '../command-line/arguments.ts';
import { CommandError } from '../command-line/exit-codes.ts';
import { columns, print, record } from '../command-line/output.ts';
import { existingUser } from './existing-user.ts';
import { examples, type Operator } from './program.ts';
import { scan } from './scan.ts';
import { openStores } from './stores.ts';

const UserName = text(1, limits.nameCharacters);

export const addUserCommands = (program: Operator) => {
  const user = program.command('user').description('Users, who own keys and agents');

  user
    .command('create')
    .description('Create a user')
    .argument('<uid>', 'an id of your choice', as(Identifier))
    .option('--name <name>', 'a display name', as(UserName))
    .addHelpText('after', examples('user create acme', 'user create acme --name "Acme Inc."'))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users } = await openStores(options);
      const created = await users.create(uid, options.name);
      if (!created) throw new CommandError(`User ${uid} already exists.`);
      print(options, created, () => `User ${uid} created.`);
    });

  user
    .command('list')
    .description('List all users, by reading the whole table')
    .addHelpText('after', examples('user list', 'user list --json'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { table } = await openStores(options);
      const users = await allUsers(table);
      print(options, { users }, () =>
        users.length === 0
          ? 'There are no users.'
          : columns(
              users.map((one) => [one.uid, one.name, one.createdAt]),
              ['USER', 'NAME', 'CREATED'],
            ),
      );
    });

  user
    .command('show')
    .description('Show a user with their agents and keys')
    .argument('<uid>', 'the user', as(Identifier))
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
        const parts = [record({ user: uid, name, created: createdAt, agents: own.length, keys: keys.length })];
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

  user
    .command('update')
    .description('Rename a user')
    .argument('<uid>', 'the user', as(Identifier))
    .requiredOption('--name <name>', 'the new display name', as(UserName))
    .addHelpText('after', examples('user update acme --name "Acme GmbH"'))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users } = await openStores(options);
      await existingUser(users, uid);
      const updated = await users.rename(uid, options.name);
      print(options, updated, () => `User ${uid} updated.`);
    });
};

/** Users have no list of their own in the table: it is scanned for them. */
const allUsers = async (table: Table): Promise<User[]> => {
  const users: User[] = [];
  const found = {
    FilterExpression: 'sk = :user',
    ExpressionAttributeValues: { ':user': { S: userKey('').sk } as AttributeValue },
  };
  await scan(table, table.name, found, async (items) => {
    for (const item of items) {
      const { pk: _pk, sk: _sk, ...user } = unmarshall(item);
      users.push(user as User);
    }
  });
  return users.sort((a, b) => (a.uid < b.uid ? -1 : 1));
};
