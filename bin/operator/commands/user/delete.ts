import { setTimeout as sleep } from 'node:timers/promises';
import { dataOf } from '../../../../functions/openapi/client/client.ts';
import { emptyUser } from '../../../../functions/users/empty-user.ts';
import { identifier } from '../../../command-line/arguments.ts';
import { serviceOption } from '../../../command-line/connection.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { interruption } from '../../../command-line/interruption.ts';
import { say } from '../../../command-line/output.ts';
import { type Counts, countAgent, countBlocked, reportDeletion } from '../../deletion.ts';
import { existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { asUser, type TargetOptions } from '../../service.ts';
import { openStores, type Stores } from '../../stores.ts';

export const deleteUser = (user: Group) =>
  addCommand(
    user,
    'user delete',
    'Delete a user with their agents, keys and block list',
    ['acme', 'acme --yes'],
    `
The user is deleted when the command ends, and the data of their agents in the background. A user who has clients cannot be
deleted: delete these first. After an interruption, the same command continues.
`,
  )
    .argument('<uid>', 'the user', identifier)
    .option('--yes', 'delete (default: only count what would be deleted)')
    .option(...serviceOption)
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      await existingUser(stores.users, uid);
      const clients = await stores.users.clients(uid, { limit: 1 }).next();
      if (!clients.done)
        throw new CommandError(`User ${uid} has clients, such as ${clients.value.uid}. Delete them first.`);
      const counts = await countUser(stores, uid);
      if (options.yes) {
        using stop = interruption();
        await removeUser(options, stores, uid, stop.signal);
        say('The user is deleted. The data of their agents are deleted in the background.');
      }
      reportDeletion(options, { uid }, counts);
    });

/** Counts what a user has, including the agents that the user owns. */
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

const pollMilliseconds = 200;

/** Deletes a user. The user's record goes last, so that deleting again completes an interrupted deletion. */
const removeUser = async (options: TargetOptions, stores: Stores, uid: string, signal: AbortSignal) => {
  const { users, apiKeys, blockListImports: imports } = stores;
  const deleteAgents = async (agentIds: string[]) => {
    if (agentIds.length === 0) return true;
    await asUser(options, { apiKeys, uid, scope: 'agents' }, signal, async (api) => {
      for (const agentId of agentIds) dataOf(await api.agents.delete({ agentId }));
    });
    return true;
  };
  const empty = () => emptyUser(uid, deleteAgents, { ...stores, imports }, Number.POSITIVE_INFINITY);
  for (let run = 0; (await empty()) !== 'empty'; run++) {
    if (run === 0) say('Waiting until the imports and copies of the user have ended …');
    await sleep(pollMilliseconds, undefined, { signal });
  }
  await users.remove(uid);
};
