import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namedCommands } from '../../../../bin/operator/api/named-commands.ts';
import { administersUsers, apiOperations } from '../../../../bin/operator/api/operations.ts';
import { run } from '../../../../bin/operator/command-line.ts';
import { newApiKey } from '../../../../functions/domain/api-keys.ts';
import documentJson from '../../../../functions/openapi/document.json' with { type: 'json' };
import type { OpenApiDocument, Operation } from '../../../../functions/openapi/openapi.ts';
import { buildExample } from '../../../../functions/openapi/schemas.ts';
import { capturedRun } from '../../../support/captured-run.ts';

const document = documentJson as unknown as OpenApiDocument;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const folder = mkdtempSync(join(tmpdir(), 'api-commands-'));
const apiKey = newApiKey();

type Received = { method: string; path: string; query: Record<string, string>; headers: Headers; body: unknown };

/** A service that keeps its requests, and responds with the given responses, the last one again and again. */
let received: Received | undefined;
let requests: Received[] = [];
let responses: { status?: number; type?: string; text: string }[] = [];
const respondWith = (...bodies: object[]) => {
  requests = [];
  responses = bodies.map((body) => ({ text: JSON.stringify(body) }));
};
const server = createServer(async (incoming, outgoing) => {
  const { method = '', url = '', headers } = incoming;
  const request = new Request(`http://service${url}`, {
    method,
    headers: headers as Record<string, string>,
    ...(method !== 'GET' && { body: incoming as unknown as ReadableStream, duplex: 'half' }),
  } as RequestInit);
  const { pathname, searchParams } = new URL(request.url);
  const isForm = headers['content-type']?.startsWith('multipart/');
  const text = isForm ? '' : await request.clone().text();
  const body = isForm ? [...(await request.formData())] : text && JSON.parse(text);
  received = { method, path: pathname, query: Object.fromEntries(searchParams), headers: request.headers, body };
  requests.push(received);
  const {
    status = 200,
    type = 'application/json',
    text: response,
  } = (responses.length > 1 ? responses.shift() : responses[0]) as (typeof responses)[number];
  outgoing.writeHead(status, { 'content-type': type }).end(response);
});
let baseUrl = '';
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const runCommand = (args: string[]) =>
  capturedRun(run, [...args, '--base-url', baseUrl], { PATH: process.env.PATH, INIT_CWD: folder, VAP_API_KEY: apiKey });

const kebab = (name: string) => name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the options that give an argument its value. */
const formOptions = ([name, value]: [string, unknown]): string[] => {
  const option = `--${kebab(name)}`;
  if (typeof value === 'boolean') return [value ? option : `--no-${kebab(name)}`];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return [option, ...value];
  return [option, typeof value === 'object' ? JSON.stringify(value) : String(value)];
};

/** Returns the arguments of an operation's own example. Its `expiresAt` is replaced by a time in the future. */
const readExample = ({ parameters = [], requestBody }: Operation) => {
  const inAddress = parameters.filter((one) => !('$ref' in one) && one.name !== 'cursor');
  const [content] = Object.values(requestBody?.content ?? {});
  const body = { ...(content?.example as Record<string, unknown> | undefined) };
  if ('expiresAt' in body) body.expiresAt = '2099-12-31T00:00:00.000Z';
  return { inAddress, body };
};

/** Date-times may be written differently. */
const normalized = (value: unknown) =>
  JSON.parse(JSON.stringify(value ?? null), (_, one) =>
    typeof one === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(one) ? new Date(one).toISOString() : one,
  );

const callable = operations.filter(
  ({ operation }) =>
    !['receiveHook', 'serveMcp'].includes(operation.operationId) && !String(operation.tags).includes('OAuth'),
);

it('there is a command for every operation but those that platforms and AI clients call in formats of their own', () => {
  expect(apiOperations.map(({ operationId }) => operationId).sort()).toEqual(
    callable.map(({ operation }) => operation.operationId).sort(),
  );
});

