import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { newApiKey } from '../../../functions/domain/api-keys.ts';
import type { AnyEndpoint } from '../../../functions/http/endpoint.ts';
import { jobs } from '../../../functions/jobs.ts';
import { routes } from '../../../functions/routes.ts';
import { blockListShards } from '../../../functions/store/keys.ts';
import { bundlePath } from '../../../lib/bundles.ts';
import { pdfOfPage } from '../../support/documents.ts';
import { awsSettings, newWorld, target, unique } from '../../support/world.ts';

const names = [...routes, ...jobs].map(({ name }) => name);

const onThisMachine = () => ({
  TABLE_NAME: target.tableName,
  ...awsSettings,
  AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb,
});

/** Runs a script as Lambda runs a function: plain Node, the function’s own files, and the settings it is given. */
const run = (script: string, argument: unknown, settings: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, JSON.stringify(argument)], {
    cwd: bundlePath(names[0] as string),
    env: settings,
  });

/** A stand-in for DynamoDB that records requests, and responds that nothing was found or not at all. */
const tableThat = async (answers: boolean) => {
  const asked: { target: string; keys: number }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    const [{ Keys = [] } = {}] = Object.values((body.RequestItems ?? {}) as Record<string, { Keys: object[] }>);
    asked.push({ target: String(request.headers['x-amz-target']), keys: Keys.length });
    if (answers) response.end(JSON.stringify({ Responses: {}, UnprocessedKeys: {} }));
  });
  const { endpoint, stop } = await listen(server);
  onTestFinished(stop);
  return { asked, endpoint };
};

