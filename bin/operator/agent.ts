import * as z from 'zod/mini';
import { AgentConfiguration, AgentConfigurationChange, AgentName, withChange } from '../../functions/domain/agents.ts';
import { now } from '../../functions/domain/date-time.ts';
import { Identifier, newIdentifier } from '../../functions/domain/identifiers.ts';
import { isDeeperThan } from '../../functions/domain/json.ts';
import { limits } from '../../functions/domain/limits.ts';
import { PhoneNumber } from '../../functions/domain/phone-numbers.ts';
import { AgentExistsError, type Agents } from '../../functions/store/agents.ts';
import { as } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { interruption } from '../command-line/interruption.ts';
import { columns, print, record, say } from '../command-line/output.ts';
import { countAgent, reportDeletion } from './deletion.ts';
import { existingAgent } from './existing-agent.ts';
import { existingUser } from './existing-user.ts';
import { readJsonFile } from './json-file.ts';
import { examples, type Operator } from './program.ts';
import { asUser, dataOf } from './service.ts';
import { openStores } from './stores.ts';

/** The same bound that the body of a request has. */
const notTooDeep = z.refine<object>((value) => !isDeeperThan(value, limits.jsonDepth - 1), { error: 'nests too deep' });
const Configuration = AgentConfiguration.check(notTooDeep);
const ConfigurationChange = AgentConfigurationChange.check(notTooDeep);

