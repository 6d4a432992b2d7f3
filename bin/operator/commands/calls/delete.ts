import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { noSuchCall } from '../../calls/describe-call.ts';
import { reportDeletion } from '../../deletion.ts';
import { existingAgent } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const deleteCall = (calls: Group) =>
  calls
    .command('delete')
    .description('Delete a call')
    .argument('<callId>', 'the id of the call', as(Identifier))
    .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
    .option('--yes', 'do it; without this option, the call is only looked for')
    .addHelpText('after', examples('calls delete call-0042 --agent-id front-desk --yes'))
    .action(async (callId, _, command) => {
      const options = command.optsWithGlobals();
      const { agentId, yes } = options;
      const stores = await openStores(options);
      await existingAgent(stores.agents, agentId);
      const isThere = yes ? await stores.calls.remove(agentId, callId) : await stores.calls.find(agentId, { callId });
      if (!isThere) throw noSuchCall(agentId, callId);
      reportDeletion(options, { agentId, callId }, { calls: 1 });
    });