describe('a function’s initialization', () => {
  const script = `
    const { files, event } = JSON.parse(process.argv[1]);
    for (const file of files) {
      const began = performance.now();
      const { handler } = await import(file);
      const milliseconds = performance.now() - began;
      const { statusCode } = event ? await handler(event, {}) : {};
      console.log(JSON.stringify({ milliseconds, statusCode }));
    }
    process.exit();`;
  /** Loads functions one after the other in one process. */
  const loadAll = async (names: string[], endpoint: string, settings: Record<string, string>, event?: object) => {
    const environment = { ...onThisMachine(), AWS_ENDPOINT_URL_DYNAMODB: endpoint, ...settings };
    const files = names.map((name) => join(bundlePath(name), 'index.mjs'));
    const { stdout, stderr } = await run(script, { files, event }, environment);
    const loaded = stdout.trim().split('\n');
    return { loaded: loaded.map((line) => JSON.parse(line) as { milliseconds: number; statusCode?: number }), stderr };
  };
  const load = async (name: string, ...how: [endpoint: string, settings: Record<string, string>, event?: object]) => {
    const { loaded, stderr } = await loadAll([name], ...how);
    return { ...(loaded[0] as (typeof loaded)[number]), stderr };
  };
  const onLambda = { AWS_LAMBDA_FUNCTION_NAME: 'a-function' };
  const readsFormat = { target: 'DynamoDB_20120810.GetItem', keys: 0 };
  const readsOneKey = { target: 'DynamoDB_20120810.BatchGetItem', keys: 1 };

  it('a function’s initialization on Lambda reads one key of the table for an operation with a key that writes, and the table’s format, and logs nothing', async () => {
    const readsKey = ({ caller }: AnyEndpoint) => caller.kind === 'key' && !caller.forwarded;
    const withKey = routes
      .filter((endpoint) => readsKey(endpoint) && endpoint.method !== 'GET')
      .map(({ name }) => name);
    const { asked, endpoint } = await tableThat(true);
    const { loaded, stderr } = await loadAll(withKey, endpoint, onLambda);
    expect([loaded.length, stderr]).toEqual([withKey.length, '']);
    expect(asked).toEqual(expect.arrayContaining([readsFormat, readsOneKey]));
    expect(asked).toHaveLength(2 * withKey.length);
    // The first test builds every bundle.
  }, 240_000);

  it('the initialization of an operation that only reads also makes its reads, as a user that does not exist', async () => {
    const { asked, endpoint } = await tableThat(true);
    const { stderr } = await load('listBlockedNumbers', endpoint, onLambda);
    expect(stderr).toBe('');
    const query = { target: 'DynamoDB_20120810.Query', keys: 0 };
    expect(asked).toHaveLength(2 + blockListShards);
    expect(asked).toEqual(expect.arrayContaining([readsOneKey, query]));
  });

  it('a function’s initialization changes nothing, whatever the operation', async () => {
    const withKey = routes.filter(({ caller }) => caller.kind === 'key' && !caller.forwarded).map(({ name }) => name);
    const { asked, endpoint } = await tableThat(true);
    const { loaded, stderr } = await loadAll(withKey, endpoint, onLambda);
    expect([loaded.length, stderr]).toEqual([withKey.length, '']);
    expect(asked.length).toBeGreaterThan(withKey.length);
    expect(asked.filter(({ target }) => !/\.(BatchGetItem|GetItem|Query)$/.test(target))).toEqual([]);
  }, 60_000);

  it('a function’s initialization does not load undici, which no operation with a key uses', async () => {
    const withKey = routes.filter(({ caller }) => caller.kind === 'key').map(({ name }) => name);
    const { endpoint } = await tableThat(true);
    const script = `
      for (const file of JSON.parse(process.argv[1])) await import(file);
      console.log(JSON.stringify(process.moduleLoadList.filter((name) => name.includes('undici'))));
      process.exit();`;
    const files = withKey.map((name) => join(bundlePath(name), 'index.mjs'));
    const settings = { ...onThisMachine(), ...onLambda, AWS_ENDPOINT_URL_DYNAMODB: endpoint };
    expect(JSON.parse((await run(script, files, settings)).stdout)).toEqual([]);
  }, 60_000);

  it('the code of a function formats nothing for a language before its first request, which takes 9 ms of CPU', async () => {
    const script = `
      const used = [];
      const watch = (owner, name) => {
        const original = owner[name];
        owner[name] = function (...given) {
          used.push(name);
          return new.target ? new original(...given) : original.apply(this, given);
        };
      };
      for (const name of ['DateTimeFormat', 'DisplayNames', 'NumberFormat', 'PluralRules', 'Segmenter']) watch(Intl, name);
      for (const { prototype } of [Number, Date, BigInt]) watch(prototype, 'toLocaleString');
      const users = [];
      for (const file of JSON.parse(process.argv[1])) {
        await import(file);
        if (used.length > 0) users.push([file, ...used.splice(0)].join(' '));
      }
      console.log(JSON.stringify(users));
      process.exit();`;
    const files = names.map((name) => join(bundlePath(name), 'index.mjs'));
    expect(JSON.parse((await run(script, files, onThisMachine())).stdout)).toEqual([]);
  }, 60_000);

  it('a function’s initialization reads nothing outside of Lambda', async () => {
    const { asked, endpoint } = await tableThat(true);
    await load('listAgents', endpoint, {});
    expect(asked).toEqual([]);
  });

  it('a function’s initialization waits at most a second for a table that is down, and requests are answered as specified', async () => {
    const { endpoint } = await tableThat(false);
    const event = {
      version: '2.0',
      headers: { 'x-authorization': newApiKey() },
      queryStringParameters: { uid: 'somebody' },
      requestContext: { requestId: 'request-1', http: { method: 'GET' } },
    };
    const { milliseconds, statusCode, stderr } = await load('listAgents', endpoint, onLambda, event);
    expect(milliseconds).toBeGreaterThan(900);
    expect(milliseconds).toBeLessThan(5000);
    expect(statusCode).toBe(500);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).requestId),
    ).toEqual(['request-1']);
  });

  it('the initialization of the chat connects to the model’s address, and spends nothing', async () => {
    const { asked, endpoint } = await tableThat(true);
    const requests: string[] = [];
    const bedrock = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(404).end('{}');
    });
    const { endpoint: modelAddress, stop } = await listen(bedrock);
    onTestFinished(stop);
    // Initialization stops waiting after a second, which a busy machine may need before it connects.
    for (let loads = 0; loads < 10 && requests.length === 0; loads++) {
      asked.length = 0;
      const { stderr } = await load('buildChat', endpoint, {
        ...onLambda,
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: modelAddress,
        CHAT_MODEL_ID: 'anthropic.claude-sonnet-4',
        CHAT_SIGNING_SECRET: 'a secret',
      });
      expect(stderr).toBe('');
    }
    expect(requests).toEqual(['GET /']);
    expect(asked).toEqual([readsFormat, { target: 'DynamoDB_20120810.GetItem', keys: 0 }]);
  });
});

it('a function’s bundle loads by itself, without packages and without settings, and has a handler', async () => {
  const script = `
      for (const file of JSON.parse(process.argv[1])) {
        const { handler } = await import(file);
        console.log(typeof handler);
      }`;
  const { stdout, stderr } = await run(
    script,
    names.map((name) => join(bundlePath(name), 'index.mjs')),
  );
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual(names.map(() => 'function'));
});

