import {
  AgentKey,
  AgentName,
  findMisspelledFields,
  toNewAgent,
  type UnversionedAgent,
  VersionNote,
} from '../../../../functions/domain/agents.ts';
import { newIdentifier } from '../../../../functions/domain/identifiers.ts';
import { PhoneNumber } from '../../../../functions/domain/phone-numbers.ts';
import { type AgentChanges, AgentExistsError } from '../../../../functions/store/agents/agent-changes.ts';
import { as, identifier } from '../../../command-line/arguments.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print, say } from '../../../command-line/output.ts';
import { readConfiguration } from '../../agents/configuration.ts';
import { existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const createAgent = (agent: Group) =>
  addCommand(agent, 'agent create', 'Create an agent', [
    '--uid acme --name "Front desk"',
    '--uid acme --name "Front desk" --configuration front-desk.json --id front-desk',
  ])
    .requiredOption('--uid <uid>', 'the owner', identifier)
    .requiredOption('--name <name>', 'a display name', as(AgentName))
    .option('--configuration <file>', 'a JSON file with the configuration')
    .option('--phone-number <number>', 'the number the agent answers', as(PhoneNumber))
    .option('--key <key>', 'the name that the agent has in files', as(AgentKey))
    .option('--note <note>', 'why: a note for the history of the agent', as(VersionNote))
    .option('--id <id>', 'an id of your choice (default: a new one)', identifier)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { uid, name, phoneNumber, key, note } = options;
      const configuration = options.configuration ? await readConfiguration(options.configuration) : {};
      const { users, agentChanges } = await openStores(options);
      await existingUser(users, uid);
      const agentId = options.id ?? newIdentifier('agent');
      const created = await create(
        agentChanges,
        toNewAgent({ uid, name, phoneNumber, key, configuration }, agentId),
        note,
      );
      for (const { path, message } of findMisspelledFields(configuration)) say(`${path} ${message}`);
      print(options, created, () => `Agent ${agentId} created.`);
    });

/** Creates an agent. Fails if the id is taken, even by the same owner. */
const create = async (agentChanges: AgentChanges, agent: UnversionedAgent, note?: string) => {
  try {
    const created = await agentChanges.create(agent, { note });
    if (created.createdAt === agent.createdAt) return created;
  } catch (error) {
    if (!(error instanceof AgentExistsError)) throw error;
  }
  throw new CommandError(`Agent ${agent.agentId} already exists.`);
};
