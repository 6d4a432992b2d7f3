import { matchesFilters } from '../../../functions/domain/call-lists.ts';
import type { Call } from '../../../functions/domain/calls.ts';
import type { toSelection } from '../../command-line/call-filter.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { existingAgent, existingUser } from '../existing.ts';
import type { Stores } from '../stores.ts';

/** Returns the named agent, or all agents that a user owns or has access to. */
export const selectedAgents = async (
  { agents, users }: Stores,
  { agentId, uid }: { agentId?: string | undefined; uid?: string | undefined },
): Promise<string[]> => {
  if ((agentId === undefined) === (uid === undefined)) {
    throw new CommandError('Use either --agent-id or --uid.', exitCodes.usage);
  }
  if (agentId !== undefined) {
    await existingAgent(agents, agentId);
    return [agentId];
  }
  await existingUser(users, uid as string);
  return Array.fromAsync(agents.list(uid as string), (agent) => agent.agentId);
};

/** Yields the selected calls of agents, one agent after the other, newest first. */
export async function* selectedCalls(
  { calls }: Stores,
  agentIds: string[],
  { range, filters }: ReturnType<typeof toSelection>,
): AsyncGenerator<Call> {
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) return;
  for (const agentId of agentIds) {
    for await (const call of calls.list(agentId, range)) if (matchesFilters(call, filters)) yield call;
  }
}
