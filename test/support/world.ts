import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { inject } from 'vitest';
import type { Scope } from '../../functions/domain/api-keys.ts';
import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { countKey, userKey } from '../../functions/store/keys.ts';
import type { Counter } from '../../functions/store/quotas.ts';
import { type Item, type TransactionAction, table } from '../../functions/store/table.ts';
import type { User } from '../../functions/store/users.ts';
import type { Target } from './global-setup.ts';

const started = await fetch(inject('targetUrl'));
if (!started.ok) throw new Error(await started.text());
export const target = (await started.json()) as Target;

/** The AWS settings of a program that uses the stores of the service under test. */
export const awsSettings = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: target.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: target.credentials.secretAccessKey,
};

/** The credentials of the service under test, as far as the emulator of files and queues checks them. */
export const emulatorHeaders = { authorization: `AWS4-HMAC-SHA256 Credential=${target.credentials.accessKeyId}/` };

/** Points the stores that a test opens in its own process at the tables and queues of the service under test. */
export const useTargetInThisProcess = () => {
  const { env } = process;
  Object.assign(env, awsSettings);
  env.AWS_ENDPOINT_URL_DYNAMODB = target.endpoints.dynamodb;
  env.AWS_ENDPOINT_URL_SQS = target.endpoints.sqs;
  env.AWS_ENDPOINT_URL_S3 = target.endpoints.s3;
  env.TABLE_NAME = target.tableName;
  // The machine may be busy.
  env.TABLE_TIMEOUT_SECONDS = '20';
  env.APP_ORIGIN = target.appOrigin;
  env.API_URL = target.baseUrl;
  env.PUBLIC_URL = target.publicUrl ?? target.baseUrl;
  // Handlers in this process find what the service kept about requests.
  env.ERASURE_SECRET ??= target.erasureSecret ?? 'secret';
  env.FILES_BUCKET ??= 'voice-agent-platform-files';
  env.JOBS_QUEUE_URL ??= `${target.endpoints.sqs}/000000000000/jobs`;
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
export type Answer = { status: number; headers: Headers; body: any; text: string };
export type CallOptions = {
  apiKey?: string;
  query?: Record<string, string | number | undefined>;
  /** Sent as JSON; a text or bytes are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
};

type Sent = { method: string; headers: Record<string, string>; body?: string | Uint8Array | FormData };

/** Most requests are sent this way, because `fetch` costs several times the CPU time. */
const requestText = async (address: URL, { method, headers, body }: Sent) => {
  const response = await request(address, { method, headers, body: body as string | Uint8Array });
  const text = await response.body.text();
  return { status: response.statusCode, headers: new Headers(response.headers as Record<string, string>), text };
};

const fetchText = async (address: URL, sent: Sent) => {
  const response = await fetch(address, { redirect: 'manual', ...(sent as RequestInit) });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** Calls an operation over HTTP. */
export const call = async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
  const address = new URL(target.baseUrl + path);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  const { body } = options;
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
  const sent = {
    method,
    headers: {
      ...(!raw && { 'content-type': 'application/json' }),
      ...(typeof body === 'string' && { 'content-type': 'text/plain;charset=UTF-8' }),
      ...(options.apiKey !== undefined && { 'x-authorization': options.apiKey }),
      ...options.headers,
    },
    body: raw ? body : JSON.stringify(body),
  };
  const { status, headers, text } = await (body instanceof FormData ? fetchText : requestText)(address, sent);
  const isJson = headers.get('content-type')?.startsWith('application/json');
  return {
    status,
    headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
};

/**
 * Points the stores of this process at a database of their own, in which a test makes its table: DynamoDB Local has one for each access key id.
 * The more changes the streams of a database hold, the longer it takes to read one.
 */
export const useOwnDatabaseInThisProcess = () => {
  useTargetInThisProcess();
  // The emulators accept it, because it begins with the run's own.
  process.env.AWS_ACCESS_KEY_ID = `${target.credentials.accessKeyId}${randomBytes(8).toString('hex')}`;
};

/** Returns an identifier that no other test has. */
export const unique = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`;

/** Returns a user with a key, and their items. */
const makeUser = (scopes?: Scope[]) => {
  useTargetInThisProcess();
  const uid = unique('user');
  const { made, creation } = apiKeys.get().creation(uid, { name: 'test', scopes });
  const user: Item & User = { ...userKey(uid), uid, createdAt: now() };
  return { user: { uid, apiKey: made.secret, keyId: made.keyId }, items: [user, ...listItems(creation)] };
};

/** Returns the items that the actions of a transaction put. A batch of them costs DynamoDB Local a quarter of the time. */
const listItems = (creation: TransactionAction[]) => creation.flatMap(({ Put }) => (Put ? [Put.Item as Item] : []));

export const newUser = async (scopes?: Scope[]) => {
  const { user, items } = makeUser(scopes);
  await table.get().putMany(items);
  return user;
};

/** Creates a user with a key and an agent: a separate world for one test. */
export const newWorld = async (scopes?: Scope[]) => {
  const { user, items } = makeUser(scopes);
  const { uid, apiKey, keyId } = user;
  const [agentId, createdAt] = [newIdentifier('agent'), now()];
  const agent = { uid, agentId, name: 'Agent', configuration: {}, createdAt, updatedAt: createdAt };
  const count: Counter = { ...countKey({ uid }), count: 1, changes: 1 };
  await table.get().putMany([...items, ...listItems(agentChanges.get().creation(agent, { keyId })), count]);
  return {
    ...user,
    agentId,
    /** Calls an operation with this world's key. */
    call: (method: string, path: string, options: CallOptions = {}) => call(method, path, { apiKey, ...options }),
    block: (numbers: unknown, more: object = {}) =>
      call('POST', '/agent-block-list', { apiKey, body: { uid, agentId, numbers, ...more } }),
    unblock: (numbers: unknown) => call('DELETE', '/agent-block-list', { apiKey, body: { uid, agentId, numbers } }),
    blockList: async (query: Record<string, string | number> = {}) =>
      (await call('GET', '/agent-block-list', { apiKey, query: { uid, agentId, ...query } })).body,
    recordCall: async (callId: string, facts: object = {}) => {
      const body = { phone: '+14155550100', direction: 'inbound', startedAt: '2026-03-01T10:00:00Z', ...facts };
      return call('PUT', `/calls/${agentId}/${callId}`, { apiKey, body });
    },
  };
};
export type World = Awaited<ReturnType<typeof newWorld>>;

/** Creates another user, who may use the agent. */
export const newGuest = async ({ uid, agentId }: Pick<World, 'uid' | 'agentId'>) => {
  const guest = await newUser();
  await agentSharing.get().share(agentId, uid, guest.uid);
  return guest;
};
