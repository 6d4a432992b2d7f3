import { CommanderError } from '@commander-js/extra-typings';
import { addAgentCommands } from './agent.ts';
import { addCallsCommands } from './calls.ts';
import { addDemoCommand } from './demo.ts';
import { addKeyCommands } from './key.ts';
import { addKnowledgeCommands } from './knowledge.ts';
import { say } from './output.ts';
import { examples, makeProgram } from './program.ts';
import { addRestoreCommand } from './restore.ts';
import { addSecretCommands } from './secret.ts';
import { sentenceOf } from './usage-error.ts';
import { addUserCommands } from './user.ts';

/** Runs a command line; gives back the exit code: 0 done, 1 not done, 2 not understood. */
export const run = async (argv: string[]): Promise<number> => {
  const program = makeProgram();
  addUserCommands(program);
  addKeyCommands(program);
  addAgentCommands(program);
  addCallsCommands(program);
  addKnowledgeCommands(program);
  addSecretCommands(program);
  addDemoCommand(program);
  addRestoreCommand(program);
  program.addHelpText(
    'after',
    `${examples('user create acme --name "Acme Inc."', 'key create --uid acme --name batch --scope calls', 'demo')}
For a script, silence npm itself: npm run --silent operator -- demo --json`,
  );
  try {
    await program.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander has said its own sentence already, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    say(sentenceOf(error));
    return 1;
  }
};
