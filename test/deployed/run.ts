/**
 * `npm run test:deployed`: deploys the stacks to an emulated AWS as an operator would, runs the API's tests against
 * the deployed address, and takes everything down again. With names of test files it runs those alone. `TEST_REPORTS`
 * names a folder for the reports of what was run, in JSON; one where nothing can be run gets the reason instead. `SAMPLE` is a seed
 * that chooses a fourth of the files beside those that always run.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { startBedrock } from '../../bin/local/bedrock.ts';
import { freePort } from '../../bin/local/listen.ts';
import type { Started } from '../../bin/local/started.ts';
import { startStripe, stripeCustomers } from '../../bin/local/stripe.ts';
import installPackages from '../acceptance/packages.ts';
import { RuntimeClientMissingError, runtimeClient } from '../bench/runtime-client.ts';
import type { Target } from '../support/global-setup.ts';
import { startReceivers } from '../support/receiver.ts';
import { isTried } from '../support/sample.ts';
import { startSite } from '../support/site.ts';
import type { Deployed } from './deployed.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { startFront } from './front.ts';
import { PythonMissingError, pythonPrograms } from './python.ts';

const root = join(import.meta.dirname, '..', '..');
const appOrigin = 'https://app.example.com';
const stack = 'voice-agents-dev';

const folder = mkdtempSync(join(tmpdir(), 'voice-agents-deployed-'));
const running: Started[] = [];
const began = performance.now();

const say = (sentence: string) =>
  console.error(`[${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s] ${sentence}`);

/** Runs one of the project's programs with its own Node, and returns its output. */
const run = async (args: string[], env: Record<string, string>, { input = '', cwd = root } = {}): Promise<string> => {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` },
  });
  let printed = '';
  let errorText = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  child.stderr.on('data', (text) => {
    errorText += text;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}:\n${printed}${errorText}`);
  return printed;
};

const reports = process.env.TEST_REPORTS;

/** Runs tests, whose report goes to the terminal. Returns true if all passed. */
const vitest = async (name: string, files: string[], env: Record<string, string>): Promise<boolean> => {
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const json = reports ? ['--reporter=json', `--outputFile.json=${join(reports, `deployed-${name}.json`)}`] : [];
  const vitestProgram = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitestProgram, 'run', '--config', config, '--reporter=default', ...json, ...files];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` },
  });
  const [code] = await once(child, 'close');
  return code === 0;
};

const start = async <S extends Started>(part: Promise<S>): Promise<S> => {
  const started = await part;
  running.push(started);
  return started;
};

const main = async (): Promise<boolean> => {
  say('Python packages …');
  const programs = pythonPrograms();
  // Before the tests, which trust the emulator's certificate and no registry's.
  installPackages();
  const chosen = process.argv.slice(2);

  // It is built beside the deployment and the first tests, where it is not there yet. That takes as long as they do: not each sample has it.
  const client = chosen.length === 0 && isTried('runtime client') ? runtimeClient(say) : undefined;
  client?.catch(() => {});

  say('Emulator …');
  const stripeKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const stripe = await start(startStripe({ key: stripeKey }));
  const bedrock = await start(startBedrock());
  const fakes = {
    STRIPE_API_BASE: stripe.endpoint,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.endpoint,
    // The test of reconciliations starts a fake of the platform there.
    VAPI_API_BASE: `http://127.0.0.1:${await freePort()}`,
  };
  // The emulated table is slower than AWS's, as that of a local run is.
  const emulator = await start(startEmulator(programs, folder, { ...fakes, TABLE_TIMEOUT_SECONDS: '20' }));
  const { environment } = emulator;
  const site = await start(startSite());
  const receivers = await start(startReceivers());
  // All tests share one address, and make more requests than one caller may.
  const settings = {
    stage: 'dev',
    appOrigin,
    chatModelId: 'fake-model',
    chatRatePerMinute: 1000,
    requestsPerSecond: 1000,
    crawlTrustedOrigins: site.origin,
    // The second one is in the examples of the documentation.
    webhookTrustedOrigins: `${receivers.origin},https://crm.example.com`,
  };
  const context = Object.entries(settings).flatMap(([name, value]) => ['--context', `${name}=${value}`]);

  say('cdk bootstrap …');
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  // Outside the project, whose app would be synthesized for it.
  await run([cdk, 'bootstrap', 'aws://000000000000/us-east-1'], environment, { cwd: folder });
  say('cdk deploy …');
  const outputsFile = join(folder, 'outputs.json');
  const assembly = join(folder, 'assembly');
  const into = ['--output', assembly, '--outputs-file', outputsFile];
  await run(['bin/deploy.ts', '--require-approval', 'never', ...into, ...context], environment);
  const outputs = JSON.parse(readFileSync(outputsFile, 'utf8'))[stack] as Record<string, string>;

  say('Keys and a demo, by the operator’s command line …');
  const operator = ['bin/voice-agents.ts', '--stack', stack];
  await run([...operator, 'secret', 'stripe'], environment, { input: stripeKey });
  const demo = JSON.parse(await run([...operator, '--json', 'demo'], environment));

  const certificate = readFileSync(emulator.certificate);
  const openFront = (address: string) =>
    start(startFront({ endpoint: emulator.endpoint, host: new URL(address).host, certificate }));
  const edge = await openFront(outputs.BaseUrl as string);
  const api = await openFront(outputs.ApiUrl as string);
  const chat = outputs.ChatUrl ? await openFront(outputs.ChatUrl) : null;
  const target: Target = {
    ...demo,
    baseUrl: edge.baseUrl,
    publicUrl: outputs.BaseUrl as string,
    appOrigin,
    customerId: stripeCustomers.several,
    tableName: outputs.TableName,
    endpoints: {
      dynamodb: emulator.endpoint,
      s3: emulator.endpoint,
      sqs: emulator.endpoint,
      stripe: stripe.endpoint,
      bedrock: bedrock.endpoint,
    },
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
    },
  };
  const deployed: Deployed = {
    stack,
    outputs,
    apiUrl: api.baseUrl,
    chatUrl: chat?.baseUrl ?? null,
    environment,
    fakes,
    grants: emulator.grants,
    programs,
    assembly,
    context,
  };
  const env = {
    ...environment,
    JOBS_QUEUE_URL: `${emulator.endpoint}/000000000000/${stack}-{job}`,
    FILES_BUCKET: outputs.FilesBucket as string,
    DEPLOYED: JSON.stringify({ target, deployed, siteOrigin: site.origin, receiverOrigin: receivers.origin }),
  };

  say(`Deployed: ${edge.baseUrl} is the edge, ${api.baseUrl} the API. The tests …`);
  const passed = await vitest(
    'api',
    chosen.length > 0
      ? chosen
      : [
          'test/deployed/deployment.test.ts',
          'test/deployed/lake.test.ts',
          'test/deployed/reconciliation.test.ts',
          'test/api',
          'test/acceptance/api',
          'test/bin/agents/apply',
          'test/bin/agents/pull',
        ],
    env,
  );
  if (!passed) await keepLogs(emulator, certificate);
  if (chosen.length > 0) return passed;
  const loaded = client ? await underRuntimeClient(client, env) : true;
  say('Afterwards: grants, templates, a second deployment, the end …');
  const ended = await vitest('afterwards', ['test/deployed/afterwards.test.ts'], env);
  return passed && loaded && ended;
};

