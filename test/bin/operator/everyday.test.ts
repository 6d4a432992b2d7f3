import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { folder, json, newFile, oneSentence, operator, runOperator, settings } from '../../support/operator-command.ts';
import { call, newUser, newWorld, target, unique, type World } from '../../support/world.ts';

it('the operator names the table or service in use first, and not with --json', async () => {
  const user = await newUser();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const { tableName, endpoints, baseUrl } = target;
  const run = { pid: process.pid, baseUrl, tableName, endpoints, region: 'us-east-1', credentials };
  const show = ['user', 'show', user.uid];
  expect((await operator(...show)).target).toBe(`table ${tableName} in us-east-1`);
  const local = await runOperator({}, [...show, '--run-file', newFile(JSON.stringify(run))]);
  expect(local.target).toBe(`the local run at ${baseUrl}`);
  expect((await operator(...show, '--json')).target).toBeUndefined();
  const environment = { VAP_API_KEY: user.apiKey, VAP_BASE_URL: baseUrl };
  const service = await runOperator(environment, ['knowledge', 'list', '--agent-id', 'a', '--uid', user.uid]);
  expect(service.target).toBe(`the service at ${baseUrl} with the key in VAP_API_KEY`);
});

it('the help of the operator marks required options, and shows durations as people write them', async () => {
  const { stdout } = await runOperator({}, ['key', 'rotate', '--help']);
  expect(stdout).toContain('Usage: voice-agents key rotate [options] <keyId>');
  const { stdout: list } = await runOperator({}, ['key', 'list', '--help']);
  expect(list).toContain('Usage: voice-agents key list --uid <uid> [options]');
  expect(list).toMatch(/--uid <uid> +required: /);
  expect(stdout).toContain('(default: 24h)');
  expect((await runOperator({}, ['key', 'usage', '--help'])).stdout).toContain('(default: 30d)');
});

it('the operator prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await runOperator({}, ['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
});

it.each([
  [['user', 'list', 'acme'], 'error: too many arguments (expected: 0): acme\n'],
  [
    ['key', 'usage', '--since', 'soon'],
    'error: --since: soon: must be a number with a unit (s, m, h, d or w), such as 90m, 24h or 30d.\n',
  ],
])('the help and the errors of the operator name the argument first: %s', async (args, message) => {
  expect(await operator(...args)).toMatchObject({ code: 2, stdout: '', stderr: message });
});

it('the operator names the AWS profile that has no credentials', async () => {
  const environment = { AWS_PROFILE: 'work', AWS_REGION: 'eu-central-1' };
  expect(await runOperator(environment, ['--stack', 'voice-agents-dev', 'user', 'list'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The AWS profile "work" has no valid credentials\. /),
  });
});

const installed = async (name: string, ...args: string[]) => {
  const script = join(import.meta.dirname, '../../../bin', `${name}.mjs`);
  const options = { cwd: folder, env: { PATH: process.env.PATH, INIT_CWD: '/nowhere' } };
  return (await promisify(execFile)(script, args, options)).stdout;
};

it('the installed command voice-agents is the operator', { tags: 'heavy' }, async () => {
  expect(await installed('voice-agents', '--help')).toContain('Usage: voice-agents <command>');
  expect(await installed('voice-agents', 'complete', '--', 'key', 'ro')).toMatch(/^rotate\t/);
});

it('completion by Tab offers scopes and the users of a local run, for options and for arguments', async () => {
  const { uid } = await newUser();
  const { baseUrl, tableName, endpoints, credentials } = target;
  const run = { pid: process.pid, baseUrl, uid, tableName, endpoints, region: 'us-east-1', credentials };
  const runFile = newFile(JSON.stringify(run));
  const { TABLE_NAME: _table, ...environment } = settings;
  const complete = async (...words: string[]) => (await runOperator(environment, ['complete', '--', ...words])).stdout;
  expect(await complete('key', 'create', '--scope', 'calls', 'kn')).toBe('knowledge\n:4\n');
  expect(await complete('--run-file', runFile, 'key', 'list', '--uid', uid.slice(0, -1))).toContain(`${uid}\n`);
  expect(await complete('--run-file', runFile, 'user', 'show', uid)).toContain(`${uid}\n`);
});

it('the installed command voice-agents-outcomes is the batch tool, in the folder of its user', async () => {
  newFile('agentId,callIdOrPhone,custom_call_outcome\na,b,c\n', 'calls.csv');
  const args = ['push', 'calls.csv', '--dry-run', '--base-url', target.baseUrl];
  expect(await installed('voice-agents-outcomes', ...args)).toBe('1 row: 1 valid, 0 invalid. Nothing was sent.\n');
});

