import type { Call } from '../../../functions/domain/calls.ts';
import { identifier } from '../../command-line/arguments.ts';
import { selectingCalls, type toSelection } from '../../command-line/call-filter.ts';
import { readAgentIds, readCalls } from '../../command-line/calls-of-agents.ts';
import { serviceOption } from '../../command-line/connection.ts';
import { addCommand } from '../program.ts';
import type { ServiceOptions } from '../service.ts';
import { runWithService } from '../service-command.ts';

/** Adds a command about selected calls of an agent, or of all agents that a user may use. */
export const selectedCallsCommand = (...command: Parameters<typeof addCommand>) =>
  selectingCalls(
    addCommand(...command)
      .option('--agent-id <id>', 'the agent (required without --uid)', identifier)
      .option('--uid <uid>', 'all agents that this user owns or has access to', identifier)
      .option(...serviceOption),
  );

/** Runs `work` with the selected calls, newest first: of the named agent, or of each agent that the user may use. */
export const withSelectedCalls = async (
  options: ServiceOptions<string | undefined>,
  selection: ReturnType<typeof toSelection>,
  work: (calls: AsyncIterable<Call>[]) => Promise<void>,
): Promise<void> => {
  await runWithService(options, ['agents', 'calls'], async ({ api, uid, agentId }) => {
    const agentIds = agentId === undefined ? await readAgentIds(api, uid) : [agentId];
    await work(agentIds.map((one) => readCalls(api, one, selection)));
  });
};