describe.each(callable)('$method $path', ({ method, path, operation }) => {
  const { operationId } = operation;
  const { group, verb } = apiOperations.find(
    (one) => one.operationId === operationId,
  ) as (typeof apiOperations)[number];
  const words = ['api', kebab(group), kebab(verb)];

  it(`the command "${words.join(' ')}" sends the request of the operation and prints the response`, async () => {
    const { inAddress, body } = readExample(operation);
    const [type = 'application/json', content] = Object.entries(operation.responses[200]?.content ?? {})[0] ?? [];
    const isForm = 'multipart/form-data' in (operation.requestBody?.content ?? {});
    if (isForm) body.files = ['a.txt'];
    writeFileSync(join(folder, 'a.txt'), 'text');
    const { nextCursor: _, ...example } = {
      ...(buildExample(document, content?.schema ?? {}) as Record<string, unknown>),
    };
    const isStream = type === 'text/event-stream';
    responses = [{ type, text: isStream ? 'data: {"type":"start"}\n\ndata: [DONE]\n\n' : JSON.stringify(example) }];
    const inOptions = [...inAddress.map((one): [string, unknown] => [one.name, one.example]), ...Object.entries(body)];
    const args = [...new Map(inOptions)].flatMap(formOptions);
    const takesKey = 'apiKey' in ((operation.security as object[])[0] ?? {});
    const isOfUsers = /^\/users?(\/|-|$)/.test(path);
    const { code, stdout, stderr } = await runCommand([
      ...words,
      ...args,
      ...(isOfUsers ? ['--of', 'agency'] : []),
      ...(args.includes('--uid') || isOfUsers || !takesKey ? [] : ['--uid', 'demo-user']),
      ...(path === '/get-invoices' ? ['--origin', 'https://app.example.com'] : []),
      ...(method === 'DELETE' && !operation.requestBody ? ['--yes'] : []),
      '--json',
    ]);
    expect({ code, stderr }).toEqual({
      code: Array.isArray(example.failed) && example.failed.length > 0 ? 1 : 0,
      stderr: expect.any(String),
    });
    const values = Object.fromEntries(inAddress.map((one) => [one.name, String(one.example)]));
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] as string));
    const query = inAddress.filter((one) => one.in === 'query').map(({ name }) => [name, values[name]]);
    expect(received).toMatchObject({ method, path: address });
    expect(normalized(received?.query)).toEqual(normalized(Object.fromEntries(query)));
    if (isForm)
      expect(received?.body).toEqual([
        ['uid', 'demo-user'],
        ['agentId', body.agentId],
        ['files', expect.any(File)],
      ]);
    else expect(normalized(received?.body || {})).toEqual(normalized(body));
    if (takesKey) expect(received?.headers.get('x-authorization')).toBe(apiKey);
    expect(JSON.parse(stdout)).toMatchObject(isStream ? { parts: [{ type: 'start' }] } : example);
  });
});

const names = [
  ...namedCommands.map(({ command }) => command.replaceAll(/ <.*/g, '')),
  // The examples of all operations are made alike, except for an origin and for the user that created others.
  ...apiOperations
    .filter((one) => one.caller === 'applicationOrigin' || administersUsers(one))
    .map(({ group, verb }) => `api ${kebab(group)} ${kebab(verb)}`),
];

