import { createServer } from 'node:http';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { withFastTimers } from '../../support/captured-run.ts';
import { jsonError, runOperator } from '../../support/operator-command.ts';
import { awsSettings, newUser, target } from '../../support/world.ts';

type Row = Record<string, string>;
type Results = { status: string; rows?: Row[] };

const stack = 'voice-agents-test';
const functions = ['get-agent', 'list-agents', 'add-blocked-numbers'];

/** The responses of the fake AWS, and the requests to it. */
let groups: string[] = [];
let answers: Results[] = [];
let asked: { operation: string; input: Record<string, unknown> }[] = [];

const listInputs = (operation: string) => asked.filter((one) => one.operation === operation).map(({ input }) => input);

const operations: Record<string, (input: Record<string, unknown>) => object> = {
  // In pages of two, as CloudWatch Logs gives fifty.
  DescribeLogGroups: ({ logGroupNamePrefix, nextToken }) => {
    const start = Number(nextToken ?? 0);
    const all = groups.filter((name) => name.startsWith(String(logGroupNamePrefix)));
    const logGroups = all.slice(start, start + 2).map((logGroupName) => ({ logGroupName }));
    return { logGroups, ...(start + 2 < all.length && { nextToken: String(start + 2) }) };
  },
  StartQuery: () => ({ queryId: `query-${listInputs('StartQuery').length}` }),
  GetQueryResults: () => {
    const { status, rows = [] } = answers.shift() ?? { status: 'Complete' };
    const results = rows.map((row) => Object.entries(row).map(([field, value]) => ({ field, value })));
    return { status, results, statistics: { recordsMatched: 1, recordsScanned: 1, bytesScanned: 1 } };
  },
};

