import { randomBytes } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { limits } from '../../functions/domain/limits.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { lambda } from '../../functions/http/lambda.ts';
import type { OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';
import { resolve } from '../../functions/openapi/schemas.ts';
import { routes } from '../../functions/routes.ts';
import { makeEvent } from '../support/events.ts';
import { limitCases, pickSome, seed } from '../support/sample.ts';
import { makeSample, type Sample as Named } from '../support/samples.ts';
import { ends, type Sent, starts } from '../support/voice-platforms.ts';
import { newWorld, target, useTargetInThisProcess, type World } from '../support/world.ts';
import { type WorstCase, worstCases, worstEvents } from '../support/worst-cases.ts';

/** Milliseconds of CPU before the 401 of an unknown key, and of a whole request. */
const bounds = { withoutKey: 100, withKey: 1000 };

const document = (await import('../../functions/openapi/document.json', { with: { type: 'json' } }))
  .default as unknown as OpenApiDocument;
const withBody = routes.filter(({ body, raw }) => body && !raw?.multipart);
const withForm = routes.filter(({ raw }) => raw?.multipart);
const hook = routes.find(({ name }) => name === 'receiveHook') as AnyEndpoint;

/** A request beside the body that is tried. */
type Sample = Named & { headers?: Record<string, string> };

let world: World;
beforeAll(async () => {
  world = await newWorld();
  useTargetInThisProcess();
  // A secret in a sound body is sealed.
  process.env.WEBHOOK_ENCRYPTION_KEY ??= randomBytes(32).toString('base64');
});

const listCases = (endpoint: AnyEndpoint, { body }: Sample): WorstCase[] => {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()] as Operation;
  const schema = operation.requestBody?.content['application/json']?.schema;
  const { uid, agentId } = world;
  const maxBytes = endpoint.raw?.maxBodyBytes ?? limits.bodyBytes;
  return [...worstCases(document, resolve(document, schema ?? {}), { uid, agentId, ...body }, maxBytes)];
};

/** Sends a body to an operation in this process. Returns its status, and the milliseconds of CPU that it took. */
const send = async (endpoint: AnyEndpoint, body: string, apiKey: string | undefined, sample: Sample) => {
  const { uid, agentId } = world;
  const { query, params, headers } = sample;
  const event = makeEvent(endpoint, {
    ...{ apiKey, body, query: { uid, agentId, ...query }, params: { agentId, ...params } },
    headers: { ...(endpoint.caller.kind === 'application' && { origin: target.appOrigin }), ...headers },
  });
  const handler = lambda(endpoint);
  const before = process.cpuUsage();
  const { statusCode, body: text = '' } = await handler(event, {} as Context);
  const { user, system } = process.cpuUsage(before);
  return { status: statusCode, milliseconds: (user + system) / 1000, bytes: text.length };
};

