import { type Command, Option } from 'commander';
import { toKebabCase } from '../../../functions/domain/text.ts';
import { wholeNumber } from '../../command-line/arguments.ts';
import { serviceOption } from '../../command-line/connection.ts';
import { examples } from '../program.ts';
import { accessHelp } from '../service-command.ts';
import type { Stores } from '../stores.ts';
import {
  type ApiOperation,
  type Argument,
  administersUsers,
  isDeletion,
  isOfOneUser,
  operationNamed,
} from './operations.ts';
import { addOptions, describeArgument, type OptionNames } from './options.ts';

/** A command that calls an operation, or of several the first one whose required arguments are given. */
export type ApiCommand = {
  /** Its name, and the arguments that need no option. A `<source>` is that of a website or a document. */
  command: string;
  /** The operations, by their names in the clients. */
  calls: string[];
  /** The command calls all of its operations, reads whole lists, and joins the responses. */
  joins?: true;
  /** The command sends these arguments, and has no options for others. */
  sets?: Record<string, unknown>;
  /** The command deletes without `--yes`. */
  isImmediate?: true;
  /** What the command reads from the table when no user is named, since no key may list it. */
  whole?: (stores: Stores) => Promise<Record<string, unknown>>;
  /** Default: the summary of the first operation. */
  summary?: string;
  /** The options of arguments that are not called as the field. */
  options?: Record<string, OptionNames>;
  /** The columns of a list. Default: all fields. */
  columns?: string[];
  /** The command waits until the website or document is read. */
  waits?: true;
};

/** An argument of an operation that is an option of the command. */
export type OptionArgument = { argument: Argument; names: OptionNames };

/** A command, its operations, and where their arguments come from: the words named on the command line, and options. */
export type DeclaredCommand = {
  command: Command;
  operations: [ApiOperation, ...ApiOperation[]];
  named: string[];
  options: OptionArgument[];
};

/** The arguments that a `<source>` stands for, by its prefix. */
export const sourceArguments: Record<string, string> = { web: 'websiteId', doc: 'documentId' };
const sourceHelp = 'id of a website (web_…) or a document (doc_…)';

/** Adds a command that calls operations to its group: its arguments, its options and its help. */
export const declareCommand = (program: Command, spelled: ApiCommand): DeclaredCommand => {
  const operations = spelled.calls.map(operationNamed) as DeclaredCommand['operations'];
  const [first] = operations;
  const all = spelled.command.split(' ');
  const words = all.filter((word) => !word.startsWith('<'));
  const command = words
    .slice(0, -1)
    .reduce(findCommand, program)
    .command(all.slice(words.length - 1).join(' '))
    .description(spelled.summary ?? first.summary);
  const named = command.registeredArguments.map((argument) => argument.name());
  const takesSources = named.some((name) => /^sources?$/.test(name));
  const isNamed = ({ name }: Argument) =>
    named.includes(name) || (takesSources && Object.values(sourceArguments).includes(name));
  for (const argument of command.registeredArguments) {
    const known = first.arguments.find(({ name }) => name === argument.name());
    argument.description = known ? describeArgument(known.schema) : sourceHelp;
  }
  const options = (spelled.sets ? [] : listOptionArguments(operations, isNamed)).map((argument) => ({
    argument,
    names: spelled.options?.[argument.name] ?? toKebabCase(argument.name),
  }));
  for (const { argument, names } of options) addOptions(command, argument, names);
  if (!namesUser(options)) addUser(command, operations, spelled);
  addSettings(command, operations, spelled);
  const example = [...words, ...buildExample(first, isNamed, options)].join(' ');
  command.addHelpText('after', `${first.caller ? accessHelp : ''}${examples(example)}`);
  return { command, operations, named, options };
};

const findCommand = (parent: Command, word: string): Command => {
  const found = parent.commands.find((one) => one.name() === word);
  if (!found) throw new Error(`There is no group ${word}.`);
  return found;
};

