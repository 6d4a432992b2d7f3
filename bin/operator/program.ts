import { type Command, Option } from '@commander-js/extra-typings';
import { commandName, newProgram } from '../command-line/program.ts';

/** Creates the program with the options that all commands take, but without commands. */
export const makeProgram = () =>
  newProgram('operator')
    .description(
      'Manage users, API keys, agents, calls, block lists and knowledge of a Voice Agent Platform.\n\n' +
        'Commands work on the local run (npm start), unless --stack names a deployment or --table (or TABLE_NAME) a table.\n' +
        'AWS is accessed with the usual settings: AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL, …',
    )
    .addOption(new Option('--stack <name>', 'the stack of a deployment, such as voice-agents-dev').conflicts('table'))
    .option('--table <name>', 'a DynamoDB table')
    .option('--region <region>', 'the AWS region of the stack or table')
    .option('--run-file <file>', 'the file in which npm start describes a local run (default: the one run there is)')
    .option('--json', 'print the result as one line of JSON, and no messages about progress')
    .addHelpText('afterAll', ({ command }) =>
      command.parent
        ? `\nAll commands take --stack, --table, --region, --run-file and --json: see ${commandName('operator')} --help`
        : '',
    );

/** The program. Its type carries the options that all commands take. */
export type Operator = ReturnType<typeof makeProgram>;

/** A group of commands, such as `agent`. */
// biome-ignore lint/complexity/noBannedTypes: a group has no options of its own
export type Group = Command<[], {}, ReturnType<Operator['opts']>>;

/** Formats examples for the end of a help text. */
export const examples = (...lines: string[]) =>
  ['\nExamples:', ...lines.map((line) => `  $ ${commandName('operator')} ${line}`)].join('\n');

/**
 * Adds a command to a group, or to the program. `path` names it with its groups. `lines` are examples without the path, and `help`
 * stands before them.
 */
export const addCommand = (
  group: Pick<Group, 'command'>,
  path: string,
  description: string,
  lines: string[],
  help = '',
) =>
  group
    .command(path.slice(path.lastIndexOf(' ') + 1))
    .description(description)
    .addHelpText('after', `${help}${examples(...lines.map((line) => `${path} ${line}`.trim()))}`);
