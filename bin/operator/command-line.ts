import addCompletion from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { installedCommands, run as runProgram } from '../command-line/program.ts';
import { addAgentCommands } from './agent.ts';
import { addBlockListCommands } from './block-list.ts';
import { addCallsCommands } from './calls.ts';
import { addDemoCommand } from './demo.ts';
import { addEraseCommand } from './erase.ts';
import { addHooksCommands } from './hooks.ts';
import { addKeyCommands } from './key.ts';
import { addKnowledgeCommands } from './knowledge.ts';
import { addMcpCommands } from './mcp.ts';
import { examples, makeProgram, type Operator } from './program.ts';
import { addRestoreCommand } from './restore.ts';
import { addSecretCommands } from './secret.ts';
import { addSmokeCommand } from './smoke.ts';
import { addUserCommands } from './user.ts';
import { addWebhooksCommands } from './webhooks.ts';

/** The program with all of its commands. */
export const operatorProgram = (): Operator => {
  const program = makeProgram().addHelpText(
    'after',
    examples('user create acme --name "Acme Inc."', 'key create --uid acme --name batch --scope calls', 'demo'),
  );
  addUserCommands(program);
  addKeyCommands(program);
  addAgentCommands(program);
  addCallsCommands(program);
  addBlockListCommands(program);
  addKnowledgeCommands(program);
  addHooksCommands(program);
  addWebhooksCommands(program);
  addEraseCommand(program);
  addMcpCommands(program);
  addSecretCommands(program);
  addDemoCommand(program);
  addRestoreCommand(program);
  addSmokeCommand(program);
  return program;
};

/** Runs a command line of the operator and returns its exit code. */
export const run = async (argv: string[]) => {
  const program = operatorProgram();
  // Its shell script calls the installed command.
  if (program.name() === installedCommands.operator) addCompletion(program as unknown as Command);
  return runProgram(program, argv);
};
