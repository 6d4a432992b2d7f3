import type { Agents } from '../../functions/store/agents/agents.ts';
import type { Users } from '../../functions/store/users.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';

/** Finds a user, or fails with a sentence that says how to create one. */
export const existingUser = async (users: Users, uid: string) => {
  const user = await users.find(uid);
  if (!user)
    throw new CommandError(
      `There is no user ${uid}. Create one with "user create ${uid}".`,
      exitCodes.failed,
      'user_not_found',
    );
  return user;
};

/** Finds the owner and the guests of an agent, or fails. */
export const existingAgent = async (agents: Agents, agentId: string) => {
  const access = await agents.access(agentId);
  if (!access) throw new CommandError(`There is no agent ${agentId}.`, exitCodes.failed, 'agent_not_found');
  return access;
};

/** Returns `uid` if that user has access to the agent, or its owner if `uid` is undefined; fails otherwise. */
export const userWithAccess = async (agents: Agents, agentId: string, uid?: string): Promise<string> => {
  const { owner, guests } = await existingAgent(agents, agentId);
  if (uid === undefined || uid === owner || guests.includes(uid)) return uid ?? owner;
  throw new CommandError(`User ${uid} has no access to agent ${agentId}.`);
};
