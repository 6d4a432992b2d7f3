import { AgentKey, AgentName, VersionNote, withChange } from '../../../../functions/domain/agents.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { PhoneNumber } from '../../../../functions/domain/phone-numbers.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { readConfigurationChange } from '../../agents/configuration.ts';
import { existingAgent } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const updateAgent = (agent: Group) =>
  agent
    .command('update')
    .description('Change the name, configuration, phone number or key of an agent')
    .argument('<agentId>', 'the agent', as(Identifier))
    .option('--name <name>', 'a new name', as(AgentName))
    .option(
      '--configuration <file>',
      'a JSON file whose fields replace those of the configuration; null clears a field',
    )
    .option('--phone-number <number>', 'the number the agent answers', as(PhoneNumber))
    .option('--no-phone-number', 'remove the phone number')
    .option('--key <key>', 'the name that the agent has in files', as(AgentKey))
    .option('--no-key', 'remove the key')
    .option('--note <note>', 'why: a note for the history of the agent', as(VersionNote))
    .addHelpText(
      'after',
      examples('agent update front-desk --name Reception', 'agent update front-desk --configuration greeting.json'),
    )
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { name, phoneNumber, key, note } = options;
      const configuration = options.configuration && (await readConfigurationChange(options.configuration));
      if ([name, configuration, phoneNumber, key].every((given) => given === undefined)) {
        throw new CommandError(
          'Nothing to change. Use --name, --configuration, --phone-number, --no-phone-number, --key or --no-key.',
          exitCodes.usage,
        );
      }
      const { agents } = await openStores(options);
      const { owner } = await existingAgent(agents, agentId);
      const change = {
        ...(name !== undefined && { name }),
        ...(configuration && { configuration }),
        ...(phoneNumber !== undefined && { phoneNumber: phoneNumber === false ? null : phoneNumber }),
        ...(key !== undefined && { key: key === false ? null : key }),
      };
      const updated = await agents.change(owner, agentId, (found) => withChange(found, change), { note });
      if (!updated) throw new CommandError(`There is no agent ${agentId}.`);
      print(options, updated, () => `Agent ${agentId} updated. Its version is ${updated.version}.`);
    });
