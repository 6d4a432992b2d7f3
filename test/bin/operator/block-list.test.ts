import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BlockedNumber } from '../../../functions/openapi/client/client.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { folder, newFile, runOperator, settings } from '../../support/operator-command.ts';
import { newWorld, target, unique } from '../../support/world.ts';

const blockList = (args: string[], environment: Record<string, string> = settings) =>
  runOperator(environment, ['block-list', ...args, '--base-url', target.baseUrl]);

it('the operator imports the block list of a user and of an agent, reports lines that fail, and exports a file that can be imported', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const numbers = newFile(
    'number,reason\n+1 415 555 0101,"Said ""no"", twice"\n12345,\n+14155550102,\n+14155550102,\n',
  );
  const imported = await blockList(['import', numbers, '--uid', uid, '--reason', 'Register']);
  expect(imported.code).toBe(1);
  expect(imported.stderr).toContain(':3: 12345: Add + and the country code at the start');
  expect(imported.stderr).toContain('1 line could not be imported.');
  expect(imported.stdout).toMatch(/lines +4\n/);

  const file = unique('list');
  const exported = await blockList(['export', '--uid', uid, '--output', file, '--json']);
  expect([exported.code, JSON.parse(exported.stdout)]).toEqual([0, { output: file, numbers: 2 }]);
  expect(readFileSync(join(folder, file), 'utf8')).toBe(
    'number,reason,expiresAt\n+14155550101,"Said ""no"", twice",\n+14155550102,Register,\n',
  );
  await world.block(['+14155550199']);
  const replaced = await blockList([
    'import',
    join(folder, file),
    '--agent-id',
    agentId,
    '--mode',
    'replace',
    '--json',
  ]);
  expect([replaced.code, replaced.stderr]).toEqual([0, '']);
  expect(JSON.parse(replaced.stdout)).toMatchObject({ status: 'done', lines: 2, added: 2, removed: 1, failures: [] });
  const printed = await blockList(['export', '--agent-id', agentId]);
  expect(printed.stdout).toBe(readFileSync(join(folder, file), 'utf8'));
  // The temporary keys are deleted.
  expect((await apiKeys.get().list(uid)).map(({ name }) => name)).toEqual(['test']);
});

it('a block list is exported without formulas of a spreadsheet, and an import reads each reason as it was', async () => {
  const { uid, agentId, call } = await newWorld();
  const reasons = ['=1+1', "'=1", '+A1', '-1', '@SUM(A1)', '\tA1', '＝1', "'quoted'", 'a=1', 'cmd|"/C calc"!A0'];
  const numbers = reasons.map((reason, n) => ({ phone: `+1415555010${n}`, reason }));
  for (const { phone, reason } of numbers) {
    const { status } = await call('POST', '/block-list', { body: { uid, numbers: [phone], reason } });
    expect(status).toBe(200);
  }
  const file = unique('list');
  expect((await blockList(['export', '--uid', uid, '--output', file])).code).toBe(0);
  const written = readFileSync(join(folder, file), 'utf8');
  expect(written.trim().split('\n')).toEqual([
    'number,reason,expiresAt',
    "+14155550100,'=1+1,",
    "+14155550101,''=1,",
    "+14155550102,'+A1,",
    "+14155550103,'-1,",
    "+14155550104,'@SUM(A1),",
    "+14155550105,'\tA1,",
    "+14155550106,'＝1,",
    "+14155550107,'quoted',",
    '+14155550108,a=1,',
    '+14155550109,"cmd|""/C calc""!A0",',
  ]);
  const imported = await blockList(['import', join(folder, file), '--uid', uid, '--agent-id', agentId]);
  expect([imported.code, imported.stderr]).toEqual([0, '']);
  const read = async (query: Record<string, string>, path: string) =>
    (await call('GET', path, { query })).body.entries.map(({ number, reason }: BlockedNumber) => [number, reason]);
  const entries = await read({ uid }, '/block-list');
  expect(new Map(entries)).toEqual(new Map(numbers.map(({ phone, reason }) => [phone, reason])));
  // An import takes white space around a reason off.
  const trimmed = numbers.map(({ phone, reason }) => [phone, reason.trim()] as const);
  expect(new Map(await read({ uid, agentId }, '/agent-block-list'))).toEqual(new Map(trimmed));
});

it('an import that the operator does not wait for has its key for an hour, and is done', async () => {
  const world = await newWorld();
  const { uid } = world;
  const begun = await blockList(['import', newFile('+14155550101\n'), '--uid', uid, '--no-wait', '--json']);
  const { importId } = JSON.parse(begun.stdout);
  const [, key] = await apiKeys.get().list(uid);
  expect(Date.parse(key?.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(60 * 60 * 1000);
  await expect
    .poll(async () => (await world.call('GET', `/block-list-imports/${importId}`, { query: { uid } })).body)
    .toMatchObject({ status: 'done', added: 1 });
});

it('the operator imports and exports block lists with a key of the user, and without a table', async () => {
  const { uid, apiKey } = await newWorld();
  const file = newFile('+14155550101\n');
  const environment = { VAP_API_KEY: apiKey };
  const sent = await blockList(['import', file, '--uid', uid, '--json'], environment);
  expect([sent.code, JSON.parse(sent.stdout).added]).toEqual([0, 1]);
  const begun = await blockList(['import', file, '--uid', uid, '--no-wait', '--json'], environment);
  expect(JSON.parse(begun.stdout)).toEqual({
    importId: expect.stringMatching(/^import_/),
    status: 'awaiting_upload',
  });
});

it('the operator imports the columns and the national numbers of a file, which are blocked until a date', async () => {
  const { uid, call } = await newWorld();
  const file = newFile('Tel;Why;Other\n030 901820;Ruhe;x\n');
  const columns = ['--number-column', 'Tel', '--reason-column', 'Why', '--country', 'DE'];
  const imported = await blockList(['import', file, '--uid', uid, ...columns, '--expires-at', '2099-01-31']);
  expect([imported.code, imported.stderr]).toEqual([0, expect.not.stringContaining('could not')]);
  expect((await call('GET', '/block-list', { query: { uid } })).body.entries).toMatchObject([
    { number: '+4930901820', reason: 'Ruhe', expiresAt: '2099-01-31T00:00:00.000Z' },
  ]);
});

it('the operator reports an import of a block list that cannot be done in a sentence', async () => {
  const { uid } = await newWorld();
  const bad = await blockList(['import', newFile('phone,name\n+14155550101,x\n'), '--uid', uid]);
  expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('none is named "number"')]);
  const missing = await blockList(['import', 'no-such-file.csv', '--uid', uid]);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('no-such-file.csv')]);
  const empty = await blockList(['import', newFile(''), '--uid', uid]);
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('is empty')]);
  const nobody = await blockList(['export']);
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('--agent-id or --uid')]);
  const unknown = await blockList(['export', '--uid', unique('nobody')]);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no user')]);
});
