import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it, vi } from 'vitest';
import { operatorProgram } from '../../../bin/operator/command-line.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { agents } from '../../../functions/store/agents/agents.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { accessKey } from '../../../functions/store/keys.ts';
import { table } from '../../../functions/store/table.ts';
import { listCalls, makeLine } from '../../support/call-lines.ts';
import {
  folder,
  json,
  jsonError,
  newFile,
  oneSentence,
  operator,
  runOperator,
  settings,
} from '../../support/operator-command.ts';
import { newReceiver } from '../../support/webhooks.ts';
import { call, newUser, newWorld, target, unique } from '../../support/world.ts';

/** Returns true when a key is accepted. */
const isAccepted = async (apiKey: string, uid: string) =>
  (await call('GET', '/agents', { apiKey, query: { uid } })).status === 200;

describe('the command line', () => {
  const isGroup = (command: CommandUnknownOpts) => command.commands.length > 0;
  const listPaths = (command: CommandUnknownOpts, path: string[] = []): { path: string[]; isGroup: boolean }[] => [
    { path, isGroup: isGroup(command) },
    ...command.commands.flatMap((one) => listPaths(one, [...path, one.name()])),
  ];
  const program = operatorProgram();
  const isOfApi = ([first, ...others]: string[]) => first === 'api' && others.length > 1;

  // The commands of all operations are made alike.
  it.each(listPaths(program).filter(({ path }) => !isOfApi(path) || path.join(' ') === 'api calls get'))(
    'the command of the operator $path has a help text with examples',
    async ({ path, isGroup }) => {
      const { code, stdout, stderr } = await runOperator({}, [...path, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: voice-agents ${path.join(' ')}`);
      if (!isGroup) expect(stdout).toContain(`  $ voice-agents ${path.join(' ')}`);
      expect(stdout).toContain('--json');
      expect(stdout).toContain('--table');
    },
  );

  it('the guide of the operator lists every command', () => {
    const guide = readFileSync('bin/operator/README.md', 'utf8');
    const table = [...guide.matchAll(/^\| `(\S+)` \| (.*) \|$/gm)].map(([, name, cell = '']) => [
      name,
      [...cell.matchAll(/`([a-z-]+)`/g)].map(([, command]) => command).sort(),
    ]);
    const commands = program.commands.map((one) => [one.name(), one.commands.map((each) => each.name()).sort()]);
    expect(Object.fromEntries(table)).toEqual(Object.fromEntries(commands));
  });

  it.each([
    ['an unknown command', ['usr']],
    ['an unknown option', ['user', 'show', 'someone', '--nope']],
    ['a missing argument', ['user', 'show']],
    ['a missing option', ['key', 'create', '--name', 'x']],
    ['an invalid user id', ['user', 'create', 'a b']],
    ['an unknown scope', ['key', 'create', '--uid', 'u', '--name', 'n', '--scope', 'everything']],
    ['an end in the past', ['key', 'create', '--uid', 'u', '--name', 'n', '--expires', '2020-01-01']],
    ['no file to upload', ['knowledge', 'upload', '--agent-id', 'a']],
  ])('the operator ends with 2 and a sentence for %s', async (_, args) => {
    const { code, stdout, stderr } = await operator(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toContain('    at ');
  });

  it('the operator shows the help and ends with 2 when no command is given', async () => {
    const { code, stdout, stderr } = await operator();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: voice-agents');
  });
});

describe('the table', () => {
  const { TABLE_NAME: _, ...aws } = settings;

  it('the operator uses the table that --table names, with the settings of AWS', async () => {
    const user = await newUser();
    const { code } = await runOperator(aws, ['user', 'show', user.uid, '--table', target.tableName]);
    expect(code).toBe(0);
    const other = await operator('user', 'show', user.uid, '--table', 'another-table');
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(oneSentence);
    expect(other.stderr).toContain('no such table');
  });

  it('the operator uses the table of the local run when none is named', async () => {
    const user = await newUser();
    const { tableName, endpoints, credentials } = target;
    const note = (pid: number) =>
      newFile(JSON.stringify({ pid, baseUrl: target.baseUrl, tableName, endpoints, region: 'us-east-1', credentials }));
    const show = (file: string) => runOperator({}, ['user', 'show', user.uid, '--json', '--run-file', file]);

    expect(JSON.parse((await show(note(process.pid))).stdout)).toMatchObject({ uid: user.uid });

    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    for (const file of [note(gone.pid as number), join(folder, 'no-such-file'), newFile('{')]) {
      const { code, stdout, stderr } = await show(file);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(oneSentence);
      expect(stderr).toContain('npm start');
      expect(stderr).toContain('--table');
    }
  });

  it.each([
    ['does not answer', { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' }, 'cannot be reached', 1],
    ['is in no region', { AWS_REGION: '' }, '--region', 2],
    ['is asked for without credentials', { AWS_ACCESS_KEY_ID: '' }, 'credentials', 1],
  ])('a table of the operator that %s is one sentence and an exit code', async (_, changed, said, exitCode) => {
    const { code, stdout, stderr } = await runOperator({ ...settings, ...changed }, ['user', 'show', 'u']);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(oneSentence);
    expect(stderr).toContain(said);
  });
});

it('users are created once by the operator', async () => {
  const uid = unique('user');
  expect(await json('user', 'create', uid, '--name', 'Zoë')).toMatchObject({ uid, name: 'Zoë' });
  const again = await operator('user', 'create', uid);
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: `User ${uid} already exists.\n` });
  expect(await json('user', 'show', uid)).toMatchObject({ uid, name: 'Zoë', agents: [], keys: [] });
});

it('users are shown by the operator with their agents and keys', async () => {
  const world = await newWorld();
  const shown = await json('user', 'show', world.uid);
  expect(shown.agents).toMatchObject([{ agentId: world.agentId, name: 'Agent', uid: world.uid }]);
  expect(shown.keys).toMatchObject([{ keyId: world.keyId, name: 'test', status: 'active' }]);
  const { stdout } = await operator('user', 'show', world.uid);
  expect(stdout).toContain(world.agentId);
  expect(stdout).toContain(world.keyId);
});

it('users that do not exist are reported by the operator in a sentence', async () => {
  for (const args of [
    ['user', 'show', 'nobody'],
    ['key', 'list', '--uid', 'nobody'],
    ['key', 'create', '--uid', 'nobody', '--name', 'x'],
    ['agent', 'create', '--uid', 'nobody', '--name', 'x'],
  ]) {
    const { code, stdout, stderr } = await operator(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(oneSentence);
    expect(stderr).toContain('no user nobody');
  }
});

/** Runs a command by `json` while the clock of this process, and not the service's, is a minute slow. */
const jsonOneMinuteAgo = async (...args: string[]) => {
  vi.setSystemTime(Date.now() - 60_000);
  try {
    return await json(...args);
  } finally {
    vi.useRealTimers();
  }
};

it('keys of the operator are accepted by the API, and shown only once', async () => {
  const { uid } = await newUser();
  const { stdout } = await operator('key', 'create', '--uid', uid, '--name', 'website');
  const apiKey = stdout.split('\n')[0] as string;
  expect(await isAccepted(apiKey, uid)).toBe(true);
  const list = await operator('key', 'list', '--uid', uid, '--json');
  expect(list.stdout).toContain('website');
  expect(list.stdout).not.toContain(apiKey);
  expect((await operator('key', 'list', '--uid', uid)).stdout).not.toContain(apiKey);
});

it('a list of keys shows the limit of a key, until the operator ends it', async () => {
  const { uid } = await newUser();
  const list = async () => (await operator('key', 'list', '--uid', uid)).stdout;
  const { keyId } = await json('key', 'create', '--uid', uid, '--name', 'nightly', '--requests-per-minute', '601');
  expect(await list()).toMatch(/requestsPerMinute.*\n(.*\n)?.*nightly.* 601 /);
  await json('key', 'update', keyId, '--uid', uid, '--requests-per-minute', 'none');
  expect(await list()).not.toContain('requestsPerMinute');
});

it('keys of the operator have the given scopes, in either notation', async () => {
  const { uid } = await newUser();
  const named = ['--scope', 'calls,agents', '--scope', 'block-list', 'calls'];
  const made = await json('key', 'create', '--uid', uid, '--name', 'batch', ...named);
  expect(made.scopes).toEqual(['calls', 'agents', 'block-list']);
});

it.each([
  ['30d', () => Date.now() + 30 * 86_400_000],
  ['90m', () => Date.now() + 90 * 60_000],
  ['2w', () => Date.now() + 14 * 86_400_000],
  ['2099-02-28', () => Date.parse('2099-02-28T00:00:00Z')],
  ['2099-02-28T12:00:00+02:00', () => Date.parse('2099-02-28T10:00:00Z')],
])('keys of the operator expire at the given time: --expires %s', async (expires, expected) => {
  const { uid } = await newUser();
  const { expiresAt } = await json('key', 'create', '--uid', uid, '--name', 'x', '--expires', expires);
  expect(Math.abs(Date.parse(expiresAt) - expected())).toBeLessThan(20_000);
});

it('keys are rotated with a day of overlap by default, at once with 0s, and keep their name, scopes and end', async () => {
  const { uid } = await newUser();
  const old = await json('key', 'create', '--uid', uid, '--name', 'b', '--scope', 'agents', '--expires', '2099-01-01');
  const made = await json('key', 'rotate', '--uid', uid, old.keyId);
  expect(made).toMatchObject({ name: 'b', scopes: ['agents'], expiresAt: '2099-01-01T00:00:00.000Z' });
  const overlap = Date.parse(made.replaces.endsAt) - Date.now();
  expect(Math.abs(overlap - 86_400_000)).toBeLessThan(20_000);
  for (const { apiKey } of [made, old]) expect(await isAccepted(apiKey, uid)).toBe(true);
  const { keys } = await json('key', 'list', '--uid', uid);
  expect(keys.find((key: { keyId: string }) => key.keyId === old.keyId).status).toBe('ending');
  await json('key', 'rotate', '--uid', uid, made.keyId, '--overlap', '0s');
  expect(await isAccepted(made.apiKey, uid)).toBe(false);
});

it('keys that have expired are not rotated into keys that have expired', async () => {
  const { uid } = await newUser();
  const old = await jsonOneMinuteAgo('key', 'create', '--uid', uid, '--name', 'x', '--expires', '50s');
  expect((await json('key', 'show', old.keyId)).status).toBe('expired');
  const refused = await operator('key', 'rotate', '--uid', uid, old.keyId);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(oneSentence);
  const { apiKey } = await json('key', 'rotate', '--uid', uid, old.keyId, '--expires', '1d');
  expect(await isAccepted(apiKey, uid)).toBe(true);
});

it('keys are revoked at once, also during an overlap, and for good', async () => {
  const user = await newUser();
  await json('key', 'rotate', '--uid', user.uid, user.keyId, '--overlap', '7d');
  expect(await isAccepted(user.apiKey, user.uid)).toBe(true);
  const first = await json('key', 'revoke', '--uid', user.uid, user.keyId);
  expect(await isAccepted(user.apiKey, user.uid)).toBe(false);
  const again = await json('key', 'revoke', '--uid', user.uid, user.keyId);
  expect(again.revokedAt).toBe(first.revokedAt);
  expect((await operator('key', 'rotate', '--uid', user.uid, user.keyId)).code).toBe(1);
});

it('the command that revokes a key lists the records that the key made, and what happens to them', async () => {
  const world = await newWorld();
  const { uid, agentId, keyId } = world;
  const other = await apiKeys.get().create(uid, { name: 'other' });
  const made = async (path: string, body: object, apiKey = world.apiKey) =>
    (await world.call('POST', path, { apiKey, body: { uid, ...body } })).body;
  const endpoint = { url: (await newReceiver()).url, events: ['call.recorded'] };
  const { endpointId } = await made('/webhook-endpoints', endpoint);
  // A host has one unconfirmed endpoint of a user at most.
  await made(`/webhook-endpoints/${endpointId}/test`, {});
  const theirs = await made('/webhook-endpoints', { ...endpoint, url: (await newReceiver()).url }, other.secret);
  await made(`/webhook-endpoints/${theirs.endpointId}/rotate-secret`, {});
  const { importId } = await made('/block-list-imports', { size: 10 });
  await made('/block-list-imports', { size: 10 }, other.secret);
  const { uploads } = await made('/agent-documents/uploads', { agentId, files: [{ name: 'a.txt', size: 1 }] });
  const { documentId } = uploads[0];
  await world.call('PUT', '/hook-secrets/vapi', { body: { uid, secret: 'a-secret-of-vapi' } });
  expect((await json('key', 'revoke', '--uid', uid, keyId)).made).toEqual({
    webhookEndpoints: [{ endpointId, url: endpoint.url, active: true }],
    webhookSecrets: [{ endpointId: theirs.endpointId, url: theirs.url }],
    hookSecrets: [{ platform: 'vapi' }],
    documents: [{ documentId, agentId }],
    imports: [{ importId, status: 'awaiting_upload' }],
  });
  const { stdout } = await operator('key', 'revoke', '--uid', uid, keyId);
  expect(stdout).toMatch(/webhook endpoint +endpoint_\w+ +gets events until it is deleted/);
  expect(stdout).toMatch(/webhook secret +endpoint_\w+ +signs until another key rotates it/);
  expect(stdout).toMatch(/hook secret +vapi +is accepted until another one replaces it, or it is deleted/);
  expect(stdout).toMatch(/upload form +doc_\w+ +its file is no longer read/);
  expect(stdout).toMatch(/block list import +import_\w+ +its file is no longer imported/);
});

it('keys of another user are not touched', async () => {
  const [user, other] = [await newUser(), await newUser()];
  for (const command of ['rotate', 'revoke']) {
    const { code, stderr } = await operator('key', command, '--uid', other.uid, user.keyId);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `User ${other.uid} has no key ${user.keyId}.\n` });
  }
  expect(await isAccepted(user.apiKey, user.uid)).toBe(true);
});

it('agents are created by the operator with a configuration, a phone number and a given id', async () => {
  const user = await newUser();
  const agentId = unique('agent');
  const configuration = { greeting: 'Hello', routing: { queue: ['a', 1.5, null] }, transferTo: '+14155550111' };
  const file = newFile(JSON.stringify({ ...configuration, transferTo: '+1 (415) 555-0111' }));
  const args = ['--uid', user.uid, '--name', 'Front desk', '--configuration', file, '--id', agentId];
  await json('agent', 'create', ...args, '--phone-number', '+1 (415) 555-0100');
  const { body } = await call('GET', `/agents/${agentId}`, { apiKey: user.apiKey });
  expect(body).toMatchObject({
    agentId,
    uid: user.uid,
    name: 'Front desk',
    configuration,
    phoneNumber: '+14155550100',
  });
  expect(await json('agent', 'show', agentId)).toEqual({ ...body, access: [] });
});

it('agents that the operator creates never replace another one', async () => {
  const world = await newWorld();
  for (const uid of [world.uid, (await newUser()).uid]) {
    const { code, stderr } = await operator('agent', 'create', '--uid', uid, '--name', 'x', '--id', world.agentId);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `Agent ${world.agentId} already exists.\n` });
  }
  expect((await json('agent', 'show', world.agentId)).name).toBe('Agent');
});

it('the help of a generated command says what each of two flags does, and leaves out the cursor that it follows', async () => {
  const { stdout } = await runOperator({}, ['api', 'calls', 'list', '--help']);
  expect(stdout).toMatch(/--no-held +only calls without a held outcome/);
  expect(stdout).not.toContain('--cursor');
});

it('the operator shares an agent with more users than a key may', async () => {
  const [world, guest] = [await newWorld(), await newUser()];
  const others = Array.from({ length: limits.guests }, (_, index) => `guest-${index}`);
  await table.get().change(accessKey(world.agentId), { add: { guests: new Set(others) } });
  await json('agent', 'grant', world.agentId, '--uid', guest.uid);
  expect((await agents.get().access(world.agentId))?.guests).toContain(guest.uid);
});

it('agents are accessible to a guest from grant to revoke', async () => {
  const [world, guest] = [await newWorld(), await newUser()];
  const read = async () => (await call('GET', `/agents/${world.agentId}`, { apiKey: guest.apiKey })).status;
  expect(await read()).toBe(401);
  await json('agent', 'grant', world.agentId, '--uid', guest.uid);
  expect(await read()).toBe(200);
  expect((await json('agent', 'show', world.agentId)).access).toEqual([{ uid: guest.uid }]);
  const all = (await json('agent', 'list')).agents.filter(
    (agent: { agentId: string }) => agent.agentId === world.agentId,
  );
  expect(all).toMatchObject([{ uid: world.uid }]);
  expect((await json('user', 'show', guest.uid)).agents).toMatchObject([{ agentId: world.agentId, uid: world.uid }]);
  expect((await operator('agent', 'list', '--uid', guest.uid)).stdout).toContain(world.agentId);
  await json('agent', 'revoke', world.agentId, '--uid', guest.uid);
  expect(await read()).toBe(401);
});

it('agents keep their owner: the operator cannot make an owner a guest', async () => {
  const world = await newWorld();
  expect((await operator('agent', 'grant', world.agentId, '--uid', world.uid)).code).toBe(1);
  await json('agent', 'revoke', world.agentId, '--uid', world.uid);
  expect((await world.call('GET', `/agents/${world.agentId}`)).status).toBe(200);
});

it('the import of calls records every call; a second import changes nothing', async () => {
  const world = await newWorld();
  const { agentId } = world;
  const more = { endedAt: '2026-01-31T12:05:00+01:00', durationSeconds: 300.5, status: 'completed' };
  const file = newFile(`\uFEFF${makeLine(agentId, 'one', more)}\r\n\n${makeLine(agentId, 'two')}`);
  expect(await json('calls', 'import', file)).toEqual({ file, lines: 3, imported: 2, failed: 0, errors: [] });
  const outcome = { custom_call_outcome: 'booked' };
  await world.call('PATCH', `/calls/${agentId}/one`, { body: outcome });
  const before = (await world.call('GET', `/calls/${agentId}/one`)).body;
  expect(before).toMatchObject({ ...more, ...outcome, endedAt: '2026-01-31T11:05:00.000Z' });

  expect(await json('calls', 'import', file)).toMatchObject({ imported: 2, failed: 0 });
  expect((await world.call('GET', `/calls/${agentId}/one`)).body).toEqual(before);
  expect(await listCalls(world)).toHaveLength(2);
});

it('the import of calls names the lines that are wrong, imports the others, and ends with 1', async () => {
  const world = await newWorld();
  const good = (id: string) => makeLine(world.agentId, id);
  const lines: [string | Buffer, RegExp | undefined][] = [
    [good('a'), undefined],
    ['{"agentId":', /not JSON/],
    ['[]', /must be/],
    [makeLine(world.agentId, 'b', { phone: '0155' }), /phone/],
    [makeLine(world.agentId, 'c', { startedAt: 'yesterday' }), /startedAt/],
    [makeLine(world.agentId, 'd', { direction: 'up' }), /direction/],
    [makeLine(world.agentId, 'e', { durationSeconds: '5' }), /durationSeconds/],
    [makeLine(world.agentId, '+14155550100'), /callId/],
    [makeLine('no-such-agent', 'f'), /no agent no-such-agent/],
    [Buffer.from([0x22, 0xff, 0xfe, 0x22]), /UTF-8/],
    [makeLine(world.agentId, 'g', { status: 'x'.repeat(1_100_000) }), /longer than/],
    [makeLine(world.agentId, 'h', { deep: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) }), /deeper/],
    ['   ', undefined],
    [good('i'), undefined],
  ];
  const file = join(folder, unique('calls'));
  writeFileSync(file, Buffer.concat(lines.flatMap(([line]) => [Buffer.from(line as string), Buffer.from('\n')])));
  const { code, stdout, stderr } = await operator('calls', 'import', file, '--json');
  expect(code).toBe(1);
  const report = JSON.parse(stdout);
  const wrong = lines.flatMap(([, message], index) => (message ? [{ line: index + 1, message }] : []));
  expect(report).toMatchObject({ lines: 14, imported: 2, failed: wrong.length });
  expect(report.errors).toEqual(wrong.map(({ line, message }) => ({ line, message: expect.stringMatching(message) })));
  expect(stderr).toBe(jsonError('failed', `${wrong.length} lines could not be imported.`));
  expect((await listCalls(world)).map(({ callId }) => callId).sort()).toEqual(['a', 'i']);
  expect(existsSync(`${file}.progress`)).toBe(false);
});

it('a demo prints what its callers need', async () => {
  const { uid, apiKey } = await json('demo');
  expect(await isAccepted(apiKey, uid)).toBe(true);
  const { stdout } = await operator('demo');
  expect(stdout).toMatch(/^apiKey +vap_/m);
  expect(stdout).not.toContain(uid);
});

describe('the commands for what an API key could do', () => {
  const service = ['--base-url', target.baseUrl];

  it('block, unblock and check numbers for a user and an agent', async () => {
    const { uid, agentId } = await newWorld();
    const [one, two] = ['+14155550100', '+442071838750'];
    const added = await json('block-list', 'add', one, two, '--uid', uid, '--reason', 'Asked', ...service);
    expect(added).toMatchObject({ uid, added: [one, two], failed: [] });
    const { blocked } = await json('block-list', 'check', one, '--agent-id', agentId, ...service);
    expect(blocked).toMatchObject([{ number: one, scope: 'user', reason: 'Asked' }]);
    expect(await json('block-list', 'export', '--uid', uid, ...service)).toMatchObject({
      uid,
      entries: [{ number: one }, { number: two }],
    });
    expect(await json('block-list', 'remove', one, '--uid', uid, ...service)).toMatchObject({ removed: [one] });
    const again = await operator('block-list', 'remove', one, '--uid', uid, ...service);
    expect([again.code, again.stderr]).toEqual([1, '1 number failed.\n']);
    const wrong = await operator('block-list', 'remove', '+14155550100.0', one, '--uid', uid, ...service);
    expect(wrong.stdout).toMatch(
      /\n\+14155550100\.0 .+ Remove the last dot.+\n\+14155550100 +Number not found in block list/,
    );
  });

  it('find a key only by its id', async () => {
    const user = await newUser();
    expect(await json('key', 'show', user.keyId)).toMatchObject({ uid: user.uid, keyId: user.keyId });
    const later = await json('key', 'update', user.keyId, '--expires', '30d');
    expect(later.expiresAt).toBeDefined();
    expect(await json('key', 'update', user.keyId, '--expires', 'never')).not.toHaveProperty('expiresAt');
    await json('key', 'revoke', user.keyId);
    expect(await isAccepted(user.apiKey, user.uid)).toBe(false);
    const { stderr } = await operator('key', 'show', 'key_none', '--json');
    expect(stderr).toBe(jsonError('key_not_found', 'There is no key key_none.'));
  });

  it('list and export the calls of all agents of a user, with their outcomes, and import them again', async () => {
    const [world, other] = [await newWorld(), await newWorld()];
    const { uid, agentId } = world;
    await json('agent', 'grant', other.agentId, '--uid', uid);
    await world.recordCall('own', { startedAt: '2026-03-01T10:00:00Z' });
    await other.recordCall('shared', { startedAt: '2026-03-02T10:00:00Z' });
    const outcome = {
      custom_call_outcome: 'won',
      custom_call_outcome_value: 1e200,
      custom_call_metadata: { a: [1.5] },
    };
    await world.call('PATCH', `/calls/${agentId}/own`, { body: outcome });
    const { calls } = await json('calls', 'list', '--uid', uid);
    expect(calls.map(({ callId }: { callId: string }) => callId)).toEqual(['shared', 'own']);
    const day = await json('calls', 'list', '--uid', uid, '--from', '2.3.2026', '--to', '2026-03-03 00:00');
    expect(day.calls).toHaveLength(1);
    expect((await json('calls', 'export', '--uid', uid)).calls).toHaveLength(2);
    const { stdout } = await operator('calls', 'export', '--uid', uid);
    const before = (await world.call('GET', `/calls/${agentId}/own`)).body;
    await world.call('DELETE', `/calls/${agentId}/own`);
    expect(await json('calls', 'import', newFile(stdout))).toMatchObject({ imported: 2, failed: 0 });
    const { outcomeUpdatedAt: _at, outcomeHistory: _history, ...rest } = before;
    expect((await world.call('GET', `/calls/${agentId}/own`)).body).toMatchObject({ ...rest, ...outcome });
    expect((await operator('calls', 'list')).code).toBe(2);
  });

  it('report an invalid command line with --json', async () => {
    const { code, stdout, stderr } = await operator('key', 'list', '--json');
    expect([code, stdout]).toEqual([2, '']);
    const message = "error: required option '--uid <uid>' not specified";
    expect(JSON.parse(stderr)).toEqual({ error: 'invalid_usage', message });
  });
});
