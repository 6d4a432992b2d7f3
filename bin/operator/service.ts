import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { Scope } from '../../functions/domain/api-keys.ts';
import { type ApiClient, apiClient, dataOf } from '../../functions/openapi/client/client.ts';
import type { ApiKeys } from '../../functions/store/api-keys.ts';
import { deadline, type Table } from '../../functions/store/table.ts';
import { givenApiKey, givenBaseUrl } from '../command-line/connection.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { existingUser, userWithAccess } from './existing.ts';
import { readOutput } from './stack.ts';
import { announce, type GlobalOptions, localRun, openStores, type Stores } from './stores.ts';

/** The options that select a service. */
export type TargetOptions = GlobalOptions & { baseUrl?: string | undefined };

export type ServiceOptions<AgentId extends string | undefined = string> = TargetOptions & {
  uid?: string | undefined;
  agentId?: AgentId;
};

/** The HTTP API for one agent, or for none, on behalf of the user `uid`. */
export type Service<AgentId extends string | undefined = string> = {
  api: ApiClient;
  baseUrl: string;
  uid: string;
  agentId: AgentId;
  /** True while uploaded files have not been read. Their key must stay valid until then. */
  hasFilesUnderWay: boolean;
};

/** The service for the block list of an agent, or of a user. */
export type BlockListService = Service<string | undefined>;

/** A temporary key that could not be deleted expires after this time. */
const keyHours = 12;
/** The time for which the key stays valid for files that have not been read when the command ends. */
const keySecondsForFiles = 60 * 60;

/**
 * Runs `work` with the HTTP API, with the key in VAP_API_KEY or a temporary key of the agent's owner (or `--uid`). The temporary
 * key is deleted when the work has ended and its files are read.
 */
export const withService = async <T, AgentId extends string | undefined>(
  options: ServiceOptions<AgentId>,
  scopes: Scope[],
  signal: AbortSignal,
  work: (service: Service<AgentId>) => Promise<T>,
): Promise<T> => {
  const agentId = options.agentId as AgentId;
  const given = await readGivenService(options);
  if (given) {
    const api = apiClient({ ...given, signal });
    const uid = options.uid ?? dataOf(await api.key.get()).uid;
    return work({ api, baseUrl: given.baseUrl, uid, agentId, hasFilesUnderWay: false });
  }
  const baseUrl = await chooseBaseUrl(options);
  const stores = await openStores(options);
  const { apiKeys } = stores;
  const uid = await findCommandUser(stores, options);
  const service = { baseUrl, uid, agentId, hasFilesUnderWay: false };
  await using key = await makeTemporaryKey(apiKeys, uid, scopes, service);
  return await work(Object.assign(service, { api: apiClient({ baseUrl, apiKey: key.secret, signal }) }));
};

/** The service for the agents of several users. */
export type Owners = {
  baseUrl: string;
  /** Identifies the service and its table. */
  target: object;
  /** Returns a key of the owner of an agent; undefined if there is no such agent. */
  findKey: (agentId: string) => Promise<string | undefined>;
};

/** Runs `work` with the HTTP API for any agents: with the key in VAP_API_KEY, or else with a temporary key of each owner. */
export const withOwners = async <T>(
  options: TargetOptions,
  scopes: Scope[],
  work: (owners: Owners) => Promise<T>,
): Promise<T> => {
  const given = await readGivenService(options);
  if (given)
    return work({ baseUrl: given.baseUrl, target: { baseUrl: given.baseUrl }, findKey: async () => given.apiKey });
  const baseUrl = await chooseBaseUrl(options);
  const { table, agents, apiKeys } = await openStores(options);
  await using keys = new AsyncDisposableStack();
  const byAgent = new Map<string, Promise<string | undefined>>();
  const byOwner = new Map<string, Promise<string>>();
  const makeKey = async (uid: string) => keys.use(await makeTemporaryKey(apiKeys, uid, scopes)).secret;
  const findOwnersKey = async (agentId: string) => {
    const access = await agents.access(agentId);
    return access && getOrAdd(byOwner, access.owner, makeKey);
  };
  const findKey = (agentId: string) => getOrAdd(byAgent, agentId, findOwnersKey);
  return await work({ baseUrl, target: { baseUrl, table: await readIdentity(table) }, findKey });
};

const getOrAdd = <T>(map: Map<string, T>, name: string, make: (name: string) => T): T => {
  const value = map.get(name) ?? make(name);
  map.set(name, value);
  return value;
};

/** Identifies a table, even among deleted tables of the same name. */
const readIdentity = async ({ client, name }: Table) => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }), deadline());
  return Table?.TableId ?? `${Table?.TableArn} ${Table?.CreationDateTime?.toISOString()}`;
};

/** Returns the key in VAP_API_KEY and the address of its service, if there is one. */
const readGivenService = async (options: TargetOptions) => {
  const apiKey = givenApiKey();
  if (apiKey === undefined) return undefined;
  const baseUrl = await chooseBaseUrl({ ...options, baseUrl: options.baseUrl ?? givenBaseUrl() });
  announce(options, `the service at ${baseUrl} with the key in VAP_API_KEY`);
  return { baseUrl, apiKey };
};

/** Runs `work` with the HTTP API as a user, with a temporary key of one scope. */
export const asUser = async <T>(
  options: TargetOptions,
  { apiKeys, uid, scope }: { apiKeys: ApiKeys; uid: string; scope: Scope },
  signal: AbortSignal,
  work: (api: ApiClient) => Promise<T>,
): Promise<T> => {
  const baseUrl = await chooseBaseUrl(options);
  await using key = await makeTemporaryKey(apiKeys, uid, [scope]);
  return await work(apiClient({ baseUrl, apiKey: key.secret, signal }));
};

/** Makes a key of a user for the time of a command. Dispose of it to delete it, or to have it end when the files of the service are read. */
const makeTemporaryKey = async (
  apiKeys: ApiKeys,
  uid: string,
  scopes: Scope[],
  service?: Pick<Service, 'hasFilesUnderWay'>,
): Promise<AsyncDisposable & { secret: string }> => {
  const expiresAt = new Date(Date.now() + keyHours * 3_600_000).toISOString();
  const { keyId, secret } = await apiKeys.create(uid, { name: 'operator', scopes, expiresAt, isOperators: true });
  return {
    secret,
    async [Symbol.asyncDispose]() {
      if (service?.hasFilesUnderWay) await apiKeys.deleteAfter(uid, keyId, keySecondsForFiles);
      else await apiKeys.delete(uid, keyId);
    },
  };
};

/** Returns the user on whose behalf the service is called: `--uid`, or the owner of the agent. */
const findCommandUser = async ({ agents, users }: Stores, { uid, agentId }: ServiceOptions<string | undefined>) => {
  if (agentId === undefined) {
    if (uid === undefined) throw new CommandError('Use --agent-id or --uid.', exitCodes.usage);
    return (await existingUser(users, uid)).uid;
  }
  return userWithAccess(agents, agentId, uid);
};

/** Returns the address of the service. A table by itself has none. */
export const chooseBaseUrl = async ({ baseUrl, stack, table, region, runFile }: TargetOptions): Promise<string> => {
  if (baseUrl) return baseUrl;
  if (stack) return readOutput(stack, 'BaseUrl', region);
  if (table ?? process.env.TABLE_NAME) {
    const address = givenBaseUrl();
    if (address) return address;
    throw new CommandError('With --table or TABLE_NAME, --base-url or VAP_BASE_URL is required.', exitCodes.usage);
  }
  return (await localRun(runFile)).baseUrl;
};
