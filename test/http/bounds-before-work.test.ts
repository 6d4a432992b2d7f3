import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { limits } from '../../functions/domain/limits.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { lambda } from '../../functions/http/lambda.ts';
import type { OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';
import { resolve } from '../../functions/openapi/schemas.ts';
import { routes } from '../../functions/routes.ts';
import { sampleOf } from '../support/samples.ts';
import { newWorld, target, useTargetInThisProcess, type World } from '../support/world.ts';
import { type WorstCase, worstCases } from '../support/worst-cases.ts';

/** Milliseconds of CPU before the 401 of an unknown key, and of a whole request. */
const bounds = { withoutKey: 100, withKey: 1000 };

const document = (await import('../../functions/openapi/document.json', { with: { type: 'json' } }))
  .default as unknown as OpenApiDocument;
const withBody = routes.filter(({ body, raw }) => body && !raw?.multipart);

let world: World;
beforeAll(async () => {
  world = await newWorld();
  useTargetInThisProcess();
});

const casesOf = async (endpoint: AnyEndpoint): Promise<WorstCase[]> => {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()] as Operation;
  const schema = operation.requestBody?.content['application/json']?.schema;
  const { body } = await sampleOf(endpoint, world);
  const { uid, agentId } = world;
  const maxBytes = endpoint.raw?.maxBodyBytes ?? limits.bodyBytes;
  return [...worstCases(document, resolve(document, schema ?? {}), { uid, agentId, ...body }, maxBytes)];
};

/** Sends a body to an operation in this process. Returns its status, and the milliseconds of CPU that it took. */
const send = async (endpoint: AnyEndpoint, body: string, apiKey: string | undefined) => {
  const { uid, agentId } = world;
  const { query, params } = await sampleOf(endpoint, world);
  const event = {
    version: '2.0',
    rawPath: endpoint.path,
    rawQueryString: '',
    headers: {
      ...(apiKey && { 'x-authorization': apiKey }),
      ...(endpoint.caller.kind === 'application' && { origin: target.appOrigin }),
    },
    queryStringParameters: { uid, agentId, ...query },
    pathParameters: { agentId, ...params },
    requestContext: {
      requestId: randomUUID(),
      http: { method: endpoint.method, path: endpoint.path, sourceIp: '127.0.0.1' },
    },
    body,
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
  const handler = lambda(endpoint);
  const before = process.cpuUsage();
  const { statusCode, body: text = '' } = await handler(event, {} as Context);
  const { user, system } = process.cpuUsage(before);
  return { status: statusCode, milliseconds: (user + system) / 1000, bytes: text.length };
};

/** Sends the cases, each until it is within its bound: a busy machine and a collector of garbage take from one run, not from three. */
const slowCases = async (endpoint: AnyEndpoint, cases: WorstCase[], apiKey: string | undefined, bound: number) => {
  const slow: string[] = [];
  for (const { name, body } of cases) {
    let fastest = Number.POSITIVE_INFINITY;
    let failures = 0;
    for (let attempt = 0; attempt < 3 && fastest > bound; attempt++) {
      const { status, milliseconds, bytes } = await send(endpoint, body(), apiKey);
      // The service that is called for a key may be busy.
      if (endpoint.caller.kind === 'key' && status === 500) failures += 1;
      else fastest = Math.min(fastest, milliseconds);
      if (bytes > 6 * 1024 * 1024) slow.push(`${name}: a response of ${bytes} bytes`);
    }
    if (failures === 3) slow.push(`${name}: status 500`);
    else if (fastest > bound) slow.push(`${name}: ${Math.round(fastest)} ms`);
  }
  return slow;
};

describe.each(withBody.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (name, endpoint) => {
  const check = async (every: number) => {
    const cases = (await casesOf(endpoint)).filter((_, index) => index % every === 0);
    await send(endpoint, '{}', newApiKey());
    if (endpoint.caller.kind === 'key')
      expect(
        await slowCases(
          endpoint,
          cases.filter((_, index) => index % 5 === 0),
          newApiKey(),
          bounds.withoutKey,
        ),
      ).toEqual([]);
    expect(await slowCases(endpoint, cases, world.apiKey, bounds.withKey)).toEqual([]);
  };

  it(`${name} refuses a hostile body at little cost`, () => check(61));
  it(`${name} refuses every hostile body at little cost`, { tags: 'heavy' }, () => check(1));
});
