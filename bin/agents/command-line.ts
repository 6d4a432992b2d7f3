import { VersionNote } from '../../functions/domain/agents.ts';
import { as, resolvePath } from '../command-line/arguments.ts';
import { baseUrlOption, keyHelp, readApiKey } from '../command-line/connection.ts';
import { CommandError, type ExitCode, exitCodes } from '../command-line/exit-codes.ts';
import { interruption } from '../command-line/interruption.ts';
import { newProgram, run as runProgram } from '../command-line/program.ts';
import { apply } from './apply.ts';
import { pull } from './pull.ts';
import type { Options } from './report.ts';
import { test } from './test.ts';

const exitCodesHelp = `
Exit codes:
  0  everything was done; of diff: there is no difference; of test: every test passed
  1  a conflict, a test failed, or the command failed
  2  the command line, a setting or a file is wrong; nothing was changed
  3  of diff: there is a difference`;

const keyNeeds = keyHelp('the scope "agents", and "knowledge" for websites and documents');

const pruneHelp = 'delete agents that a file of this folder has named, and that have no file now';

/** Runs a command line of agents as files and returns its exit code. */
export const run = async (argv: string[]): Promise<ExitCode> => {
  let code: ExitCode = exitCodes.done;
  const program = newProgram('agents', exitCodesHelp).description('Keep agents in files: a YAML file for each key.');

  /** Runs a command until it ends or is interrupted. `whenDifferent` is the exit code if there is a difference. */
  const execute = async <O extends object>(
    command: (folder: string, options: O & Pick<Options, 'apiKey' | 'signal'>) => Promise<{ action: string }[]>,
    [folder, options]: [string, O],
    whenDifferent: ExitCode = exitCodes.done,
  ) => {
    using stop = interruption(new CommandError('Stopped. Run the same command again to continue.'));
    const outcomes = await command(resolvePath(folder), { ...options, apiKey: readApiKey, signal: stop.signal });
    const actions = new Set(outcomes.map(({ action }) => action));
    if (actions.has('failed') || (actions.has('conflict') && !whenDifferent)) code = exitCodes.failed;
    else if (actions.size > Number(actions.has('none'))) code = whenDifferent;
  };

  const buildCommand = (verb: string, description: string, example: string) =>
    program
      .command(verb)
      .description(description)
      .argument('<folder>', 'the folder of the files')
      .addOption(baseUrlOption())
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `${keyNeeds}\n\nExample:\n  $ ${program.name()} ${verb} agents${example}`);

  buildCommand('pull', 'Write the agents of the service to files', '')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--overwrite', 'replace files that were edited')
    .action((folder, options) => execute(pull, [folder, options]));

  buildCommand('diff', 'Show what "apply" would change', '')
    .alias('plan')
    .option('--prune', pruneHelp)
    .action((folder, options) => execute(apply, [folder, { ...options, dryRun: true }], exitCodes.unfinished));

  buildCommand('apply', 'Make the agents of the service those of the files', ' --note "Ask for the insurance first"')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--overwrite', 'put files in force that do not know what the service has')
    .option('--prune', pruneHelp)
    .option('--note <text>', 'why: a note for the history of each agent', as(VersionNote))
    .action((folder, options) => execute(apply, [folder, options]));

  buildCommand('test', 'Search the knowledge of the agents as the "tests" of their files say', '').action(
    (folder, options) => execute(test, [folder, options]),
  );

  const ended = await runProgram(program, argv);
  return ended === exitCodes.done ? code : ended;
};
