import { Command, CommanderError, Option } from '@commander-js/extra-typings';
import { addAgentCommands } from './agent.ts';
import { addCallsCommands } from './calls.ts';
import { addDemoCommand } from './demo.ts';
import { addKeyCommands } from './key.ts';
import { addKnowledgeCommands } from './knowledge.ts';
import { say } from './output.ts';
import { addRestoreCommand } from './restore.ts';
import { addSecretCommands } from './secret.ts';
import { sentenceOf } from './usage-error.ts';
import { addUserCommands } from './user.ts';

const makeProgram = () =>
  new Command('npm run operator --')
    .usage('<command> [options]')
    .description(
      'Makes and looks after users, keys and agents, brings them knowledge, imports calls, and restores the table.\n\n' +
        'It works on the local run (npm start) unless a deployment is named, by --stack, or a table, by --table or ' +
        'TABLE_NAME; they are reached with AWS’s own settings (AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL, …).',
    )
    .addOption(
      new Option(
        '--stack <name>',
        'the deployment to work on, by the name of its stack, such as voice-agents-dev',
      ).conflicts('table'),
    )
    .option('--table <name>', 'the table to work on')
    .option('--region <region>', 'the AWS region the table is in')
    .option('--run-file <file>', 'how to reach the local run, as given to npm start', '.local/run.json')
    .option('--json', 'print the result as one line of JSON, and nothing else, on standard output')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();

/** The program, with the options every command takes. */
export type Operator = ReturnType<typeof makeProgram>;

/** Examples for the end of a help text. */
export const examples = (...lines: string[]) =>
  `\nExamples:\n${lines.map((line) => `  $ npm run operator -- ${line}\n`).join('')}`;

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
