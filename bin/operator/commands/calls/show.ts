import { Preference, toCallReference } from '../../../../functions/domain/calls.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { describeCall, noSuchCall } from '../../calls/describe-call.ts';
import { existingAgent } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const showCall = (calls: Group) =>
  calls
    .command('show')
    .description('Show a call')
    .argument('<callIdOrPhone>', 'the id of the call, or a phone number in E.164 format')
    .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
    .option('--preference <preference>', 'which call of a phone number: first or last', as(Preference), 'last' as const)
    .addHelpText(
      'after',
      examples('calls show call-0042 --agent-id front-desk', 'calls show +14155550100 --agent-id front-desk'),
    )
    .action(async (callIdOrPhone, _, command) => {
      const options = command.optsWithGlobals();
      const { agentId, preference } = options;
      const stores = await openStores(options);
      await existingAgent(stores.agents, agentId);
      const call = await stores.calls.find(agentId, toCallReference(callIdOrPhone, preference));
      if (!call) throw noSuchCall(agentId, callIdOrPhone);
      print(options, call, () => describeCall(call));
    });
