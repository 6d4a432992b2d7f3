import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { bundlePath } from '../../lib/bundles.ts';
import { bundles } from '../bench/benchmarks/bundles.ts';
import { awsSettings, newWorld, target, unique } from '../support/world.ts';

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

describe('a function’s bundle', () => {
  it('loads by itself, without packages and without settings, and has a handler', async () => {
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

  it('stays within its size limit', async () => {
    const figures = await bundles.measure(
      () => Promise.reject(new Error('Nothing is started.')),
      () => {},
    );
    const tooLarge = figures.filter(({ target }) => target && !target.reached);
    expect(tooLarge.map(({ what, ours, target }) => `${what}: ${ours.value} KiB, ${target?.text}`)).toEqual([]);
    expect(figures.filter(({ target }) => target).length).toBeGreaterThan(jobs.length);
  });

  it('answers a request, with the credentials that are in its environment', async () => {
    const world = await newWorld();
    const { uid, agentId, apiKey } = world;
    const event = {
      version: '2.0',
      headers: { 'x-authorization': apiKey },
      requestContext: { requestId: 'request-1', http: { method: 'POST' } },
      body: JSON.stringify({ uid, agentId, numbers: ['+14155550100', 'nonsense'] }),
    };
    const script = `
      const { file, event } = JSON.parse(process.argv[1]);
      const { handler } = await import(file);
      console.log(JSON.stringify(await handler(event, {})));`;
    const file = join(bundlePath('addBlockedNumbers'), 'index.mjs');
    const settings = { ...onThisMachine(), AWS_SESSION_TOKEN: 'a session' };
    const { stdout } = await run(script, { file, event }, settings);
    const { statusCode, body } = JSON.parse(stdout);
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({ statusCode: 200, added: ['+14155550100'] });
    expect((await world.blockList()).blockList).toEqual(['+14155550100']);
  });

  it('streams an answer as Lambda has it streamed: head first, then piece by piece', async () => {
    const world = await newWorld();
    const event = {
      version: '2.0',
      headers: { 'x-authorization': world.apiKey },
      requestContext: { requestId: 'request-1', http: { method: 'POST', sourceIp: unique('address') } },
      body: JSON.stringify({
        id: 'chat-1',
        messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Which agents do I have?' }] }],
      }),
    };
    // What Lambda's own process has for functions that stream.
    const script = `
      import { PassThrough } from 'node:stream';
      const { file, event } = JSON.parse(process.argv[1]);
      const told = { pieces: [] };
      globalThis.awslambda = {
        streamifyResponse: (handler) => handler,
        HttpResponseStream: { from: (stream, prelude) => Object.assign(stream, { said: (told.prelude = prelude) }) },
      };
      const { handler } = await import(file);
      const stream = new PassThrough();
      stream.on('data', (piece) => told.pieces.push([performance.now(), String(piece)]));
      await handler(event, stream, { getRemainingTimeInMillis: () => 60000 });
      console.log(JSON.stringify(told));`;
    const file = join(bundlePath('buildChat'), 'index.mjs');
    const settings = {
      ...onThisMachine(),
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: target.endpoints.bedrock,
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
    // The fake model pauses between words; so do the pieces.
    expect(pieces.length).toBeGreaterThan(20);
    const [first, last] = [pieces[0] as [number, string], pieces.at(-1) as [number, string]];
    expect(last[0] - first[0]).toBeGreaterThan(100);
  });
});