/** Sends the cases, each until it is within its bound: a busy machine and a collector of garbage take from one run, not from three. */
const slowCases = async (
  endpoint: AnyEndpoint,
  cases: WorstCase[],
  apiKey: string | undefined,
  bound: number,
  sample: Sample,
) => {
  const slow: string[] = [];
  for (const { field, kind, body } of cases) {
    const name = `${field}: ${kind} (SAMPLE=${seed})`;
    let fastest = Number.POSITIVE_INFINITY;
    let failures = 0;
    for (let attempt = 0; attempt < 3 && fastest > bound; attempt++) {
      const { status, milliseconds, bytes } = await send(endpoint, body(), apiKey, sample);
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

/** Sends cases without a key and with one. */
const check = async (endpoint: AnyEndpoint, cases: WorstCase[], sample: Sample) => {
  await send(endpoint, '{}', newApiKey(), sample);
  const isKeyed = endpoint.caller.kind === 'key';
  if (isKeyed) expect(await slowCases(endpoint, cases, newApiKey(), bounds.withoutKey, sample)).toEqual([]);
  const bound = isKeyed ? bounds.withKey : bounds.withoutKey;
  expect(await slowCases(endpoint, cases, world.apiKey, bound, sample)).toEqual([]);
};

const choose = (cases: WorstCase[], count: number) => pickSome(cases, count, ({ field, kind }) => `${field} ${kind}`);
const few = (cases: WorstCase[]) => choose(cases, 1);
const all = (cases: WorstCase[]) => choose(cases, limitCases(cases.length));

describe.each(withBody.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (name, endpoint) => {
  const checkSome = async (some: typeof few) => {
    const sample = await makeSample(endpoint, world);
    await check(endpoint, some(listCases(endpoint, sample)), sample);
  };

  it(`${name} refuses a hostile body at little cost`, () => checkSome(few));
  it(`${name} refuses hostile bodies of every kind in every field at little cost`, { tags: 'heavy' }, () =>
    checkSome(all),
  );
});

describe.each(Object.keys(starts))('an event of %s', (platform) => {
  const toBody = (event: unknown) =>
    platform === 'twilio' ? new URLSearchParams(event as Record<string, string>).toString() : JSON.stringify(event);
  const checkSome = async (some: typeof few) => {
    for (const { body = {}, query = {} } of [starts[platform], ends[platform] as Sent].flatMap((sent) => sent ?? [])) {
      const cases = [...worstEvents(body, toBody, limits.bodyBytes)];
      await check(hook, some(cases), { params: { platform }, query: query as Record<string, string> });
    }
  };

  it(`an event of ${platform} with a long field takes little time`, () => checkSome(few));
  it(`an event of ${platform} with a long text of any kind in any field takes little time`, { tags: 'heavy' }, () =>
    checkSome(all),
  );
});

/** Forms that are expensive to split into their parts. */
const forms: Record<string, (fields: string, length: number) => string> = {
  'a long value': (fields, length) => fields + part('name="x"', 'x'.repeat(length)),
  'a long name': (fields, length) => fields + part(`name="${'x'.repeat(length)}"`, ''),
  'a long name of a file': (fields, length) =>
    fields + part(`name="files"; filename="${'../'.repeat(length / 3)}"`, 'x'),
  'escapes in the name of a file': (fields, length) =>
    fields + part(`name="files"; filename="${'%41\\"'.repeat(length / 6)}"`, 'x'),
  'an encoded name of a file': (fields, length) =>
    fields + part(`name="files"; filename*=utf-8''${'%e2%82%ac'.repeat(length / 9)}`, 'x'),
  'many fields': (fields, length) => fields + repeated((n) => part(`name="field${n}"`, 'x'), length),
  'many empty files': (fields, length) => fields + repeated(() => part('name="files"; filename="a.txt"', ''), length),
  'many headers': (fields, length) => `${fields}--b\r\n${'X-Header: x\r\n'.repeat(length / 13)}\r\nx\r\n`,
  'headers without an end': (fields, length) => `${fields}--b\r\n${'x'.repeat(length)}`,
  'beginnings of the boundary': (fields, length) =>
    fields + part('name="files"; filename="a.txt"', '\r\n--'.repeat(length / 4)),
  'line breaks': (fields, length) => fields + part('name="files"; filename="a.txt"', '\r\n'.repeat(length / 2)),
  'no boundary': (_, length) => '-'.repeat(length),
};
const part = (disposition: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
const repeated = (one: (index: number) => string, length: number) =>
  Array.from({ length: Math.floor(length / one(0).length / 1.1) }, (_, index) => one(index)).join('');

describe.each(withForm.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (name, endpoint) => {
  const checkSome = async (some: typeof few) => {
    const { uid, agentId } = world;
    const fields = part('name="uid"', uid) + part('name="agentId"', agentId);
    const length = limits.uploadBodyBytes - 2000;
    const cases = Object.entries(forms).map(([kind, form]) => ({
      field: 'the form',
      kind,
      body: () => `${form(fields, length)}--b--\r\n`,
    }));
    await check(endpoint, some(cases), { headers: { 'content-type': 'multipart/form-data; boundary=b' } });
  };

  it(`${name} refuses a hostile form at little cost`, () => checkSome(few));
  it(`${name} refuses hostile forms of every kind at little cost`, { tags: 'heavy' }, () => checkSome(all));
});
