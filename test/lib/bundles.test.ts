import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { bundleOf } from '../../lib/bundles.ts';
import { newWorld, target } from '../world.ts';

const names = [...routes, ...jobs].map(({ name }) => name);

/** Runs a script as Lambda runs a function: plain Node, the function’s own files, and the settings it is given. */
const run = (script: string, argument: unknown, settings: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, JSON.stringify(argument)], {
    cwd: bundleOf(names[0] as string),
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
      names.map((name) => join(bundleOf(name), 'index.mjs')),
    );
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(names.map(() => 'function'));
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
    const file = join(bundleOf('addBlockedNumbers'), 'index.mjs');
    const { stdout } = await run(
      script,
      { file, event },
      {
        TABLE_NAME: target.tableName,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_SESSION_TOKEN: 'a session',
        AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb,
      },
    );
    const { statusCode, body } = JSON.parse(stdout);
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({ statusCode: 200, added: ['+14155550100'] });
    expect((await world.blockList()).blockList).toEqual(['+14155550100']);
  });
});