it('the installed command voice-agents-agents keeps agents as files', { tags: 'heavy' }, async () => {
  expect(await installed('voice-agents-agents', '--help')).toContain('Usage: voice-agents agents <command>');
});

it('users are listed and renamed by the operator', async () => {
  const { uid } = await newUser();
  expect(await json('user', 'update', uid, '--name', 'Zoë')).toMatchObject({ uid, name: 'Zoë' });
  const { users } = await json('user', 'list');
  expect(users.find((one: { uid: string }) => one.uid === uid)).toEqual({
    uid,
    name: 'Zoë',
    createdAt: expect.any(String),
  });
  expect(users.every((one: object) => !('pk' in one))).toBe(true);
  expect((await operator('user', 'list')).stdout).toMatch(new RegExp(`^${uid} +Zoë`, 'm'));
  expect(await operator('user', 'update', 'nobody', '--name', 'x')).toMatchObject({ code: 1 });
  expect(await operator('user', 'show', 'nobody')).toMatchObject({ code: 1 });
});

it('agents are updated by the operator with a file, and fields that can be empty are cleared', async () => {
  const world = await newWorld();
  const update = (...args: string[]) => json('agent', 'update', world.agentId, ...args);
  await update('--phone-number', '+1 415 555 0107', '--configuration', newFile('{"greeting":"Hello"}'));
  const { body } = await world.call('GET', `/agents/${world.agentId}`);
  expect(body).toMatchObject({ phoneNumber: '+14155550107', configuration: { greeting: 'Hello' } });
  expect(await update('--no-phone-number')).not.toHaveProperty('phoneNumber');
  expect(await operator('agent', 'update', world.agentId)).toMatchObject({ code: 2, stdout: '' });
  expect(await operator('agent', 'update', 'no-agent', '--name', 'x')).toMatchObject({
    code: 1,
    stderr: 'There is no agent no-agent.\n',
  });
});

it('keys are shown without their secret, and updated while they are valid', async () => {
  const { uid, apiKey, keyId } = await newUser();
  const shown = await operator('key', 'show', keyId, '--uid', uid);
  expect(shown.stdout).toContain(keyId);
  expect(shown.stdout).not.toContain(apiKey);
  const updated = await json(
    'key',
    'update',
    keyId,
    '--uid',
    uid,
    '--name',
    'batch',
    '--scope',
    'calls',
    '--expires',
    '7d',
  );
  expect(updated).toMatchObject({ keyId, name: 'batch', scopes: ['calls'], status: 'active' });
  expect(Date.parse(updated.expiresAt) - Date.now()).toBeGreaterThan(6 * 86_400_000);
  expect((await call('GET', '/agents', { apiKey, query: { uid } })).body.error).toBe('insufficient_permissions');
  expect(await operator('key', 'update', keyId, '--uid', uid)).toMatchObject({ code: 2 });
  expect(await operator('key', 'update', 'key_none', '--uid', uid, '--name', 'x')).toMatchObject({ code: 1 });
});

it('keys are deleted once they are revoked, and only with --yes', async () => {
  const { uid, keyId } = await newUser();
  const listed = async () => (await json('key', 'list', '--uid', uid)).keys.length;
  expect(await operator('key', 'delete', keyId, '--uid', uid, '--yes')).toMatchObject({
    code: 1,
    stderr: `Key ${keyId} is still valid. Revoke it first with "key revoke".\n`,
  });
  await json('key', 'revoke', keyId, '--uid', uid);
  const shown = await operator('key', 'delete', keyId, '--uid', uid);
  expect(shown).toMatchObject({ code: 0, stderr: 'Nothing was deleted. Add --yes to do it.\n' });
  expect(await listed()).toBe(1);
  expect(await json('key', 'delete', keyId, '--uid', uid, '--yes')).toEqual({ keyId, uid, deleted: true });
  expect(await listed()).toBe(0);
});

const worldWithCalls = async () => {
  const world = await newWorld();
  const facts = (day: number) => ({ startedAt: `2026-03-0${day}T10:00:00.000Z`, phone: `+1415555010${day}` });
  await world.recordCall('one', { ...facts(1), direction: 'outbound', status: 'busy' });
  await world.recordCall('two', { ...facts(2), status: 'completed' });
  await world.recordCall('three', facts(3));
  await world.call('PATCH', `/calls/${world.agentId}/two`, { body: { custom_call_outcome: 'booked' } });
  return world;
};
const listIds = async (world: World, ...args: string[]) => {
  const { calls } = await json('calls', 'list', '--agent-id', world.agentId, ...args);
  return calls.map(({ callId }: { callId: string }) => callId);
};

