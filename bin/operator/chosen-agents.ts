import { identifier } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { existingAgent, existingUser } from './existing.ts';
import { addCommand } from './program.ts';
import type { Stores } from './stores.ts';

/** Adds a command about an agent, or about all agents that a user owns. */
export const chosenAgentsCommand = (...command: Parameters<typeof addCommand>) =>
  addCommand(...command)
    .option('--agent-id <id>', 'the agent (required without --uid)', identifier)
    .option('--uid <uid>', 'all agents that this user owns', identifier);

/** Returns the id of the agent `--agent-id`, or those of all agents that the user `--uid` owns. Fails unless one of them is given. */
export const chosenAgents = async (
  { users, agents }: Stores,
  { agentId, uid }: { agentId?: string | undefined; uid?: string | undefined },
): Promise<string[]> => {
  if (agentId !== undefined && uid === undefined) {
    await existingAgent(agents, agentId);
    return [agentId];
  }
  if (uid === undefined || agentId !== undefined) {
    throw new CommandError('Name the agent with --agent-id, or the owner of the agents with --uid.', exitCodes.usage);
  }
  await existingUser(users, uid);
  const owned = await Array.fromAsync(agents.owned(uid));
  return owned.flat().map((agent) => agent.agentId);
};
