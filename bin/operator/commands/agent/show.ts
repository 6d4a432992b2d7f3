import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print, record } from '../../../command-line/output.ts';
import { existingAgent } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const showAgent = (agent: Group) =>
  agent
    .command('show')
    .description('Show an agent and who has access to it')
    .argument('<agentId>', 'the agent', as(Identifier))
    .addHelpText('after', examples('agent show front-desk', 'agent show front-desk --json > front-desk.json'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { agents } = await openStores(options);
      const { owner, guests } = await existingAgent(agents, agentId);
      const found = await agents.find(owner, agentId);
      if (!found) throw new CommandError(`There is no agent ${agentId}.`);
      print(options, { ...found, guests }, () => {
        const head = record({
          agent: agentId,
          name: found.name,
          'phone number': found.phoneNumber,
          key: found.key,
          version: found.version,
          owner,
          guests: guests.join(', ') || 'none',
          'copy of': found.sourceAgentId,
          created: found.createdAt,
          updated: found.updatedAt,
        });
        return `${head}\n\n${JSON.stringify(found.configuration, null, 2)}`;
      });
    });
