import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help } from '@commander-js/extra-typings';
import { describeError, toCommandError } from './describe-error.ts';
import { type ExitCode, exitCodes, exitCodesHelp } from './exit-codes.ts';
import { formatError, printJson } from './output.ts';

/** The installed command of each npm script. */
export const installedCommands = {
  operator: 'voice-agents',
  outcomes: 'voice-agents outcomes',
  agents: 'voice-agents agents',
};

/** Returns the command as the user started it: with npm, or installed. */
export const commandName = (script: keyof typeof installedCommands) =>
  process.env.npm_lifecycle_event === script ? `npm run ${script} --` : installedCommands[script];

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Creates a program whose help marks required options and lists the exit codes, and whose errors are thrown. */
export const newProgram = (script: keyof typeof installedCommands, exitCodes = exitCodesHelp) =>
  new Command(commandName(script))
    .usage('<command> [options], or --version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', exitCodes)
    .configureHelp({
      optionDescription: (option) => `${option.mandatory ? 'required: ' : ''}${help.optionDescription(option)}`,
      commandUsage: (command) => {
        const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => `${flags} `);
        return help.commandUsage(command).replace('[options]', `${required.join('')}[options]`);
      },
    })
    .configureOutput({
      outputError: (text, write) => {
        write(`${formatError('invalid_usage', plainUsageError(text).trimEnd())}\n`);
      },
    })
    .exitOverride();

const help = new Help();

/** Runs a command line and returns its exit code. */
export const run = async (program: { parseAsync: Command['parseAsync'] }, argv: string[]): Promise<ExitCode> => {
  printJson(argv.includes('--json'));
  // An option of the program would hide those of commands, as in `--version 7`.
  if (argv[0] === '--version') {
    process.stdout.write(`${version}\n`);
    return exitCodes.done;
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    // Commander has printed its own error already, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const { exitCode, code } = toCommandError(error);
    process.stderr.write(`${formatError(code, describeError(error))}\n`);
    return exitCode;
  }
};

/** Rewrites Commander's errors about arguments, with the subject first. */
const plainUsageError = (text: string) =>
  text
    .replace(/(option '--base-url [^']*') not specified/, '$1 not specified, and VAP_BASE_URL is not set')
    .replace(/^error: option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. It /s, 'error: $1: $2: ')
    .replace(/^error: command-argument value '(.*)' is invalid for argument '([^']*)'\. It /s, 'error: $2: $1: ')
    .replace(
      /^error: too many arguments.*\. Expected (\d+) arguments? but got \d+: (.*)\.\n$/s,
      'error: too many arguments (expected: $1): $2\n',
    );
