import { isApiKey, type Scope } from '../../functions/domain/api-keys.ts';
import { type ApiClient, apiClient } from '../../functions/openapi/client/client.ts';
import type { ApiKeys } from '../../functions/store/api-keys.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { existingUser, userWithAccess } from './existing.ts';
import { readOutput } from './stack.ts';
import { announce, type GlobalOptions, localRun, openStores, type Stores } from './stores.ts';

export type ServiceOptions<AgentId extends string | undefined = string> = GlobalOptions & {
  baseUrl?: string | undefined;
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
 * Runs `work` with the HTTP API: with the key in VAP_API_KEY, or else with a temporary key of the agent's owner (or
 * `--uid`), which is deleted when the work has ended and all of its files have been read.
 */
export const withService = async <T, AgentId extends string | undefined>(
  options: ServiceOptions<AgentId>,
  scopes: Scope[],
  signal: AbortSignal,
  work: (service: Service<AgentId>) => Promise<T>,
): Promise<T> => {
  const agentId = options.agentId as AgentId;
  const given = process.env.VAP_API_KEY?.trim();
  if (given) {
    if (!isApiKey(given)) {
      throw new CommandError(
        'VAP_API_KEY is not an API key. Keys start with vap_ and have 34 characters.',
        exitCodes.usage,
      );
    }
    const { uid } = options;
    if (!uid) throw new CommandError('With VAP_API_KEY, --uid is required: the user of that key.', exitCodes.usage);
    const baseUrl = await chooseBaseUrl({ ...options, baseUrl: options.baseUrl ?? process.env.VAP_BASE_URL });
    announce(options, `the service at ${baseUrl} with the key in VAP_API_KEY`);
    return work({ api: apiClient({ baseUrl, apiKey: given, signal }), baseUrl, uid, agentId, hasFilesUnderWay: false });
  }
  const baseUrl = await chooseBaseUrl(options);
  const stores = await openStores(options);
  const { apiKeys } = stores;
  const uid = await findCommandUser(stores, options);
  const service = { baseUrl, uid, agentId, hasFilesUnderWay: false };
  return withTemporaryKey({ apiKeys, uid, scopes, baseUrl, service }, signal, (api) =>
    work(Object.assign(service, { api })),
  );
};

/** Runs `work` with the HTTP API as a user, with a temporary key of one scope that is deleted afterwards. */
export const asUser = async <T>(
  options: Omit<ServiceOptions, 'agentId' | 'uid'>,
  { apiKeys, uid, scope }: { apiKeys: ApiKeys; uid: string; scope: Scope },
  signal: AbortSignal,
  work: (api: ApiClient) => Promise<T>,
): Promise<T> =>
  withTemporaryKey({ apiKeys, uid, scopes: [scope], baseUrl: await chooseBaseUrl(options) }, signal, work);

type TemporaryKey = {
  apiKeys: ApiKeys;
  uid: string;
  scopes: Scope[];
  baseUrl: string;
  service?: Pick<Service, 'hasFilesUnderWay'>;
};

const withTemporaryKey = async <T>(
  { apiKeys, uid, scopes, baseUrl, service }: TemporaryKey,
  signal: AbortSignal,
  work: (api: ApiClient) => Promise<T>,
): Promise<T> => {
  const expiresAt = new Date(Date.now() + keyHours * 3_600_000).toISOString();
  const key = await apiKeys.create(uid, { name: 'operator', scopes, expiresAt, isOperators: true });
  try {
    return await work(apiClient({ baseUrl, apiKey: key.secret, signal }));
  } finally {
    if (service?.hasFilesUnderWay) await apiKeys.deleteAfter(uid, key.keyId, keySecondsForFiles);
    else await apiKeys.delete(uid, key.keyId);
  }
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
export const chooseBaseUrl = async ({
  baseUrl,
  stack,
  table,
  region,
  runFile,
}: Omit<ServiceOptions, 'agentId'>): Promise<string> => {
  if (baseUrl) return baseUrl;
  if (stack) return readOutput(stack, 'BaseUrl', region);
  if (table ?? process.env.TABLE_NAME) {
    const { VAP_BASE_URL: address } = process.env;
    if (address) return address;
    throw new CommandError('With --table or TABLE_NAME, --base-url or VAP_BASE_URL is required.', exitCodes.usage);
  }
  return (await localRun(runFile)).baseUrl;
};
