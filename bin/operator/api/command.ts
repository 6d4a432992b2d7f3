import { type Command, Option } from 'commander';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { toKebabCase } from '../../../functions/domain/text.ts';
import { type ApiClient, apiClient } from '../../../functions/openapi/client/client.ts';
import { wholeNumber } from '../../command-line/arguments.ts';
import { serviceOption } from '../../command-line/connection.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { interruption } from '../../command-line/interruption.ts';
import { print, say } from '../../command-line/output.ts';
import { sayUnconfirmed } from '../confirmation.ts';
import { examples } from '../program.ts';
import { chooseBaseUrl, type ServiceOptions, withService } from '../service.ts';
import { accessHelp } from '../service-command.ts';
import { describeResponse } from './describe-response.ts';
import { type ApiOperation, type Argument, operationNamed, responseFields } from './operations.ts';
import { addOptions, type OptionNames, readOption } from './options.ts';
import {
  chooseOperation,
  type Params,
  previewDeletion,
  type Response,
  runOperation,
  throwFailures,
  waitUntilRead,
} from './run-operation.ts';

/** A command that calls an operation, or of several the first one whose required arguments are given. */
export type ApiCommand = {
  /** Its name, and the arguments that need no option. A `<source>` is that of a website or a document. */
  command: string;
  /** The operations, by their names in the clients. */
  calls: string[];
  /** The command calls all of its operations, and joins their responses. */
  joins?: true;
  /** Default: the summary of the first operation. */
  summary?: string;
  /** The options of arguments that are not called as the field. */
  options?: Record<string, OptionNames>;
  /** The columns of a list. Default: all fields. */
  columns?: string[];
  /** The command waits until the website or document is read. */
  waits?: true;
};

type Options = ServiceOptions<string | undefined> &
  Record<string, unknown> & {
    of?: string;
    origin?: string;
    yes?: true;
    wait?: boolean;
    ifMatch?: number;
    idempotencyKey?: string;
  };

/** The arguments that a `<source>` stands for, by its prefix. */
const sourceArguments: Record<string, string> = { web: 'websiteId', doc: 'documentId' };

/** Adds a command that calls operations to its group. */
export const addApiCommand = (program: Command, { command: spelling, calls, ...spelled }: ApiCommand): void => {
  const operations = calls.map(operationNamed);
  const [first] = operations as [ApiOperation];
  const words = spelling.split(' ').filter((word) => !word.startsWith('<'));
  const group = words.slice(0, -1).reduce(findCommand, program);
  const command = group
    .command(
      spelling
        .split(' ')
        .slice(words.length - 1)
        .join(' '),
    )
    .description(spelled.summary ?? first.summary);
  const named = command.registeredArguments.map((argument) => argument.name());
  const takesIds = /^sources?$/.test(named[0] ?? '');
  const isNamed = ({ name }: Argument) =>
    named.includes(name) || (takesIds && Object.values(sourceArguments).includes(name));
  const takesUid = operations.some((one) => one.takesUid);
  const known = new Map(operations.flatMap((one) => one.arguments.map((argument) => [argument.name, argument])));
  const inOptions = [...known.values()]
    .filter((one) => !isNamed(one) && !(one.name === 'uid' && takesUid) && !(one.name === 'limit' && first.list))
    .map((argument) => ({ ...argument, isRequired: operations.every((one) => requires(one, argument)) }));
  const optionNames = ({ name }: Argument) => spelled.options?.[name] ?? toKebabCase(name);
  for (const argument of inOptions) addOptions(command, argument, optionNames(argument));
  addSettings(command, first, spelled);
  const example = [
    ...words,
    ...first.arguments.filter(isNamed).map((argument) => toWords(argument.example)),
    ...inOptions.filter(({ isRequired }) => isRequired).map((one) => `--${optionNames(one)} ${toWords(one.example)}`),
    ...(needsUser(first, inOptions) ? ['--uid demo-user'] : []),
  ];
  command.addHelpText('after', `${first.caller ? accessHelp : ''}${examples(example.join(' '))}`);

  command.action(async () => {
    const options: Options = command.optsWithGlobals();
    const given: Params = Object.fromEntries(named.map((name, index) => [name, command.processedArgs[index]]));
    for (const argument of inOptions) given[argument.name] = await readOption(argument, optionNames(argument), options);
    if (first.list) given.limit = options.limit;
    requireChange(
      [...known.values()].filter(({ isInBody }) => first.method === 'PATCH' && isInBody),
      given,
      optionNames,
    );
    const { sources: several, source: single, ...params } = given;
    const sources = [several ?? single].flat().map((one) => toSourceArgument(one as string | undefined));
    using stop = interruption(new CommandError(stopped, exitCodes.unfinished));
    await withApi(options, first, params, stop.signal, async (api, about) => {
      const responses: Response[] = [];
      for (const source of sources) {
        const all = { ...about, ...params, ...source };
        const chosen = spelled.joins ? operations : [chooseOperation(operations, all)];
        const parts = chosen.map((operation) => perform(api, operation, selectKnown(operation, all), options));
        responses.push(Object.assign({}, ...(await Promise.all(parts))));
      }
      report(options, about, several ? { sources: responses } : (responses[0] as Response));
    });
  });

  const perform = async (api: ApiClient, operation: ApiOperation, params: Params, options: Options) => {
    const { ifMatch, idempotencyKey, origin } = options;
    const settings = { ifMatch, idempotencyKey, headers: origin === undefined ? undefined : { origin } };
    if (isDeletion(operation) && !options.yes) return previewDeletion(api, operation, params, settings);
    const response = await runOperation(api, operation, params, settings);
    return options.wait ? waitUntilRead(api, params, response) : response;
  };

  const report = (options: Options, about: object, response: Response) => {
    const { more, ...shown } = response;
    const deleted = isDeletion(first) ? (options.yes ?? false) : undefined;
    print(
      options,
      { ...about, ...response, deleted },
      () =>
        describeResponse(shown, responseFields(operations), spelled.columns) ||
        `There are no ${Object.keys(shown).join(' and no ')}.`,
    );
    if (more) say('There are more. Use a higher --limit.');
    if (deleted === false) sayUnconfirmed('deleted');
    throwFailures(response, { waited: options.wait === true, unit: named.includes('numbers') ? 'number' : 'item' });
  };
};

