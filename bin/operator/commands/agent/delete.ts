import { dataOf } from '../../../../functions/openapi/client/client.ts';
import { identifier } from '../../../command-line/arguments.ts';
import { serviceOption } from '../../../command-line/connection.ts';
import { interruption } from '../../../command-line/interruption.ts';
import { say } from '../../../command-line/output.ts';
import { countAgent, reportDeletion } from '../../deletion.ts';
import { existingAgent } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { asUser } from '../../service.ts';
import { openStores } from '../../stores.ts';

export const deleteAgent = (agent: Group) =>
  addCommand(agent, 'agent delete', 'Delete an agent with its calls, block list and knowledge', [
    'front-desk',
    'front-desk --yes',
  ])
    .argument('<agentId>', 'the agent', identifier)
    .option('--yes', 'delete (default: only count what would be deleted)')
    .option(...serviceOption)
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { table, agents, apiKeys } = await openStores(options);
      const { owner, guests } = await existingAgent(agents, agentId);
      const counts = await countAgent(table, agentId, guests);
      if (options.yes) {
        using stop = interruption();
        await asUser(options, { apiKeys, uid: owner, scope: 'agents' }, stop.signal, async (api) =>
          dataOf(await api.agents.delete({ agentId })),
        );
        say('The agent is deleted. Its data are deleted in the background.');
      }
      reportDeletion(options, { agentId }, counts);
    });