it('calls are listed by the operator, the newest first, by every condition', async () => {
  const world = await worldWithCalls();
  expect(await listIds(world)).toEqual(['three', 'two', 'one']);
  expect(await listIds(world, '--from', '2026-03-02')).toEqual(['three', 'two']);
  expect(await listIds(world, '--from', '2026-03-02T10:00:00Z', '--to', '2026-03-03T10:00:00Z')).toEqual(['two']);
  expect(await listIds(world, '--from', '2026-03-03', '--to', '2026-03-02')).toEqual([]);
  expect(await listIds(world, '--direction', 'outbound')).toEqual(['one']);
  expect(await listIds(world, '--status', 'completed')).toEqual(['two']);
  expect(await listIds(world, '--outcome', 'booked')).toEqual(['two']);
  expect(await listIds(world, '--with-outcome')).toEqual(['two']);
  expect(await listIds(world, '--without-outcome')).toEqual(['three', 'one']);
  expect(await listIds(world, '--phone', '+14155550101')).toEqual(['one']);
  const limited = await operator('calls', 'list', '--agent-id', world.agentId, '--limit', '2');
  expect(limited.stdout).not.toContain('one ');
  expect(limited.stderr).toContain('There are more calls.');
  expect(await operator('calls', 'list', '--agent-id', 'no-agent')).toMatchObject({ code: 1 });
});

it('calls are shown by the operator by number, and their outcome is set and cleared as the operator’s', async () => {
  const world = await worldWithCalls();
  const at = ['--agent-id', world.agentId];
  expect(await json('calls', 'show', '+14155550101', ...at)).toMatchObject({ callId: 'one' });
  const outcome = ['--outcome', 'won', '--value', '149.5', '--metadata', newFile('{"id":12345678901234567890}')];
  expect((await operator('calls', 'update', 'one', ...at, ...outcome)).code).toBe(0);
  const { text, body } = await world.call('GET', `/calls/${world.agentId}/one`);
  expect(body).toMatchObject({ custom_call_outcome: 'won', custom_call_outcome_value: 149.5 });
  expect(body.outcomeHistory).toMatchObject([{ keyId: expect.stringMatching(/^operator_/) }]);
  expect(text).toContain('12345678901234567890');
  await json('calls', 'update', 'one', ...at, '--no-outcome', '--no-value', '--no-metadata');
  expect((await world.call('GET', `/calls/${world.agentId}/one`)).body).not.toHaveProperty('custom_call_outcome');
  for (const [args, exitCode] of [
    [['one'], 2],
    [['one', '--outcome', 'x'.repeat(300)], 2],
    [['one', '--metadata', '{'], 2],
    [['absent', '--outcome', 'x'], 1],
  ] as [string[], number][]) {
    const { code, stderr } = await operator('calls', 'update', ...args, ...at);
    expect([code, stderr]).toEqual([exitCode, expect.stringMatching(oneSentence)]);
  }
});

it('the operator acts for a suspended user, whose own key is refused', async () => {
  const world = await newWorld();
  await world.recordCall('one');
  await json('user', 'suspend', world.uid);
  expect((await world.call('GET', '/key')).status).toBe(403);
  expect(await json('calls', 'show', 'one', '--agent-id', world.agentId)).toMatchObject({ callId: 'one' });
});

it('calls are exported to files of a format, which need a time and a name', async () => {
  const world = await newWorld();
  await world.recordCall('one', { startedAt: '2026-03-01T10:00:00Z' });
  const file = join(folder, unique('export'));
  const args = ['calls', 'export', '--agent-id', world.agentId, '--format', 'csv'];
  const range = ['--from', '2026-03-01', '--to', '2026-04-01'];
  const exported = await json(...args, ...range, '--output', file);
  expect(exported).toMatchObject({ agentId: world.agentId, uid: world.uid, calls: 1, files: [file] });
  expect(readFileSync(file, 'utf8')).toMatch(/^call_id,.*\r\none,/);
  expect(await operator(...args, ...range)).toMatchObject({ code: 2 });
  const filtered = await operator(...args, ...range, '--output', file, '--direction', 'inbound');
  expect([filtered.code, filtered.stderr]).toEqual([2, expect.stringContaining('only chosen by --from and --to')]);
});

it('calls are exported by the operator to a file or to the output', async () => {
  const world = await worldWithCalls();
  const file = join(folder, unique('calls'));
  const args = ['calls', 'export', '--agent-id', world.agentId];
  expect(await json(...args, '--output', file)).toEqual({ agentId: world.agentId, output: file, calls: 3 });
  const { stdout } = await operator(...args);
  expect(stdout).toBe(readFileSync(file, 'utf8'));
  expect(await operator(...args, '--output', join(folder, 'no-such-folder', 'x'))).toMatchObject({
    code: 2,
    stdout: '',
  });
});
