import * as z from 'zod/mini';
import { AgentConfiguration, AgentName } from '../../functions/domain/agents.ts';
import { now } from '../../functions/domain/date-time.ts';
import { Identifier, newIdentifier } from '../../functions/domain/identifiers.ts';
import { isDeeperThan } from '../../functions/domain/json.ts';
import { limits } from '../../functions/domain/limits.ts';
import { PhoneNumber } from '../../functions/domain/phone-numbers.ts';
import type { Agents } from '../../functions/store/agents.ts';
import { refusalOf } from '../../functions/store/table.ts';
import { existingUser } from './existing-user.ts';
import { print, record } from './output.ts';
import { examples, type Operator } from './program.ts';
import { as, readJsonFile } from './read.ts';
import { openStores } from './stores.ts';
import { UsageError } from './usage-error.ts';

/** A configuration nests no deeper than one that came in a request’s body could. */
const Configuration = AgentConfiguration.check(
  z.refine((value) => !isDeeperThan(value, limits.jsonDepth - 1), { error: 'nests too deep' }),
);

export const addAgentCommands = (program: Operator) => {
  const agent = program
    .command('agent')
    .description('Voice agents, and who may use them')
    .addHelpText(
      'after',
      examples('agent create --uid acme --name "Front desk"', 'agent grant front-desk --to partner'),
    );

  agent
    .command('create')
    .description('Make an agent')
    .requiredOption('--uid <uid>', 'the user who owns it', as(Identifier))
    .requiredOption('--name <name>', 'its name', as(AgentName))
    .option('--configuration <file>', 'a JSON file with its configuration')
    .option('--phone-number <number>', 'the number it answers', as(PhoneNumber))
    .option('--id <id>', 'its id; by default one is made', as(Identifier))
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
      const made = await create(agents, { ...record, updatedAt: createdAt });
      print(options, made, () => `Agent ${agentId} made.`);
    });

  agent
    .command('show')
    .description('Show an agent, with who may use it')
    .argument('<agentId>', 'the agent’s id', as(Identifier))
    .addHelpText('after', examples('agent show front-desk'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { agents } = await openStores(options);
      const { owner, guests } = await existingAgent(agents, agentId);
      const found = await agents.find(owner, agentId);
      if (!found) throw noSuchAgent(agentId);
      print(options, { ...found, guests }, () => {
        const { uid, name, configuration, createdAt, updatedAt, ...rest } = found;
        const head = { ...rest, name, owner: uid, guests: guests.join(', ') || 'none' };
        return `${record({ ...head, created: createdAt, updated: updatedAt })}\n\n${JSON.stringify(configuration, null, 2)}`;
      });
    });

  agent
    .command('grant')
    .description('Let another user use an agent')
    .argument('<agentId>', 'the agent’s id', as(Identifier))
    .requiredOption('--to <uid>', 'the user who shall have access', as(Identifier))
    .addHelpText('after', examples('agent grant front-desk --to partner'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { users, agents } = await openStores(options);
      const { owner } = await existingAgent(agents, agentId);
      await existingUser(users, options.to);
      if (owner === options.to) throw new UsageError(`User ${owner} owns agent ${agentId}: there is nothing to grant.`);
      await agents.grant(agentId, owner, options.to);
      print(options, { agentId, uid: options.to, access: true }, () => `User ${options.to} may use agent ${agentId}.`);
    });

  agent
    .command('revoke')
    .description('Take a user’s access to somebody else’s agent away')
    .argument('<agentId>', 'the agent’s id', as(Identifier))
    .requiredOption('--from <uid>', 'the user who shall have no access', as(Identifier))
    .addHelpText('after', examples('agent revoke front-desk --from partner'))
    .action(async (agentId, _, command) => {
      const options = command.optsWithGlobals();
      const { agents } = await openStores(options);
      const { owner, guests } = await existingAgent(agents, agentId);
      const uid = options.from;
      if (owner === uid)
        throw new UsageError(`User ${uid} owns agent ${agentId}: an owner’s access cannot be revoked.`);
      if (!guests.includes(uid)) throw new UsageError(`User ${uid} has no access to agent ${agentId}.`);
      await agents.revoke(agentId, owner, uid);
      print(options, { agentId, uid, access: false }, () => `User ${uid} may no longer use agent ${agentId}.`);
    });
};

/** Makes an agent. The store gives back an older one of the same id and owner: here that is a mistake. */
const create = async (agents: Agents, agent: Parameters<Agents['create']>[0]) => {
  try {
    const made = await agents.create(agent);
    if (made.createdAt === agent.createdAt) return made;
  } catch (error) {
    if (refusalOf(error) !== 'condition') throw error;
  }
  throw new UsageError(`There is an agent ${agent.agentId} already.`);
};

const existingAgent = async (agents: Agents, agentId: string) => {
  const access = await agents.access(agentId);
  if (!access) throw noSuchAgent(agentId);
  return access;
};

const noSuchAgent = (agentId: string) => new UsageError(`There is no agent ${agentId}.`);