export const addAgentCommands = (program: Operator) => {
  const agent = program.command('agent').description('Voice agents and the users who have access to them');

  agent
    .command('create')
    .description('Create an agent')
    .requiredOption('--uid <uid>', 'the owner', as(Identifier))
    .requiredOption('--name <name>', 'a display name', as(AgentName))
    .option('--configuration <file>', 'a JSON file with the configuration')
    .option('--phone-number <number>', 'the number the agent answers', as(PhoneNumber))
    .option('--id <id>', 'an id of your choice (default: a new one)', as(Identifier))
    .addHelpText(
      'after',
      examples(
        'agent create --uid acme --name "Front desk"',
        'agent create --uid acme --name "Front desk" --configuration front-desk.json --id front-desk',
      ),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { uid, name, phoneNumber } = options;
      const configuration = options.configuration ? await readJsonFile(Configuration, options.configuration) : {};
      const { users, agents } = await openStores(options);
      await existingUser(users, uid);
      const createdAt = now();
      const agentId = options.id ?? newIdentifier('agent');
      const record = { uid, agentId, name, configuration, ...(phoneNumber && { phoneNumber }), createdAt };
      const created = await create(agents, { ...record, updatedAt: createdAt });
      print(options, created, () => `Agent ${agentId} created.`);
    });

  agent
    .command('list')
    .description('List the agents that a user owns or has access to')
    .requiredOption('--uid <uid>', 'the user', as(Identifier))
    .addHelpText('after', examples('agent list --uid acme', 'agent list --uid acme --json'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { users, agents } = await openStores(options);
      await existingUser(users, options.uid);
      const found = await Array.fromAsync(agents.list(options.uid));
      print(options, { agents: found }, () =>
        found.length === 0
          ? `User ${options.uid} has no agents.`
          : columns(
              found.map((one) => [one.agentId, one.name, one.phoneNumber, one.uid, one.updatedAt]),
              ['AGENT', 'NAME', 'PHONE NUMBER', 'OWNER', 'UPDATED'],
            ),
      );
    });

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
          owner,
          guests: guests.join(', ') || 'none',
          'copy of': found.sourceAgentId,
          created: found.createdAt,
          updated: found.updatedAt,
        });
        return `${head}\n\n${JSON.stringify(found.configuration, null, 2)}`;
      });
    });

  agent
    .command('update')
    .description('Change the name, configuration or phone number of an agent')
    .argument('<agentId>', 'the agent', as(Identifier))
    .option('--name <name>', 'a new name', as(AgentName))
    .option(
      '--configuration <file>',
      'a JSON file whose fields replace those of the configuration; null clears a field',
    )
    .option('--phone-number <number>', 'the number the agent answers', as(PhoneNumber))
    .option('--no-phone-number', 'remove the phone number')
    .addHelpText(
      'after',
      examples('agent update front-desk --name Reception', 'agent update front-desk --configuration greeting.json'),
    )
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { name, phoneNumber } = options;
      const configuration = options.configuration && (await readJsonFile(ConfigurationChange, options.configuration));
      if (name === undefined && configuration === undefined && phoneNumber === undefined) {
        throw new CommandError(
          'Nothing to change. Use --name, --configuration, --phone-number or --no-phone-number.',
          exitCodes.usage,
        );
      }
      const { agents } = await openStores(options);
      const { owner } = await existingAgent(agents, agentId);
      const change = {
        ...(name !== undefined && { name }),
        ...(configuration && { configuration }),
        ...(phoneNumber !== undefined && { phoneNumber: phoneNumber === false ? null : phoneNumber }),
      };
      const updated = await agents.change(owner, agentId, (found) => withChange(found, change));
      if (!updated) throw new CommandError(`There is no agent ${agentId}.`);
      print(options, updated, () => `Agent ${agentId} updated.`);
    });

  agent
    .command('grant')
    .description('Give another user access to an agent')
    .argument('<agentId>', 'the agent', as(Identifier))
    .requiredOption('--to <uid>', 'the user who gets access', as(Identifier))
    .addHelpText('after', examples('agent grant front-desk --to partner'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { users, agents } = await openStores(options);
      const { owner } = await existingAgent(agents, agentId);
      await existingUser(users, options.to);
      if (owner === options.to) throw new CommandError(`User ${owner} owns agent ${agentId}, and already has access.`);
      await agents.grant(agentId, owner, options.to);
      print(
        options,
        { agentId, uid: options.to, access: true },
        () => `User ${options.to} has access to agent ${agentId}.`,
      );
    });

  agent
    .command('revoke')
    .description('Revoke the access of another user to an agent')
    .argument('<agentId>', 'the agent', as(Identifier))
    .requiredOption('--from <uid>', 'the user who loses access', as(Identifier))
    .addHelpText('after', examples('agent revoke front-desk --from partner'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { agents } = await openStores(options);
      const { owner, guests } = await existingAgent(agents, agentId);
      const uid = options.from;
      if (owner === uid)
        throw new CommandError(`User ${uid} owns agent ${agentId}. The access of an owner cannot be revoked.`);
      if (!guests.includes(uid)) throw new CommandError(`User ${uid} has no access to agent ${agentId}.`);
      await agents.revoke(agentId, owner, uid);
      print(options, { agentId, uid, access: false }, () => `User ${uid} no longer has access to agent ${agentId}.`);
    });

  agent
    .command('delete')
    .description('Delete an agent with its calls, block list and knowledge')
    .argument('<agentId>', 'the agent', as(Identifier))
    .option('--yes', 'do it; without this option, what would be deleted is only counted')
    .option('--base-url <url>', 'the address of the service, needed with --table')
    .addHelpText('after', examples('agent delete front-desk', 'agent delete front-desk --yes'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { table, agents, apiKeys } = await openStores(options);
      const { owner, guests } = await existingAgent(agents, agentId);
      const counts = await countAgent(table, agentId, guests);
      if (options.yes) {
        using stop = interruption();
        await asUser(options, { apiKeys, uid: owner, scope: 'agents' }, stop.signal, async (api) =>
          dataOf(await api.DELETE('/agents/{agentId}', { params: { path: { agentId } } })),
        );
        say('The agent is deleted. What belongs to it is deleted in the background.');
      }
      reportDeletion(options, { agentId }, counts);
    });
};

/** Creates an agent; one with the same id, also of the same owner, is an error. */
const create = async (agents: Agents, agent: Parameters<Agents['create']>[0]) => {
  try {
    const created = await agents.create(agent);
    if (created.createdAt === agent.createdAt) return created;
  } catch (error) {
    if (!(error instanceof AgentExistsError)) throw error;
  }
  throw new CommandError(`Agent ${agent.agentId} already exists.`);
};
