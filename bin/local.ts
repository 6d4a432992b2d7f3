/** `npm start`: the whole service on one machine, with stand-ins for what it uses on AWS. */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { buildPages } from '../lib/pages.ts';
import { startBedrock } from './local/bedrock.ts';
import { demoData } from './local/demo.ts';
import { startDynamoDb } from './local/dynamodb.ts';
import { startGateway } from './local/gateway.ts';
import { pageServer } from './local/pages.ts';
import { startQueueAndFiles } from './local/queue-and-files.ts';
import { type Started, StartupError } from './local/started.ts';
import { startStripe, stripeCustomers } from './local/stripe.ts';
import { welcome } from './local/welcome.ts';

const toPort = (value: string) => {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
};

const options = new Command('npm start --')
  .description('Runs the whole service on this machine. It needs Node, npm and Java 17, and no AWS account.')
  .option('--port <number>', 'the port to serve on; 0 takes any free one', toPort, 3000)
  .option('--data <folder>', 'keep the data here between runs; without it they are gone at the end')
  .option('--json', 'print one JSON line once ready, and nothing else, on standard output')
  .option('--run-file <file>', 'where to note how to reach this run, for `npm run operator`', '.local/run.json')
  .parse()
  .opts<{ port: number; data?: string; json?: true; runFile: string }>();

const running: Started[] = [];
const start = async <S extends Started>(part: Promise<S>): Promise<S> => {
  const started = await part;
  running.push(started);
  return started;
};

let ending: Promise<void> | undefined;
const end = (code: number) => {
  ending ??= Promise.allSettled(running.reverse().map((part) => part.stop())).then(() => process.exit(code));
  return ending;
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));

const run = async () => {
  const env = process.env;
  const bedrockOrStandIn = bedrockIsGiven() ? bedrockItself : bedrockStandIn;
  env.AWS_REGION ??= 'us-east-1';
  env.AWS_ACCESS_KEY_ID ??= 'local';
  env.AWS_SECRET_ACCESS_KEY ??= 'local';
  env.TABLE_NAME ??= 'voice-agent-platform';
  if (!env.CHAT_SIGNING_SECRET_ARN) env.CHAT_SIGNING_SECRET ??= randomBytes(32).toString('base64url');
  env.FILES_BUCKET ??= 'voice-agent-platform-files';
  const data = options.data && resolve(options.data);
  if (data) makeFolder(data);

  const gateway = await start(startGateway(options.port));
  env.APP_ORIGIN ??= gateway.baseUrl;
  let demo: Awaited<ReturnType<typeof demoData>> | undefined;
  const sendPage = pageServer(buildPages(), () => demo && { ...demo, customerId: stripe.customerId });
  const [dynamodb, queueAndFiles, stripe, bedrock] = await Promise.all([
    start(startDynamoDb(env.TABLE_NAME, { endpoint: env.AWS_ENDPOINT_URL_DYNAMODB, data })),
    start(startQueueAndFiles({ bucket: env.FILES_BUCKET, data })),
    stripeOrStandIn(),
    bedrockOrStandIn(),
  ]);
  env.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.endpoint;
  env.AWS_ENDPOINT_URL_SQS ??= queueAndFiles.endpoint;
  env.AWS_ENDPOINT_URL_S3 ??= queueAndFiles.endpoint;
  env.JOBS_QUEUE_URL ??= queueAndFiles.queueUrl;
  queueAndFiles.work({ endpoint: env.AWS_ENDPOINT_URL_SQS, queueUrl: env.JOBS_QUEUE_URL });
  gateway.open({ appOrigins: env.APP_ORIGIN.split(',').map((origin) => origin.trim()), sendPage });

  demo = await demoData(data && join(data, 'demo.json'));
  const facts = {
    baseUrl: gateway.baseUrl,
    ...demo,
    appOrigin: env.APP_ORIGIN,
    customerId: stripe.customerId,
    tableName: env.TABLE_NAME,
    endpoints: {
      dynamodb: dynamodb.endpoint,
      s3: env.AWS_ENDPOINT_URL_S3,
      sqs: env.AWS_ENDPOINT_URL_SQS,
      stripe: stripe.endpoint,
      bedrock: bedrock.endpoint,
    },
  };
  await start(noteRun(resolve(import.meta.dirname, '..', options.runFile), facts));
  console.log(options.json ? JSON.stringify(facts) : welcome({ ...facts, model: bedrock.model }));
};

const makeFolder = (path: string) => {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `The data cannot be kept in ${path} (${code}): name a folder that may be written, as in \`npm start -- --data data\`.`,
    );
  }
};

/** Stripe itself, or one at STRIPE_API_BASE, where its settings are given; otherwise the stand-in, and a customer it knows. */
const stripeOrStandIn = async (): Promise<{ endpoint: string; customerId: string | null }> => {
  const { env } = process;
  if (env.STRIPE_SECRET_KEY || env.STRIPE_SECRET_ARN || env.STRIPE_API_BASE) {
    if (!env.STRIPE_SECRET_ARN) env.STRIPE_SECRET_KEY ??= randomKey();
    return { endpoint: env.STRIPE_API_BASE ?? 'https://api.stripe.com', customerId: null };
  }
  const key = randomKey();
  const standIn = await start(startStripe({ key }));
  env.STRIPE_SECRET_KEY = key;
  env.STRIPE_API_BASE = standIn.endpoint;
  return { endpoint: standIn.endpoint, customerId: stripeCustomers.several };
};

const randomKey = () => `sk_test_${randomBytes(18).toString('hex')}`;

/** Whether the settings of a real model are given: its id with credentials, or where it is. Asked before stand-ins' own are set. */
const bedrockIsGiven = () => {
  const { env } = process;
  const hasCredentials = env.AWS_ACCESS_KEY_ID || env.AWS_BEARER_TOKEN_BEDROCK;
  return Boolean(env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME || (env.CHAT_MODEL_ID && hasCredentials));
};

type Bedrock = { endpoint: string; model: string | null };

const bedrockItself = async (): Promise<Bedrock> => {
  const { env } = process;
  env.CHAT_MODEL_ID ??= standInModel;
  const endpoint = env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME ?? `https://bedrock-runtime.${env.AWS_REGION}.amazonaws.com`;
  return { endpoint, model: env.CHAT_MODEL_ID };
};

const bedrockStandIn = async (): Promise<Bedrock> => {
  const { endpoint } = await start(startBedrock());
  process.env.CHAT_MODEL_ID ??= standInModel;
  process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME = endpoint;
  return { endpoint, model: null };
};

const standInModel = 'stand-in';

/** Notes how to reach this run, with the credentials its stand-ins take; gone when it ends. */
const noteRun = async (
  file: string,
  { baseUrl, tableName, endpoints }: Pick<Parameters<typeof welcome>[0], 'baseUrl' | 'tableName' | 'endpoints'>,
): Promise<Started> => {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  const credentials = { accessKeyId, secretAccessKey };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({ pid: process.pid, baseUrl, tableName, endpoints, region, credentials }, null, 2),
  );
  return {
    async stop() {
      const noted = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
      if (noted.pid === process.pid) rmSync(file);
    },
  };
};

run().catch((error: Error) => {
  if (ending) return;
  console.error(error instanceof StartupError ? error.message : error);
  return end(1);
});
