import type { Call } from '../../../functions/domain/calls.ts';
import type { toSelection } from '../../command-line/call-filter.ts';
import { readAgentIds, readCalls } from '../../command-line/calls-of-agents.ts';
import type { ServiceOptions } from '../service.ts';
import { runWithService } from '../service-command.ts';

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
