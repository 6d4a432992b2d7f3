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
import { interruption } from '../command-line/interruption.ts';
import { columns, print, record, say } from '../command-line/output.ts';
import { type Counts, countAgent, countBlocked, reportDeletion } from './deletion.ts';
import { existingUser } from './existing-user.ts';
import { examples, type Operator } from './program.ts';
import { scan } from './scan.ts';
import { asUser, dataOf, type ServiceOptions } from './service.ts';
import { openStores, type Stores } from './stores.ts';

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
    .command('delete')
    .description('Delete a user with their agents, keys and block list')
    .argument('<uid>', 'the user', as(Identifier))
    .option('--yes', 'do it; without this option, what would be deleted is only counted')
    .option('--base-url <url>', 'the address of the service, needed with --table')
    .addHelpText('after', examples('user delete acme', 'user delete acme --yes'))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      await existingUser(stores.users, uid);
      const counts = await countUser(stores, uid);
      if (options.yes) {
        using stop = interruption();
        await deleteUser(options, stores, uid, stop.signal);
        say('The user is deleted. What belongs to their agents is deleted in the background.');
      }
      reportDeletion(options, { uid }, counts);
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

/** What there is of a user and of the agents that the user owns. */
const countUser = async ({ table, agents, apiKeys }: Stores, uid: string): Promise<Counts> => {
  const counts: Counts = { agents: 0, keys: (await apiKeys.list(uid)).length };
  const add = (kind: string, count: number) => {
    counts[kind] = (counts[kind] ?? 0) + count;
  };
  add('blockedNumbers', await countBlocked(table, { uid }));
  for await (const owned of agents.owned(uid)) {
    counts.agents = (counts.agents ?? 0) + owned.length;
    for (const { agentId, guests } of owned) {
      for (const [kind, count] of Object.entries(await countAgent(table, agentId, guests))) add(kind, count);
    }
  }
  return counts;
};

/** Deletes a user, whose record goes last: interrupted at any point, deleting the user again completes it. */
const deleteUser = async (
  options: Omit<ServiceOptions, 'agentId'>,
  stores: Stores,
  uid: string,
  signal: AbortSignal,
) => {
  const { users, agents, apiKeys, blockList } = stores;
  // From here on nobody calls as the user.
  for (const { keyId } of await apiKeys.list(uid)) await apiKeys.delete(uid, keyId);
  await asUser(options, { apiKeys, uid, scope: 'agents' }, signal, async (api) => {
    for await (const owned of agents.owned(uid)) {
      for (const { agentId } of owned) dataOf(await api.DELETE('/agents/{agentId}', { params: { path: { agentId } } }));
    }
  });
  for await (const { agentId, uid: owner } of agents.list(uid)) {
    if (owner !== uid) await agents.revoke(agentId, owner, uid);
  }
  await blockList.removeAll({ uid }, Number.POSITIVE_INFINITY);
  await users.remove(uid);
};