it.each(names)('the example in the help of "%s" is a command that is accepted', async (name) => {
  const { stdout: help } = await runCommand([...name.split(' '), '--help']);
  const [, example = ''] = /^ {2}\$ voice-agents (.*?)\n\nAll commands/ms.exec(help) ?? [];
  const split = ['-c', `printf '%s\\0' ${example}`];
  const words = execFileSync('sh', split, { encoding: 'utf8' }).split('\0').slice(0, -1);
  // A key in the environment needs its user.
  const needsUser = help.includes('--uid <uid>') && !words.includes('--uid');
  const more = [...(needsUser ? ['--uid', 'demo-user'] : []), ...(help.includes('--no-wait') ? ['--no-wait'] : [])];
  respondWith({});
  const { code, stderr } = await runCommand([...words, ...more]);
  expect(`${code} ${stderr}`).not.toMatch(/^2/);
  // A list of texts that is written as JSON would be sent as one text.
  expect(JSON.stringify(requests.map(({ body, query }) => [body, query]))).not.toContain('"[');
});

const ofAgent = ['--agent-id', 'front-desk', '--uid', 'acme'];

it('a list is read page by page up to --limit, and the command says that there are more', async () => {
  const calls = [1, 2, 3].map((n) => ({ callId: `call-${n}`, status: 'completed' }));
  respondWith({ calls: calls.slice(0, 2), nextCursor: 'next' }, { calls: calls.slice(2), nextCursor: 'later' });
  const { code, stdout, stderr } = await runCommand(['api', 'calls', 'list', ...ofAgent, '--limit', '3']);
  expect([code, stdout]).toEqual([0, 'callId   status\ncall-1   completed\ncall-2   completed\ncall-3   completed\n']);
  expect(stderr).toContain('There are more. Use a higher --limit.');
  expect(requests.map(({ query }) => query)).toEqual([{ limit: '3' }, { limit: '3', cursor: 'next' }]);
  respondWith({ calls: [] });
  expect((await runCommand(['api', 'calls', 'list', ...ofAgent])).stdout).toBe('There are no calls.\n');
});

it('a record is printed with its plain fields, then a section for each list, object and long text', async () => {
  const access = [{ uid: 'partner' }];
  const configuration = { greeting: 'Hello, this is the front desk of Example Dental.', voice: 'warm' };
  respondWith({ agentId: 'front-desk', name: 'A\u001b[2Jb', configuration }, { access });
  const { stdout } = await runCommand(['agent', 'show', 'front-desk', '--uid', 'acme']);
  expect(stdout).toMatch(
    /^agentId +front-desk\nname +A�\[2Jb\n\nconfiguration:\n\{\n {2}"greeting": "Hello[^"]+",\n {2}"voice": "warm"\n\}\n\naccess:\nuid\npartner\n$/,
  );
});

it('a command sends the version that was read and the key of a repeated request', async () => {
  respondWith({});
  const settings = ['--if-match', '7', '--idempotency-key', 'once'];
  await runCommand(['agent', 'update', 'front-desk', '--uid', 'acme', '--no-key', ...settings]);
  const [{ headers, body }] = requests as [Received];
  expect([headers.get('if-match'), headers.get('idempotency-key'), body]).toEqual(['"7"', 'once', { key: null }]);
});

it('a deletion without --yes only reads what it would delete', async () => {
  respondWith({ callId: 'call-1' });
  const { code, stdout, stderr } = await runCommand(['calls', 'delete', 'call-1', ...ofAgent]);
  expect([code, stdout]).toEqual([0, 'callId   call-1\n']);
  expect(stderr).toContain('Nothing was deleted. Add --yes to do it.');
  expect(requests.map(({ method }) => method)).toEqual(['GET']);
});

it.each([
  ['an invalid request', 400, { error: 'invalid_request', message: 'name: is too long.' }, 2],
  ['a missing record', 404, { error: 'call_not_found', message: 'This agent has no such call.' }, 1],
  ['items that failed', 200, { failed: [{ number: '12', reason: 'Invalid' }] }, 1],
])('the exit code of a command tells %s', async (_, status, body, exitCode) => {
  respondWith(body);
  responses = [{ status, text: JSON.stringify(body) }];
  const { code } = await runCommand(['block-list', 'add', '12', '--uid', 'acme']);
  expect([code, requests[0]?.path]).toEqual([exitCode, '/block-list']);
});
