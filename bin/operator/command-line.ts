import addCompletion from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { withCause } from '../../functions/cause.ts';
import { exitCodes } from '../command-line/exit-codes.ts';
import { installedCommands, run as runProgram } from '../command-line/program.ts';
import { addApiCommands } from './api/api-commands.ts';
import { createAgent } from './commands/agent/create.ts';
import { deleteAgent } from './commands/agent/delete.ts';
import { exportBlockList } from './commands/block-list/export.ts';
import { importBlockList } from './commands/block-list/import.ts';
import { exportCalls } from './commands/calls/export.ts';
import { importCalls } from './commands/calls/import.ts';
import { listCalls } from './commands/calls/list.ts';
import { dropParked } from './commands/changes/drop-parked.ts';
import { listParked } from './commands/changes/list-parked.ts';
import { replayChanges } from './commands/changes/replay.ts';
import { retryParked } from './commands/changes/retry-parked.ts';
import { showParked } from './commands/changes/show-parked.ts';
import { pushConsentFile } from './commands/consents/push.ts';
import { demo } from './commands/demo.ts';
import { erase } from './commands/erase.ts';
import { recountFigures } from './commands/figures/recount.ts';
import { createHookUrl } from './commands/hooks/url.ts';
import { verifyHooks } from './commands/hooks/verify.ts';
import { createKey } from './commands/key/create.ts';
import { deleteKey } from './commands/key/delete.ts';
import { revokeKey } from './commands/key/revoke.ts';
import { rotateKey } from './commands/key/rotate.ts';
import { showKey } from './commands/key/show.ts';
import { updateKey } from './commands/key/update.ts';
import { showKeyUsage } from './commands/key/usage.ts';
import { exportSource } from './commands/knowledge/export.ts';
import { indexKnowledge } from './commands/knowledge/index.ts';
import { showSource } from './commands/knowledge/show.ts';
import { uploadDocuments } from './commands/knowledge/upload.ts';
import { showMcpConfiguration } from './commands/mcp/config.ts';
import { restore } from './commands/restore.ts';
import { setStripeKey } from './commands/secret/stripe.ts';
import { smoke } from './commands/smoke.ts';
import { createUser } from './commands/user/create.ts';
import { deleteUser } from './commands/user/delete.ts';
import { listenForWebhooks } from './commands/webhooks/listen.ts';
import { completedValues } from './completion.ts';
import { examples, type Group, makeProgram, type Operator } from './program.ts';

/** The commands of each group, in the order of the help. */
const groups: Record<string, { description: string; commands: ((group: Group) => unknown)[] }> = {
  user: {
    description: 'Users, who own keys and agents',
    commands: [createUser, deleteUser],
  },
  key: {
    description: 'API keys, which are shown once and stored as a hash',
    commands: [createKey, showKey, updateKey, rotateKey, revokeKey, deleteKey, showKeyUsage],
  },
  agent: {
    description: 'Voice agents and the users who have access to them',
    commands: [createAgent, deleteAgent],
  },
  calls: {
    description: 'Calls of agents and their outcomes',
    commands: [listCalls, exportCalls, importCalls],
  },
  figures: { description: 'Figures of calls', commands: [recountFigures] },
  'block-list': {
    description: 'Block lists of agents and users',
    commands: [importBlockList, exportBlockList],
  },
  consents: {
    description: 'Who may be called for what, and what proves it',
    commands: [pushConsentFile],
  },
  knowledge: {
    description: 'Websites and documents that agents answer from',
    commands: [indexKnowledge, uploadDocuments, showSource, exportSource],
  },
  hooks: { description: 'The webhooks of voice platforms', commands: [createHookUrl, verifyHooks] },
  webhooks: {
    description: 'Webhooks of users',
    commands: [listenForWebhooks],
  },
  mcp: { description: 'AI clients that use the operations as tools (MCP)', commands: [showMcpConfiguration] },
  secret: { description: 'Secrets of a deployment', commands: [setStripeKey] },
};

const otherPrograms = `
Commands that work with files and a key, each with its own --help:
  agents             Keep agents in files: pull, diff, apply, test
  outcomes           Set the outcomes of many calls from a file: pull, push, plan
`;

/** Creates the program with all of its commands. */
export const operatorProgram = (): Operator => {
  const lines = ['user create acme --name "Acme Inc."', 'key create --uid acme --name batch --scope calls', 'demo'];
  const program = makeProgram().addHelpText('after', `${otherPrograms}${examples(...lines)}`);
  for (const [name, { description, commands }] of Object.entries(groups)) {
    const group = program.command(name).description(description);
    for (const add of commands) add(group);
  }
  for (const add of [erase, demo, restore, smoke]) add(program);
  // The type of the generated commands does not include their options.
  addApiCommands(program as unknown as Command);
  addParkedCommands(program);
  return program;
};

/** Adds the commands of changes that wait to the command that lists the log of changes. */
const addParkedCommands = (program: Operator) => {
  const changes = program.commands.find((command) => command.name() === 'changes') as unknown as Group;
  const parked = changes
    .command('parked')
    .description('Changes of the table that fail by themselves, and wait') as Group;
  for (const add of [listParked, showParked, retryParked, dropParked]) add(parked);
  replayChanges(changes);
};

/** Completes words in a bash without the package bash-completion. */
const bashCompletion = `_voice_agents() {
  local IFS=$'\\n'
  COMPREPLY=($(voice-agents complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | grep -v '^:' | cut -f 1))
}
complete -o default -F _voice_agents voice-agents
`;

/** Runs a command line of the operator and returns its exit code. */
export const run = async (argv: string[]) => {
  const program = operatorProgram();
  // Commander's own type does not include the options of each command.
  const anyProgram = program as unknown as Command;
  if (argv.join(' ') === 'complete bash') {
    process.stdout.write(bashCompletion);
    return exitCodes.done;
  }
  if (argv[0] === 'complete' && argv[1] === '--') {
    const values = await completedValues(anyProgram, argv.slice(2));
    if (values) {
      // The last line tells the shell not to complete file names.
      process.stdout.write([...values, ':4\n'].join('\n'));
      return exitCodes.done;
    }
  }
  // Its shell script calls the installed command.
  if (program.name() === installedCommands.operator) addCompletion(anyProgram);
  return withCause({ maker: { via: 'operator' } }, () => runProgram(program, argv));
};