it('the modules that a function imports on demand are beside its bundle', async () => {
  const listLazy = (name: string) => {
    const code = readFileSync(join(bundlePath(name), 'index.mjs'), 'utf8');
    return [...code.matchAll(/import\("(\.\/lazy\/[^"]+)"\)/g)].map(([, path]) =>
      join(bundlePath(name), path as string),
    );
  };
  for (const name of names) expect(listLazy(name).filter((file) => !existsSync(file))).toEqual([]);
  const script =
    'for (const file of JSON.parse(process.argv[1])) console.log(Object.keys(await import(file)).length > 0);';
  const ofExtraction = listLazy('extractDocument');
  expect(ofExtraction.join()).toMatch(/pdf.*docx.*stemmers/s);
  const { stdout } = await run(script, ofExtraction);
  expect(stdout.trim().split('\n')).toEqual(ofExtraction.map(() => 'true'));
});

it('the function that reads documents finds the data files of its PDF library beside its bundle', async () => {
  const fonts =
    '<</Type/Font/Subtype/CIDFontType0/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>>>';
  const pdf = pdfOfPage({
    resources: '/Font<</F1 5 0 R>>',
    contents: 'BT /F1 12 Tf 50 700 Td <84254e1a> Tj ET',
    objects: [`<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/UniGB-UCS2-H/DescendantFonts[${fonts}]>>`],
  });
  const script = `
      const [file, pdf] = JSON.parse(process.argv[1]);
      const readPdf = await (await import(file)).loadPdfReader();
      const { content } = await readPdf(Buffer.from(pdf, 'base64'));
      console.log(Buffer.concat(content.parts).toString());`;
  const file = join(bundlePath('extractDocument'), 'lazy/functions-extraction-pdf.mjs');
  const { stdout, stderr } = await run(script, [file, pdf.toString('base64')]);
  expect({ stdout, stderr }).toEqual({ stdout: '营业\n', stderr: '' });
});

it('a function’s bundle streams a response as Lambda requires: head first, then piece by piece', async () => {
  const world = await newWorld();
  // The answer is a list of them, and takes longer with each.
  for (const name of ['Front desk', 'Night shift', 'Reservations']) {
    await world.call('POST', '/agents', { body: { uid: world.uid, name } });
  }
  const event = {
    version: '2.0',
    headers: { 'x-authorization': world.apiKey },
    requestContext: { requestId: 'request-1', http: { method: 'POST', sourceIp: unique('address') } },
    body: JSON.stringify({
      id: 'chat-1',
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Which agents do I have?' }] }],
    }),
  };
  // Lambda's own process has this global for functions that stream.
  const script = `
      import { PassThrough } from 'node:stream';
      const { file, event } = JSON.parse(process.argv[1]);
      const streamed = { pieces: [] };
      globalThis.awslambda = {
        streamifyResponse: (handler) => handler,
        HttpResponseStream: { from: (stream, prelude) => Object.assign(stream, { said: (streamed.prelude = prelude) }) },
      };
      const { handler } = await import(file);
      const stream = new PassThrough();
      stream.on('data', (piece) => streamed.pieces.push([performance.now(), String(piece)]));
      await handler(event, stream, { getRemainingTimeInMillis: () => 60000 });
      console.log(JSON.stringify(streamed));`;
  const file = join(bundlePath('buildChat'), 'index.mjs');
  const settings = {
    ...onThisMachine(),
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: target.endpoints.bedrock,
    API_URL: target.baseUrl,
    CHAT_MODEL_ID: 'anthropic.claude-sonnet-4',
    CHAT_SIGNING_SECRET: 'a secret',
  };
  const { stdout } = await run(script, { file, event }, settings);
  const { prelude, pieces } = JSON.parse(stdout) as { prelude: object; pieces: [number, string][] };
  expect(prelude).toMatchObject({
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-request-id': 'request-1' },
  });
  const text = pieces.map(([, piece]) => piece).join('');
  expect(text).toContain(world.agentId);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  // The fake model pauses between words, and so do the pieces. Those of a buffered response would arrive together.
  expect(pieces.length).toBeGreaterThan(20);
  const [first, last] = [pieces[0] as [number, string], pieces.at(-1) as [number, string]];
  expect(last[0] - first[0]).toBeGreaterThan(100);
});
