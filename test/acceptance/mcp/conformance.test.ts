import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { newUser, target } from '../../support/world.ts';
import { packageFile } from '../packages.ts';

const command = packageFile('@modelcontextprotocol/conformance', 'dist/index.js');

/** A proxy that adds the key, which the suite cannot send, and replaces the suite's own origin by the application's. */
const withKey = async (apiKey: string) => {
  const { hostname, port } = new URL(target.baseUrl);
  const server = createServer((request, response) => {
    const { headers } = request;
    const isOwn = headers.origin !== undefined && new URL(headers.origin).host === headers.host;
    const sent = { ...headers, 'x-authorization': apiKey, ...(isOwn && { origin: target.appOrigin }) };
    const passedOn = send({ hostname, port, method: request.method, path: request.url, headers: sent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    request.pipe(passedOn);
  });
  const { endpoint, stop } = await listen(server);
  onTestFinished(stop);
  return `${endpoint}/mcp`;
};

type Check = { id: string; status: string };

/** The checks of a scenario that failed, and the number of those that did not. */
const run = async (scenario: string, version: string) => {
  const { apiKey } = await newUser();
  const url = await withKey(apiKey);
  const results = mkdtempSync(join(tmpdir(), 'conformance-'));
  const options = ['server', '--url', url, '--scenario', scenario, '--spec-version', version, '--output-dir', results];
  // It ends with 1 when a check failed.
  await promisify(execFile)(process.execPath, [command, ...options]).catch((error) => error);
  const [folder = ''] = readdirSync(results);
  const checks = JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[];
  const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
  return { failed, passed: checks.filter(({ status }) => status === 'SUCCESS').length };
};

/**
 * The scenarios that ask for none of the features and tools that this server does not have. The checks that are named cannot pass
 * without those, and fail for a server that is built with the official SDK in the same way.
 */
const scenarios: [scenario: string, version: string, passed: number, failed?: string[]][] = [
  [
    'server-stateless',
    '2026-07-28',
    21,
    [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ],
  ],
  ['tools-list', '2026-07-28', 4],
  ['http-header-validation', '2026-07-28', 14],
  ['dns-rebinding-protection', '2026-07-28', 2],
  ['server-sse-multiple-streams', '2026-07-28', 1],
  [
    'caching',
    '2026-07-28',
    4,
    [
      'sep-2549-prompts-list-caching-hints',
      'sep-2549-resources-list-caching-hints',
      'sep-2549-resources-templates-list-caching-hints',
    ],
  ],
  ['server-initialize', '2025-11-25', 1],
  ['ping', '2025-11-25', 1],
  ['tools-list', '2025-11-25', 1],
  ['dns-rebinding-protection', '2025-11-25', 2],
  ['server-initialize', '2025-06-18', 1],
  ['ping', '2025-06-18', 1],
  ['tools-list', '2025-06-18', 1],
];

it.each(scenarios)(
  'the conformance scenario %s of version %s passes',
  async (scenario, version, atLeast, expected = []) => {
    const { failed, passed } = await run(scenario, version);
    expect(failed).toEqual(expected);
    expect(passed).toBeGreaterThanOrEqual(atLeast);
  },
);