/** CloudWatch Logs’ JSON protocol, and the one answer of CloudFormation by which a stack’s table is found. */
const aws = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const [service, operation = ''] = String(request.headers['x-amz-target'] ?? '').split('.');
  if (service === 'Logs_20140328') {
    const input = JSON.parse(body);
    asked.push({ operation, input });
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    return response.end(JSON.stringify(operations[operation]?.(input)));
  }
  const member = `<OutputKey>TableName</OutputKey><OutputValue>${target.tableName}</OutputValue>`;
  response.writeHead(200, { 'content-type': 'text/xml' });
  return response.end(
    `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>
    <StackName>${stack}</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>
    <Outputs><member>${member}</member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
});

let address: string;
beforeAll(async () => {
  const { endpoint, stop } = await listen(aws);
  address = endpoint;
  return stop;
});
beforeEach(() => {
  groups = [...functions, 'build-chat'].map((name) => `/aws/lambda/${stack}-${name}`);
  answers = [];
  asked = [];
});

const usage = async (...args: string[]) => {
  const environment = {
    ...awsSettings,
    AWS_ENDPOINT_URL: address,
    AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb,
  };
  const { code, stdout, stderr } = await withFastTimers(() =>
    runOperator(environment, ['--stack', stack, 'key', 'usage', ...args]),
  );
  return { code, stdout, stderr };
};

const row = (keyId: string, uid: string, status: number, requests: number, last: string): Row => ({
  keyId,
  uid,
  status: String(status),
  requests: String(requests),
  last,
});

it('the use of keys is counted by CloudWatch Logs over the log of every function, however long it takes', async () => {
  const before = Date.now();
  const rows = [
    row('key_a', 'acme', 200, 40, '2026-11-20 10:00:00.000'),
    row('key_a', 'acme', 429, 2, '2026-11-21 10:00:00.000'),
    row('key_a', 'acme', 401, 3, '2026-11-19 10:00:00.000'),
    row('key_b', 'other', 500, 1, '1795309200123'),
    row('key_b', 'other', 200, 1, '2026-11-01 00:00:00.000'),
  ];
  answers = [
    { status: 'Scheduled' },
    // Its results so far are incomplete.
    { status: 'Running', rows: [row('key_a', 'acme', 200, 1, '2026-11-20 10:00:00.000')] },
    { status: 'Complete', rows },
  ];
  const { code, stdout, stderr } = await usage('--since', '7d', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    keys: [
      {
        keyId: 'key_b',
        uid: 'other',
        requests: 2,
        refused: 0,
        failed: 1,
        lastUsedAt: new Date(1795309200123).toISOString(),
      },
      {
        keyId: 'key_a',
        uid: 'acme',
        requests: 45,
        refused: 5,
        failed: 0,
        lastUsedAt: '2026-11-21T10:00:00.000Z',
      },
    ],
  });
  const [query, ...others] = listInputs('StartQuery') as { [name: string]: string | number }[];
  expect(others).toEqual([]);
  expect(query?.logGroupNames).toEqual(groups);
  const week = 7 * 24 * 3600;
  expect(Number(query?.startTime)).toBeGreaterThanOrEqual(Math.floor(before / 1000) - week);
  expect(Number(query?.endTime) - Number(query?.startTime)).toBeLessThanOrEqual(week + 60);
  expect(query?.queryString).toMatch(/^filter ispresent\(keyId\).*\n\| stats .* by keyId, uid, status\n\| limit/);
  expect(listInputs('GetQueryResults')).toEqual(Array.from({ length: 3 }, () => ({ queryId: 'query-1' })));
});

it('the use of keys is queried in parts and added up if there are more logs than one query takes', async () => {
  groups = Array.from({ length: 53 }, (_, n) => `/aws/lambda/${stack}-function-${n}`);
  answers = [
    { status: 'Complete', rows: [row('key_a', 'acme', 200, 40, '2026-11-20 10:00:00.000')] },
    { status: 'Complete', rows: [row('key_a', 'acme', 500, 2, '2026-11-19 10:00:00.000')] },
  ];
  const { stdout } = await usage('--json');
  expect(listInputs('StartQuery').map(({ logGroupNames }) => (logGroupNames as string[]).length)).toEqual([50, 3]);
  expect(JSON.parse(stdout).keys).toEqual([
    { keyId: 'key_a', uid: 'acme', requests: 42, refused: 0, failed: 2, lastUsedAt: '2026-11-20T10:00:00.000Z' },
  ]);
});

it('the use of one user’s keys is shown with the keys that were not used', async () => {
  const { uid, keyId } = await newUser();
  const unused = await apiKeys.get().create(uid, { name: 'forgotten' });
  const rows = [
    row(keyId, uid, 200, 7, '2026-11-20 10:00:00.000'),
    row('key_b', 'other', 200, 1, '2026-11-20 10:00:00.000'),
  ];
  answers = [
    { status: 'Complete', rows },
    { status: 'Complete', rows },
  ];
  const { code, stdout } = await usage('--uid', uid, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout).keys).toEqual([
    { keyId, uid, requests: 7, refused: 0, failed: 0, lastUsedAt: '2026-11-20T10:00:00.000Z' },
    { keyId: unused.keyId, uid, requests: 0, refused: 0, failed: 0 },
  ]);
  const [headings, first, second] = (await usage('--uid', uid)).stdout.split('\n');
  expect(headings).toMatch(/^KEY +USER +REQUESTS +REJECTED +FAILED +LAST USED$/);
  expect(first).toContain('2026-11-20T10:00:00.000Z');
  expect(second).toMatch(new RegExp(`^${unused.keyId} +${uid} +0 +0 +0 +not in this period$`));
});

it.each(['Failed', 'Timeout', 'Cancelled', 'Unknown'])(
  'the use of keys is not reported if the query ends as %s',
  async (status) => {
    answers = [{ status: 'Running' }, { status, rows: [row('key_a', 'acme', 200, 1, '2026-11-20 10:00:00.000')] }];
    expect(await usage('--json')).toEqual({
      code: 1,
      stdout: '',
      stderr: jsonError('failed', `CloudWatch Logs ended the query as ${status}. Use a shorter --since.`),
    });
  },
);

it('the use of keys is not reported in part: a query that may have left rows out is an error', async () => {
  const rows = Array.from({ length: 10_000 }, (_, n) => row(`key_${n}`, 'acme', 200, 1, '2026-11-20 10:00:00.000'));
  answers = [{ status: 'Complete', rows }];
  const { code, stdout, stderr } = await usage('--json');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(jsonError('failed', 'Too many keys were used for one query. Use a shorter --since.'));
});
