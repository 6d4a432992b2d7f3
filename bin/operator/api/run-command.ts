import { Scope } from '../../../functions/domain/api-keys.ts';
import { type ApiClient, apiClient } from '../../../functions/openapi/client/client.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { interruption } from '../../command-line/interruption.ts';
import { print, say } from '../../command-line/output.ts';
import { sayUnconfirmed } from '../confirmation.ts';
import { chooseBaseUrl, type ServiceOptions, withService } from '../service.ts';
import { openStores } from '../stores.ts';
import {
  type ApiCommand,
  type DeclaredCommand,
  namesUser,
  type OptionArgument,
  sourceArguments,
} from './declare-command.ts';
import { describeResponse } from './describe-response.ts';
import { type ApiOperation, administersUsers, isDeletion, isOfOneUser, responseFields } from './operations.ts';
import { readOption } from './options.ts';
import {
  chooseOperation,
  type Params,
  previewDeletion,
  type Response,
  runOperation,
  throwFailures,
  waitUntilRead,
} from './run-operation.ts';

/** The options of a command, beside those of its arguments. */
type Options = ServiceOptions<string | undefined> &
  Record<string, unknown> & {
    of?: string;
    origin?: string;
    yes?: true;
    wait?: boolean;
    ifMatch?: number;
    idempotencyKey?: string;
  };

/** Runs a command: reads its arguments, calls its operations for each source that it names, and prints the response. */
export const runCommand = async (
  declared: DeclaredCommand,
  { joins, columns, sets, isImmediate, whole }: ApiCommand,
): Promise<void> => {
  const { command, operations, named, options: known } = declared;
  const [first] = operations;
  const options: Options = command.optsWithGlobals();
  const show = (response: Response, about: Params = {}, more: Response = {}) =>
    print(
      options,
      { ...about, ...response, ...more },
      () =>
        describeResponse(response, responseFields(operations), columns) ||
        `There are no ${Object.keys(response).join(' and no ')}.`,
    );
  if (whole && options.uid === undefined && options.of === undefined)
    return show(await whole(await openStores(options)));
  const { sources: several, source: single, ...given } = await readArguments(declared, options);
  const params: Params = { ...given, ...sets };
  if (first.method === 'PATCH' && !sets) requireChange(known, params);
  const sources = [several ?? single].flat().map((one) => toSourceArgument(one as string | undefined));
  using stop = interruption(new CommandError(stopped, exitCodes.unfinished));
  const target = { ...options, uid: namesUser(known) ? undefined : options.uid };
  await withApi(target, first, params, stop.signal, async (api, about) => {
    const responses: Response[] = [];
    for (const source of sources) {
      const given = { ...about, ...params, ...source };
      const chosen = joins ? operations : [chooseOperation(operations, given)];
      const settings = { ...options, yes: options.yes || isImmediate };
      const parts = await Promise.all(chosen.map((operation) => perform(api, operation, given, settings)));
      responses.push(Object.assign({}, ...parts));
    }
    const { more, ...response } = several ? { sources: responses } : (responses[0] as Response);
    const deleted = isDeletion(first) && !isImmediate ? (options.yes ?? false) : undefined;
    show(response, namesUser(known) ? { agentId: about.agentId } : about, { more, deleted });
    if (more) say('There are more. Use a higher --limit.');
    if (deleted === false) sayUnconfirmed('deleted');
    throwFailures(response, { waited: options.wait === true, unit: named.includes('numbers') ? 'number' : 'item' });
  });
};

const stopped = 'Stopped. What was sent is processed all the same.';

const readArguments = async (
  { command, operations: [{ list }], named, options }: DeclaredCommand,
  given: Options,
): Promise<Params> => {
  const params: Params = Object.fromEntries(named.map((name, index) => [name, command.processedArgs[index]]));
  for (const { argument, names } of options) params[argument.name] = await readOption(argument, names, given);
  if (list) params.limit = given.limit;
  return params;
};

/** Fails for a change of nothing. A note alone changes nothing. */
const requireChange = (options: OptionArgument[], params: Params) => {
  const changing = options.filter(
    ({ argument: { name, isRequired, isInBody } }) => isInBody && !isRequired && name !== 'note',
  );
  if (changing.length === 0 || changing.some(({ argument }) => params[argument.name] !== undefined)) return;
  const names = changing.flatMap((one) => one.names).map((name) => `--${name}`);
  throw new CommandError(`Nothing to change. Use ${names.join(', ')}.`, exitCodes.usage);
};

/** Returns the argument that an id stands for. */
const toSourceArgument = (id: string | undefined): Params => {
  if (id === undefined) return {};
  const name = sourceArguments[id.split('_', 1)[0] as string];
  if (name) return { [name]: id };
  throw new CommandError(`${id} is not the id of a website (web_…) or a document (doc_…).`, exitCodes.usage);
};

/** Calls an operation with those of the given arguments that it takes. A deletion without `--yes` only shows what it would delete. */
const perform = async (api: ApiClient, operation: ApiOperation, given: Params, options: Options): Promise<Response> => {
  const { ifMatch, idempotencyKey, origin } = options;
  const settings = { ifMatch, idempotencyKey, headers: origin === undefined ? undefined : { origin } };
  const params = Object.fromEntries(operation.arguments.map(({ name }) => [name, given[name]]));
  if (isDeletion(operation) && !options.yes) return previewDeletion(api, operation, params, settings);
  const response = await runOperation(api, operation, params, settings);
  return options.wait ? waitUntilRead(api, params, response) : response;
};

/** Runs `work` with the HTTP API on behalf of a user, or without a key where none is needed. */
const withApi = async (
  options: Options,
  operation: ApiOperation,
  { agentId, uid }: Params,
  signal: AbortSignal,
  work: (api: ApiClient, about: { uid?: string; agentId?: string | undefined }) => Promise<void>,
): Promise<void> => {
  if (operation.caller !== 'apiKey') return work(apiClient({ baseUrl: await chooseBaseUrl(options), signal }), {});
  const ofUsers = administersUsers(operation);
  const one = isOfOneUser(operation) && options.of === undefined ? (uid as string) : undefined;
  const scopes = one ? Scope.options : Scope.options.filter((scope) => (scope === 'users') === ofUsers);
  const target = {
    ...options,
    uid: ofUsers ? (one ?? options.of) : options.uid,
    agentId: agentId as string | undefined,
  };
  await withService(target, scopes, signal, async (service) =>
    work(service.api, ofUsers ? {} : { uid: service.uid, agentId: service.agentId }),
  );
};
