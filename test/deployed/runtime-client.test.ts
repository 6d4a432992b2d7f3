import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { bundleOf, kebab } from '../../lib/bundles.ts';
import { target } from '../world.ts';
import { type Invocation, runtimeClient, runUnderRuntimeClient } from './runtime-client.ts';

const deployed = inject('deployed');

let client: string;
beforeAll(() => {
  client = runtimeClient();
  bundleOf('getAgent');
}, 900_000);

/** Runs a function with the settings that its deployment gave it. */
const run = async (name: string, event: unknown): Promise<Invocation> => {
  const functionName = `${deployed.stack}-${kebab(name)}`;
  const { Configuration } = await new LambdaClient({}).send(new GetFunctionCommand({ FunctionName: functionName }));
  const environment = { ...deployed.environment, ...deployed.standIns, ...Configuration?.Environment?.Variables };
  return runUnderRuntimeClient(client, { folder: bundleOf(name), functionName, environment, event });
};

const textOf = ({ parts }: Invocation) => Buffer.concat(parts.map(({ bytes }) => bytes)).toString();

const requestOf = ({ method, path }: { method: string; path: string }, body?: unknown) => {
  const pathParameters = { agentId: target.agentId, callIdOrPhone: target.callId };
  return {
    version: '2.0',
    rawPath: path.replace('{agentId}', target.agentId).replace('{callIdOrPhone}', target.callId),
    rawQueryString: '',
    headers: { 'x-authorization': target.apiKey, 'content-type': 'application/json', origin: target.appOrigin },
    queryStringParameters: { uid: target.uid, agentId: target.agentId, number: target.phone },
    pathParameters,
    requestContext: { requestId: 'request-1', http: { method, path, sourceIp: '198.51.100.7' } },
    ...(method !== 'GET' && { body: JSON.stringify(body ?? { uid: target.uid, agentId: target.agentId }) }),
    isBase64Encoded: false,
  };
};

describe('under Lambda’s own runtime client', () => {
  it.each(routes.filter(({ streams }) => !streams).map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s answers a request with a key',
    async (name, endpoint) => {
      const outcome = await run(name, requestOf(endpoint));
      expect([outcome.ok, outcome.log]).toEqual([true, expect.not.stringContaining('"level":"error"')]);
      const { statusCode } = JSON.parse(textOf(outcome));
      // The key was read; what the body lacks, or that there is no such thing, is told after that.
      expect([200, 400, 404]).toContain(statusCode);
    },
  );

  it.each(jobs.map(({ name }) => name))('%s takes a message, and says which it could not do', async (name) => {
    const record = {
      messageId: 'm1',
      body: '{}',
      attributes: { ApproximateReceiveCount: '1' },
      eventSource: 'aws:sqs',
    };
    const outcome = await run(name, { Records: [record] });
    expect([outcome.ok, outcome.log]).toEqual([true, expect.stringContaining(`"job":"${name}"`)]);
    expect(JSON.parse(textOf(outcome))).toEqual({ batchItemFailures: expect.any(Array) });
  });

  it('the chat streams: its parts arrive one by one, its head before them', async () => {
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
    const [chat] = routes.filter(({ streams }) => streams);
    const event = requestOf({ method: 'POST', path: chat?.path ?? '' }, { id: 'c1', messages });
    const outcome = await run('buildChat', event);
    expect(outcome.headers['lambda-runtime-function-response-mode']).toBe('streaming');
    const text = textOf(outcome);
    expect(text).toContain('"statusCode":200');
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    const times = outcome.parts.map(({ at }) => at);
    expect(times.length).toBeGreaterThan(3);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(5);
  });

  it('a bundle that fails to load is noticed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voice-agents-broken-'));
    writeFileSync(
      join(folder, 'index.mjs'),
      "import 'a-package-that-is-not-there';\nexport const handler = async () => 'ok';\n",
    );
    const environment = { AWS_REGION: 'us-east-1' };
    const outcome = await runUnderRuntimeClient(client, { folder, functionName: 'broken', environment, event: {} });
    expect(outcome.ok).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
