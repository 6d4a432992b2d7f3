import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Context } from 'aws-lambda';
import { startBedrock } from '../../bin/local/bedrock.ts';
import { startDynamoDb } from '../../bin/local/dynamodb.ts';
import { gateway } from '../../bin/local/gateway.ts';
import { findJava } from '../../bin/local/java.ts';
import { listen } from '../../bin/local/listen.ts';
import { bundlePages } from '../../bin/local/pages.ts';
import { startQueueAndFiles } from '../../bin/local/queue-and-files.ts';
import { startStripe, stripeCustomers } from '../../bin/local/stripe.ts';
import { createTable } from '../../bin/local/table.ts';
import { type Demo, makeDemo } from '../../bin/operator/demo.ts';
import { makeStores, type Stores } from '../../bin/operator/stores.ts';
import { Scope } from '../../functions/domain/api-keys.ts';
import { now } from '../../functions/domain/date-time.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import type { ApiHandler, ApiResult } from '../../functions/http/handler-types.ts';
import { lambda } from '../../functions/http/lambda.ts';
import { openTable } from '../../functions/store/table.ts';
import { makeEvent, type OperationRequest } from '../support/events.ts';
import { newAgentRecord } from '../support/records.ts';
import { type CountingProxy, startProxy } from './proxy.ts';

/** The service that a measurement calls. Handlers run in this process, and reach everything outside through the proxy. */
export type World = Demo & {
  proxy: CountingProxy<'dynamodb' | 's3' | 'sqs' | 'stripe' | 'bedrock'>;
  /** The stores, through the proxy. */
  stores: Stores;
  /** The stores without the proxy, for records that must exist before a measurement begins. */
  directly: Stores;
  /** The key of `apiKey`. */
  keyId: string;
  customerId: string;
  /** The environment of a function, with which another process reaches everything without the proxy. */
  settings: Record<string, string>;
  /** Creates another agent, for a measurement that fills one. */
  newAgent(): Promise<string>;
  stop(): Promise<void>;
};

const tableName = 'bench';
const stripeKey = 'sk_test_bench';
const bucket = 'bench-files';
const appOrigin = 'https://app.example.com';
const webhookEncryptionKey = randomBytes(32).toString('base64');

/**
 * Starts what the service uses on this machine, except for a DynamoDB Local that is given, and the proxy, and points
 * this process at the proxy.
 */
export const startWorld = async (): Promise<World> => {
  const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' };
  // The API asks for it when it starts; its own address is known then.
  Object.assign(process.env, { ...credentials, PUBLIC_URL: 'http://127.0.0.1' });
  const given = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const [dynamodb, queue, stripe, bedrock] = await Promise.all([
    given ? { endpoint: given, async stop() {} } : startDynamoDb(await findJava(console.error), undefined),
    startQueueAndFiles({ bucket, credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' } }),
    startStripe({ key: stripeKey }),
    startBedrock(),
  ]);
  await createTable(tableName, dynamodb);
  const endpoints = {
    dynamodb: dynamodb.endpoint,
    s3: queue.endpoint,
    sqs: queue.endpoint,
    stripe: stripe.endpoint,
    bedrock: bedrock.endpoint,
  };
  const proxy = await startProxy(endpoints);
  // The service itself, whose operations the chat calls.
  const { awslambda } = globalThis as { awslambda?: object };
  const api = await listen(createServer(gateway({ origins: [appOrigin], pages: bundlePages({}) })));
  // The gateway sets it for its own handlers; here, they answer whole.
  Object.assign(globalThis, { awslambda });
  const formSettings = (way: typeof endpoints) => ({
    ...credentials,
    TABLE_NAME: tableName,
    AWS_ENDPOINT_URL_DYNAMODB: way.dynamodb,
    AWS_ENDPOINT_URL_S3: way.s3,
    AWS_ENDPOINT_URL_SQS: way.sqs,
    FILES_BUCKET: bucket,
    JOBS_QUEUE_URL: queue.queueUrl,
    STRIPE_SECRET_KEY: stripeKey,
    STRIPE_API_BASE: way.stripe,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: way.bedrock,
    CHAT_MODEL_ID: 'fake-model',
    CHAT_SIGNING_SECRET: randomUUID(),
    ERASURE_SECRET: randomUUID(),
    // More than a measurement sends.
    CHAT_RATE_PER_MINUTE: '100000',
    CHAT_DAILY_TOKENS: '1000000000',
    APP_ORIGIN: appOrigin,
    WEBHOOK_ENCRYPTION_KEY: webhookEncryptionKey,
    WEBHOOK_TRUSTED_ORIGINS: 'https://crm.example.com',
    API_URL: api.endpoint,
    PUBLIC_URL: api.endpoint,
  });
  Object.assign(process.env, formSettings(proxy.endpoints));
  const directly = makeStores(openTable(tableName, { endpoint: dynamodb.endpoint }));
  const demo = await makeDemo(directly, { uid: 'bench-user', otherUid: 'other-user' });
  await directly.agentSharing.share(demo.agentId, demo.uid, demo.otherUid);
  const key = await directly.apiKeys.create(demo.uid, { name: 'all scopes', scopes: Scope.options });
  return {
    ...demo,
    apiKey: key.secret,
    keyId: key.keyId,
    proxy,
    stores: makeStores(openTable(tableName)),
    directly,
    customerId: stripeCustomers.several,
    settings: formSettings(endpoints),
    async newAgent() {
      const agent = newAgentRecord(demo.uid, { createdAt: now() });
      await directly.agentChanges.create(agent);
      return agent.agentId;
    },
    async stop() {
      await Promise.allSettled([proxy, api, dynamodb, queue, stripe, bedrock].map((part) => part.stop()));
    },
  };
};

export type Request = OperationRequest & { body?: object | string };

const handlers = new Map<string, ApiHandler>();

/** Calls an operation's handler with a request. Throws for an error. */
export const invoke = async (endpoint: AnyEndpoint, request: Request): Promise<ApiResult> => {
  const made = handlers.get(endpoint.name);
  const handler = made ?? lambda(endpoint);
  handlers.set(endpoint.name, handler);
  const result = await handler(makeEvent(endpoint, request), {} as Context);
  if ((result.statusCode ?? 500) >= 400)
    throw new Error(`${endpoint.name} answered ${result.statusCode}: ${result.body}`);
  return result;
};