/** Every function under AWS's own runtime client; where that cannot be built, a sentence says so. */
const underRuntimeClient = async (client: Promise<string>, env: Record<string, string>): Promise<boolean> => {
  say('AWS’s own runtime client …');
  try {
    await client;
  } catch (error) {
    if (!(error instanceof RuntimeClientMissingError)) throw error;
    say(error.message);
    return true;
  }
  say('The functions under it …');
  return await vitest('runtime-client', ['test/deployed/runtime-client.test.ts'], env);
};

/** The logs of the functions, kept beside the emulator's own log. */
const keepLogs = async ({ endpoint, environment }: Emulator, ca: Buffer) => {
  const {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = environment;
  const client = new CloudWatchLogsClient({
    ...(region && { region }),
    endpoint,
    credentials: { accessKeyId, secretAccessKey },
    requestHandler: { httpsAgent: new Agent({ ca }) },
  });
  const lines: string[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {})) {
    for (const { logGroupName } of logGroups) {
      for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName })) {
        lines.push(...events.map(({ message }) => `${logGroupName}  ${message}`));
      }
    }
  }
  writeFileSync(join(folder, 'functions.log'), lines.join('\n'));
};

const end = async (code: number) => {
  for (const part of running.reverse()) await part.stop().catch(() => {});
  if (code === 0) rmSync(folder, { recursive: true, force: true });
  else console.error(`The logs of the emulator and of the functions, and what was granted, are in ${folder}.`);
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(130));

try {
  const passed = await main();
  say(passed ? 'All of it passed.' : 'Something failed: see above.');
  await end(passed ? 0 : 1);
} catch (error) {
  if (!(error instanceof PythonMissingError)) console.error(error);
  else {
    const message = `The emulated deployment is left out. ${error.message}`;
    console.error(message);
    if (reports) writeFileSync(join(reports, 'deployed-left-out.txt'), message);
  }
  await end(error instanceof PythonMissingError ? 0 : 1);
}
