import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { environment } from '../../functions/environment.ts';
import { Table } from '../../functions/store/table.ts';
import { startChangeReader } from './change-reader.ts';
import { type DataFolder, localRegion } from './data-folder.ts';
import { demoData } from './demo/demo-data.ts';
import { startDemoHistory } from './demo/demo-history.ts';
import type { Disk } from './disk.ts';
import { gateway } from './gateway.ts';
import { type Report, startReadableLog } from './log.ts';
import { bundlePages } from './pages.ts';
import { connectBedrock, connectPlatforms, connectStripe, readSecrets } from './providers.ts';
import { startQueueAndFiles } from './queue-and-files.ts';
import { queueTransactions } from './queue-transactions.ts';
import { readRates } from './rate-limits.ts';
import { type Started, StartupError } from './started.ts';
import { createTable } from './table.ts';
import { type Facts, welcome } from './welcome.ts';

type Options = {
  json?: true;
  jsonLog?: true;
  runFile?: string;
  /** The number of days of demo calls that are added. */
  demoDays: number;
  /** Answers the requests of the server, including those it holds. */
  serve: (listener: RequestListener) => void;
  baseUrl: string;
  dynamodb: { endpoint: string; failure?: () => string | undefined };
  data: DataFolder;
  disk: Disk;
  /** The environment of the user's shell. */
  shell: NodeJS.ProcessEnv;
  start: <S extends Started>(part: S | Promise<S>) => Promise<S>;
};

/** Starts the emulators, sets the settings of the service, and serves it. */
export const startService = async (options: Options): Promise<void> => {
  const { serve, baseUrl, dynamodb, data, disk, shell, start } = options;
  const { env } = process;
  env.TABLE_NAME ??= 'voice-agent-platform';
  env.TABLE_TIMEOUT_SECONDS ??= '20';
  env.FILES_BUCKET ??= 'voice-agent-platform-files';
  env.APP_ORIGIN ??= baseUrl;
  env.API_URL = baseUrl;
  env.PUBLIC_URL ??= baseUrl;
  env.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.endpoint;
  await readSecrets(shell);
  // The run file contains the secrets that this run generated, but none of the user's own.
  const erasureSecret = env.ERASURE_SECRET ? undefined : data.getSecret('erasure');
  env.ERASURE_SECRET ??= erasureSecret;
  env.CHAT_SIGNING_SECRET ??= data.getSecret('chat');
  env.CALLER_MARK_SECRET ??= randomBytes(32).toString('hex');
  env.WEBHOOK_ENCRYPTION_KEY ??= data.getSecret('webhooks');
  const [queueAndFiles, stripe, bedrock, platforms] = await Promise.all([
    start(startQueueAndFiles({ bucket: env.FILES_BUCKET, data: data.path, credentials: data.credentials })),
    connectStripe(start),
    connectBedrock(start, shell),
    options.demoDays > 0 ? connectPlatforms(start) : undefined,
    createTable(env.TABLE_NAME, dynamodb),
  ]);
  env.AWS_ENDPOINT_URL_SQS ??= queueAndFiles.endpoint;
  env.AWS_ENDPOINT_URL_S3 ??= queueAndFiles.endpoint;
  env.JOBS_QUEUE_URL ??= queueAndFiles.queueUrl;
  checkSettings();
  // Only DynamoDB Local, which this run has started, needs it.
  if (dynamodb.failure) queueTransactions(Table.prototype);
  const rates = readRates(env);
  const reading = { isBehind: false };
  queueAndFiles.work({ endpoint: env.AWS_ENDPOINT_URL_SQS, queueUrl: env.JOBS_QUEUE_URL }, disk, reading);
  queueAndFiles.startByClock();

  const tableName = env.TABLE_NAME;
  await start(startChangeReader({ endpoint: dynamodb.endpoint, tableName, data: data.path, disk, reading }));

  let isReady = false;
  const print = options.jsonLog ? undefined : startReadableLog();
  const report: Report | undefined = print && ((...about) => isReady && print(...about));
  const defaults: Partial<Facts> & { isFakeModel: boolean } = {
    customerId: stripe.customerId,
    isFakeModel: bedrock.model === null,
  };
  const origins = env.APP_ORIGIN.split(',').map((origin) => origin.trim());
  serve(gateway({ origins, publicUrl: env.PUBLIC_URL, pages: bundlePages(defaults), disk, rates, report }));
  const { demo, isNew } = await demoData(data.path && join(data.path, 'demo.json'), baseUrl);
  Object.assign(defaults, demo);
  const facts = {
    baseUrl,
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
    credentials: data.credentials,
  };
  // Each port has its own file, so that several runs do not overwrite each other's.
  const runFile = options.runFile ?? `.local/runs/${new URL(baseUrl).port}.json`;
  await start(writeRunFile(resolve(import.meta.dirname, '../..', runFile), { ...facts, erasureSecret }));
  console.log(
    options.json
      ? JSON.stringify(facts)
      : welcome({ ...facts, model: bedrock.model, addedDays: isNew ? options.demoDays : 0 }),
  );
  isReady = true;
  const file = data.path && join(data.path, 'demo-history.json');
  await start(startDemoHistory({ demo, isNew, days: options.demoDays, baseUrl, platforms, file }));
};

/** Reads every setting once. A wrong one ends the run with a sentence, before a request needs it. */
const checkSettings = () => {
  try {
    for (const name of Object.keys(environment)) void environment[name as keyof typeof environment];
  } catch (error) {
    throw new StartupError((error as Error).message);
  }
};

/** Writes the file that `npm run operator` uses to reach this run, and removes it when the run ends. */
const writeRunFile = async (
  file: string,
  facts: Facts & Pick<DataFolder, 'credentials'> & { erasureSecret: string | undefined },
): Promise<Started> => {
  const { baseUrl, uid, tableName, endpoints, credentials, erasureSecret } = facts;
  mkdirSync(dirname(file), { recursive: true });
  // An earlier run's file would keep its mode.
  rmSync(file, { force: true });
  const local = { pid: process.pid, region: localRegion, erasureSecret };
  const run = { ...local, baseUrl, uid, tableName, endpoints, credentials };
  writeFileSync(file, JSON.stringify(run, null, 2), { mode: 0o600 });
  return {
    async stop() {
      const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
      if (pid === process.pid) rmSync(file);
    },
  };
};