/** Returns the arguments of operations that need an option. It is mandatory if all of the operations require the argument. */
const listOptionArguments = (
  operations: DeclaredCommand['operations'],
  isNamed: (argument: Argument) => boolean,
): Argument[] => {
  const [first] = operations;
  const takesUid = operations.some((one) => one.takesUid);
  const byName = new Map(operations.flatMap((one) => one.arguments.map((argument) => [argument.name, argument])));
  const isRequired = ({ name }: Argument) =>
    operations.every((one) => one.arguments.some((argument) => argument.name === name && argument.isRequired));
  return [...byName.values()]
    .filter((one) => !isNamed(one) && !(one.name === 'uid' && takesUid) && !(one.name === 'limit' && first.list))
    .map((argument) => ({ ...argument, isRequired: isRequired(argument) }));
};

/** Returns true if `--uid` is another user than the one on whose behalf the command acts. */
export const namesUser = (options: OptionArgument[]) =>
  options.some(({ argument, names }) => names === 'uid' && argument.name !== 'uid');

/** Adds the option of the user on whose behalf the command acts. */
const addUser = (command: Command, operations: DeclaredCommand['operations'], { whole }: ApiCommand) => {
  const [operation] = operations;
  const takesAgent = operations.some((one) => one.arguments.some(({ name }) => name === 'agentId'));
  if (isOfOneUser(operation)) command.option('--of <uid>', 'the user that created this one (default: any user)');
  else if (administersUsers(operation) && whole)
    command.option('--of <uid>', 'the user that created the others (default: all users, which reads the whole table)');
  else if (administersUsers(operation)) command.requiredOption('--of <uid>', 'the user that created the others');
  else if (operation.caller !== 'apiKey') return;
  else if (takesAgent) command.option('--uid <uid>', 'the user (default: the owner of the agent)');
  else if (whole) command.option('--uid <uid>', 'the user (default: all users, which reads the whole table)');
  else command.requiredOption('--uid <uid>', 'the user');
};

/** Adds the options that are no arguments of the operation. */
const addSettings = (
  command: Command,
  [operation]: DeclaredCommand['operations'],
  { waits, joins, isImmediate }: ApiCommand,
) => {
  const { caller, list, takesIfMatch, takesIdempotencyKey } = operation;
  if (caller === 'applicationOrigin') command.requiredOption('--origin <origin>', 'the origin of the web application');
  if (list) {
    const limit = new Option('--limit <number>', 'the maximum number of items').argParser(wholeNumber(1, 10_000));
    command.addOption(limit.default(joins ? 10_000 : 50));
  }
  const version = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  if (takesIfMatch) command.option('--if-match <version>', 'fail if this is not the latest version', version);
  if (takesIdempotencyKey) command.option('--idempotency-key <key>', 'the key of a request that is repeated');
  if (isDeletion(operation) && !isImmediate) command.option('--yes', 'delete it (default: only show it)');
  if (waits) command.option('--no-wait', 'do not wait for the result');
  command.option(...serviceOption);
};

/** Returns the words of an example behind the name of the command: what the operation requires, with the values of the document. A change has a field. */
const buildExample = (
  operation: ApiOperation,
  isNamed: (argument: Argument) => boolean,
  options: OptionArgument[],
): string[] => {
  const words = operation.arguments.filter(isNamed);
  const required = options.filter(({ argument }) => argument.isRequired);
  const changed = options.find(
    ({ argument: { isInBody, isRequired, example } }) => isInBody && !isRequired && typeof example === 'string',
  );
  const shown = operation.method === 'PATCH' && changed ? [...required, changed] : required;
  const hasAgent = [...words, ...shown.map(({ argument }) => argument)].some(({ name }) => name === 'agentId');
  const { caller } = operation;
  const ofUsers = administersUsers(operation);
  return [
    ...words.map((argument) => toWords(argument.example)),
    ...shown.map(({ argument, names }) => `--${names} ${toWords(argument.example)}`),
    ...(ofUsers && !isOfOneUser(operation) ? ['--of agency'] : []),
    ...(caller === 'apiKey' && !ofUsers && !hasAgent ? ['--uid demo-user'] : []),
    ...(caller === 'applicationOrigin' ? ['--origin https://app.example.com'] : []),
  ];
};

/** Returns the example of an argument as words of a shell. */
const toWords = (example: unknown): string => {
  if (Array.isArray(example) && example.every((one) => typeof one === 'string')) return example.map(toWords).join(' ');
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
};
