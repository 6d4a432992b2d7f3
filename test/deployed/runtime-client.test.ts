import { GetFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { beforeAll, expect, inject, it } from 'vitest';
import { makeStores } from '../../bin/operator/stores.ts';
import { registerClient } from '../../functions/api/register-client.ts';
import { Scope } from '../../functions/domain/api-keys.ts';
import { now } from '../../functions/domain/date-time.ts';
import { toKebabCase } from '../../functions/domain/text.ts';
import { isStreamed } from '../../functions/http/endpoint.ts';
import { queueJobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { openTable } from '../../functions/store/table.ts';
import { bundlePath, pagesBundlePath, pagesFunction } from '../../lib/bundles.ts';
import { listSamples } from '../bench/operations.ts';
import { type Invocation, runtimeClient, runUnderRuntimeClient } from '../bench/runtime-client.ts';
import type { World } from '../bench/world.ts';
import { makeEvent } from '../support/events.ts';
import { newAgentRecord } from '../support/records.ts';
import { target, useTargetInThisProcess } from '../support/world.ts';

const deployed = inject('deployed');

let client: string;
/** The world of the samples: the demo, with the stores of the deployment's table and a key of all scopes. */
let world: World;
beforeAll(async () => {
  useTargetInThisProcess();
  const directly = makeStores(openTable(target.tableName));
  const { uid } = target;
  const { secret } = await directly.apiKeys.create(uid, { name: 'all scopes', scopes: Scope.options });
  const newAgent = async () => {
    const agent = newAgentRecord(uid, { createdAt: now() });
    await directly.agentChanges.create(agent);
    return agent.agentId;
  };
  world = { ...target, directly, apiKey: secret, newAgent } as unknown as World;
  // A client that registers in this process opens the pages of the deployed functions.
  const { WEBHOOK_ENCRYPTION_KEY_ARN } = await readSettings(registerClient.name);
  Object.assign(process.env, { WEBHOOK_ENCRYPTION_KEY_ARN });
  client = await runtimeClient();
  pagesBundlePath({ hasChat: true });
});

const nameFunction = (name: string) => `${deployed.stack}-${toKebabCase(name)}`;

/** Returns the settings that the deployment gave a function. */
const readSettings = async (name: string) => {
  const { Configuration } = await new LambdaClient({}).send(
    new GetFunctionCommand({ FunctionName: nameFunction(name) }),
  );
  return Configuration?.Environment?.Variables ?? {};
};

/** Runs a function with the settings that its deployment gave it. */
const run = async (name: string, event: unknown): Promise<Invocation> => {
  const environment: Record<string, string> = {
    ...deployed.environment,
    ...deployed.fakes,
    ...(await readSettings(name)),
  };
  // There is no CloudFront in front of a single function.
  environment.EDGE_SECRETS = '';
  // Nor does a name server know the host of the emulated API: MCP's own requests go through the emulated CloudFront.
  environment.API_URL = target.baseUrl;
  return runUnderRuntimeClient(client, {
    folder: bundlePath(name),
    functionName: nameFunction(name),
    environment,
    event,
  });
};

const joinText = ({ parts }: Invocation) => Buffer.concat(parts.map(({ bytes }) => bytes)).toString();

/** An event of each operation, for the demo that the operator made. */
const cases = routes.map((endpoint) => {
  const [sample] = listSamples(endpoint);
  const event = async () => makeEvent(endpoint, { apiKey: world.apiKey, ...(await sample.request(world)) });
  return [endpoint.name, endpoint, event] as const;
});

it.each(cases.filter(([, endpoint]) => !isStreamed(endpoint)))(
  '%s responds to a request with a key under Lambda’s own runtime client',
  async (name, { raw }, event) => {
    const outcome = await run(name, await event());
    expect([outcome.outcome, outcome.log]).toEqual(['response', expect.not.stringContaining('"level":"error"')]);
    const { statusCode, headers, body } = JSON.parse(joinText(outcome));
    const isCustom = raw?.responds === 'custom';
    const status = isCustom ? expect.toSatisfy((code) => code < 400) : 200;
    expect([statusCode, body]).toEqual([status, expect.any(String)]);
    if (isCustom) return;
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual(expect.any(Object));
  },
);

it('the pages are sent under Lambda’s own runtime client', async () => {
  const event = {
    version: '2.0',
    rawPath: '/docs',
    headers: { 'accept-encoding': 'gzip' },
    requestContext: { http: { method: 'GET' } },
  };
  const outcome = await run(pagesFunction, event);
  expect([outcome.outcome, outcome.log]).toEqual(['response', expect.any(String)]);
  const { statusCode, headers } = JSON.parse(joinText(outcome));
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
});

it.each(queueJobs.map(({ name }) => name))(
  '%s handles a message under Lambda’s own runtime client, and reports which failed',
  async (name) => {
    // The last delivery: there is no queue here that could bring the message back sooner.
    const attributes = { ApproximateReceiveCount: '5' };
    const eventSourceARN = `arn:aws:sqs:us-east-1:000000000000:voice-agents-dev-${name}`;
    const record = {
      ...{ messageId: 'm1', receiptHandle: 'r1', body: '{}' },
      ...{ attributes, eventSource: 'aws:sqs', eventSourceARN },
    };
    const outcome = await run(name, { Records: [record] });
    expect([outcome.outcome, outcome.log]).toEqual(['response', expect.stringContaining(`"job":"${name}"`)]);
    expect(JSON.parse(joinText(outcome))).toEqual({ batchItemFailures: expect.any(Array) });
  },
);

it('the reader of changes handles a batch under Lambda’s own runtime client, and reports which change failed', async () => {
  const outcome = await run('readChanges', { Records: [] });
  expect(outcome.outcome).toBe('response');
  expect(JSON.parse(joinText(outcome))).toEqual({ batchItemFailures: [] });
});

it.each(cases.filter(([, endpoint]) => isStreamed(endpoint)))(
  '%s streams under Lambda’s own runtime client: head first, then part by part',
  async (name, _, event) => {
    const outcome = await run(name, await event());
    expect([outcome.outcome, outcome.log]).toEqual(['response', expect.not.stringContaining('"level":"error"')]);
    expect(outcome.headers['lambda-runtime-function-response-mode']).toBe('streaming');
    const text = joinText(outcome);
    const [head = '', body = ''] = text.split('\0'.repeat(8));
    expect(JSON.parse(head)).toMatchObject({ statusCode: 200, headers: { 'content-type': 'text/event-stream' } });
    expect(body).toContain('"type":"text-delta"');
    expect(body.trimEnd().endsWith('data: [DONE]')).toBe(true);
    // The fake model pauses between words; so do the parts.
    const times = outcome.parts.map(({ at }) => at);
    expect(times.length).toBeGreaterThan(10);
    expect((times.at(-1) as number) - (times[0] as number)).toBeGreaterThan(50);
  },
);