const stopped = 'Stopped. What was sent is processed all the same.';

const findCommand = (parent: Command, word: string): Command => {
  const found = parent.commands.find((one) => one.name() === word);
  if (!found) throw new Error(`There is no group ${word}.`);
  return found;
};

const requires = (operation: ApiOperation, { name }: Argument) =>
  operation.arguments.some((one) => one.name === name && one.isRequired);

/** Returns true for a request that deletes what its address names. */
const isDeletion = ({ method, body }: ApiOperation) => method === 'DELETE' && !body;

/** Returns true for an operation on users: its key is of the user that created them. */
const administersUsers = ({ path }: ApiOperation) => /^\/users?(\/|-figures|$)/.test(path);

const needsUser = (operation: ApiOperation, required: Argument[]) =>
  operation.caller === 'apiKey' &&
  !administersUsers(operation) &&
  !required.some(({ name, isRequired }) => name === 'agentId' && isRequired);

/** Adds the options that are no arguments of the operation. */
const addSettings = (command: Command, operation: ApiOperation, { waits, joins }: Partial<ApiCommand>) => {
  const { caller, list, takesIfMatch, takesIdempotencyKey } = operation;
  if (administersUsers(operation)) command.requiredOption('--of <uid>', 'the user that created the others');
  else if (caller === 'apiKey') command.option('--uid <uid>', 'the user (default: the owner of the agent)');
  if (caller === 'applicationOrigin') command.requiredOption('--origin <origin>', 'the origin of the web application');
  if (list) {
    const limit = new Option('--limit <number>', 'the maximum number of items').argParser(wholeNumber(1, 10_000));
    command.addOption(limit.default(joins ? 10_000 : 50));
  }
  const version = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  if (takesIfMatch) command.option('--if-match <version>', 'fail if this is not the latest version', version);
  if (takesIdempotencyKey) command.option('--idempotency-key <key>', 'the key of a request that is repeated');
  if (isDeletion(operation)) command.option('--yes', 'delete it (default: only show it)');
  if (waits) command.option('--no-wait', 'do not wait for the result');
  command.option(...serviceOption);
};

/** Returns the example of an argument as words of a shell. */
const toWords = (example: unknown): string => {
  if (Array.isArray(example) && example.every((one) => typeof one === 'string')) return example.map(toWords).join(' ');
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
};

/** Fails for a change of nothing. A note alone changes nothing. */
const requireChange = (fields: Argument[], given: Params, optionNames: (argument: Argument) => OptionNames) => {
  const changing = fields.filter(({ name, isRequired }) => !isRequired && name !== 'note');
  if (changing.length === 0 || changing.some(({ name }) => given[name] !== undefined)) return;
  const options = changing.flatMap(optionNames).map((name) => `--${name}`);
  throw new CommandError(`Nothing to change. Use ${options.join(', ')}.`, exitCodes.usage);
};

/** Returns the argument that an id stands for. */
const toSourceArgument = (id: string | undefined): Params => {
  if (id === undefined) return {};
  const name = sourceArguments[id.split('_', 1)[0] as string];
  if (name) return { [name]: id };
  throw new CommandError(`${id} is not the id of a website (web_…) or a document (doc_…).`, exitCodes.usage);
};

const selectKnown = ({ arguments: known }: ApiOperation, params: Params): Params =>
  Object.fromEntries(known.map(({ name }) => [name, params[name]]));

/** Runs `work` with the HTTP API on behalf of a user, or without a key where none is needed. */
const withApi = async (
  options: Options,
  operation: ApiOperation,
  { agentId }: Params,
  signal: AbortSignal,
  work: (api: ApiClient, about: { uid?: string; agentId?: string | undefined }) => Promise<void>,
): Promise<void> => {
  if (operation.caller !== 'apiKey') return work(apiClient({ baseUrl: await chooseBaseUrl(options), signal }), {});
  const ofUsers = administersUsers(operation);
  const scopes = Scope.options.filter((scope) => (scope === 'users') === ofUsers);
  const target = { ...options, uid: ofUsers ? options.of : options.uid, agentId: agentId as string | undefined };
  await withService(target, scopes, signal, async ({ api, uid, agentId }) =>
    work(api, ofUsers ? {} : { uid, agentId }),
  );
};
