import type { Agents } from '../../functions/store/agents.ts';
import { CommandError } from '../command-line/exit-codes.ts';

/** The owner and the guests of an agent; fails when there is no such agent. */
export const existingAgent = async (agents: Agents, agentId: string) => {
  const access = await agents.access(agentId);
  if (!access) throw new CommandError(`There is no agent ${agentId}.`);
  return access;
};
