import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { recordConsents } from '../../../bin/operator/consents/push-consents.ts';
import type { NewConsent } from '../../../functions/openapi/client/client.ts';
import { ended, newFile, runOperator, settings, start } from '../../support/operator-command.ts';
import { until } from '../../support/until.ts';
import { newWorld, target, unique, type World } from '../../support/world.ts';

const consents = (args: string[], environment: Record<string, string> = settings) =>
  runOperator(environment, ['consents', 'push', ...args, '--base-url', target.baseUrl]);

/** A CSV file of rows, in a given encoding. */
const sheet = (
  lines: string[],
  { encoding = 'utf8', lineBreak = '\n' }: { encoding?: 'utf8' | 'utf16le'; lineBreak?: string } = {},
) => newFile(Buffer.from(`\ufeff${lines.join(lineBreak)}${lineBreak}`, encoding), `${unique('consents')}.csv`);

const readResults = (file: string): Record<string, string>[] =>
  parse(readFileSync(`${file}.results.csv`, 'utf8'), { columns: true, bom: true });

const listed = async ({ call, uid }: World, number: string) =>
  (await call('GET', '/consents', { query: { uid, number } })).body.consents;

it('a file with the columns of the fields is recorded, with its proofs, and recording it again adds nothing', async () => {
  const world = await newWorld();
  const file = sheet([
    'number,purpose,state,at,expiresAt,seller,proof_channel,proof_text,proof_url,proof_ip,proof_sha256',
    `+14155550100,marketing,given,2026-03-01T10:00:00Z,2027-03-01,Example Dental,web,"I agree,\nto be called.",https://www.example.com/offers,203.0.113.7,${'A'.repeat(64)}`,
    '+14155550101,*,revoked,2026-03-02 08:30,,,,,,,',
  ]);
  for (let run = 0; run < 2; run++) {
    const pushed = await consents([file, '--uid', world.uid]);
    expect(pushed).toMatchObject({ code: 0, stderr: '' });
    expect(pushed.stdout).toMatch(/^2 recorded, 0 failed, 0 invalid and not sent/);
  }
  const [given, ...others] = await listed(world, '+14155550100');
  expect(others).toEqual([]);
  expect(given).toMatchObject({
    purpose: 'marketing',
    state: 'given',
    at: '2026-03-01T10:00:00.000Z',
    expiresAt: '2027-03-01T00:00:00.000Z',
    seller: 'Example Dental',
    proof: {
      channel: 'web',
      text: 'I agree,\nto be called.',
      url: 'https://www.example.com/offers',
      ip: '203.0.113.7',
    },
  });
  expect(await listed(world, '+14155550101')).toMatchObject([{ purpose: '*', at: '2026-03-02T08:30:00.000Z' }]);
  expect(readResults(file)[0]).toMatchObject({ line: '2', status: 'recorded', consentId: given.consentId, error: '' });
});

it('a sheet as Excel writes it is recorded: UTF-16, semicolons, other headings, German dates, national numbers, and only states with a meaning', async () => {
  const world = await newWorld();
  const lines = [
    'Name;Telefon ;Einwilligung;Datum',
    'Ada;0171 2345678;Ja;1.3.2026',
    'Bob;0171 2345679;nein;02.03.2026 14:05',
    'Eve;0171 2345670;;3.3.2026',
    'Zoe;0171 2345671;abgemeldet;2026-03-04T10:00:00+02:00',
  ];
  const file = sheet(lines, { encoding: 'utf16le', lineBreak: '\r\n' });
  const columns = ['--map', 'Telefon=number,Einwilligung=state,Datum=at', '--purpose', 'marketing', '--country', 'DE'];
  const refused = await consents([file, '--uid', world.uid, ...columns, '--dry-run']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(':1:1: unknown column "Name".');
  const states = ['--map', 'state=ja:given,nein:skip', '--map', 'state=abgemeldet:revoked', '--ignore-unknown'];
  const pushed = await consents([file, '--uid', world.uid, ...columns, ...states]);
  expect(pushed.code).toBe(1);
  expect(pushed.stderr).toContain(`${file}:4:3: state: is missing\n`);
  expect(pushed.stdout).toMatch(/^2 recorded, 0 failed, 1 invalid/);
  expect(pushed.stderr).toContain(
    '1 row was not recorded. Correct it in the results file, and send it with --only-failed --map "state=ja:given,nein:skip,abgemeldet:revoked" --purpose "marketing" --country DE.',
  );
  expect(await listed(world, '+491712345678')).toMatchObject([{ state: 'given', at: '2026-03-01T00:00:00.000Z' }]);
  expect(await listed(world, '+491712345679')).toEqual([]);
  expect(await listed(world, '+491712345671')).toMatchObject([{ state: 'revoked', at: '2026-03-04T08:00:00.000Z' }]);
});

it('nothing is guessed: yes, true and opted_in have no meaning of their own, and errors of the same words are one line', async () => {
  const states = [...Array(20).fill('yes'), 'true', 'opted_in', 'true'];
  const rows = states.map((state, index) => `+1415555${1000 + index},marketing,${state},2026-03-01`);
  const file = sheet(['number,purpose,state,at', ...rows]);
  const checked = await consents([file, '--uid', 'nobody', '--dry-run']);
  expect(checked.code).toBe(1);
  const means = (value: string) =>
    `state: is "${value}": it must be given or revoked. To say what it means, use --map "state=${value}:given", revoked or skip`;
  expect(checked.stderr.trimEnd().split('\n')).toEqual([
    `20 rows: ${means('yes')} (lines 2, 3, 4, …)`,
    `2 rows: ${means('true')} (lines 22, 24)`,
    `${file}:23:3: ${means('opted_in')}`,
    '23 rows: 0 valid, 23 invalid. Nothing was sent.',
  ]);
});

it.each([
  ['number', '12345,marketing,given,2026-03-01', 'number: Add + and the country code at the start'],
  ['purpose', '+14155550100,Marketing!,given,2026-03-01', 'purpose: '],
  ['all purposes', '+14155550100,*,given,2026-03-01', 'purpose: * can only be revoked'],
  [
    'American date',
    '+14155550100,marketing,given,3/1/2026',
    'at: is "3/1/2026": it must be a date (2027-01-31, 31.1.2027)',
  ],
  ['relative date', '+14155550100,marketing,given,today', 'at: is "today": it must be a date'],
  ['day that does not exist', '+14155550100,marketing,given,2026-02-30', 'at: is "2026-02-30"'],
  ['time ahead', '+14155550100,marketing,given,2999-01-01', 'at: '],
  ['missing time', '+14155550100,marketing,given,', 'at: is missing'],
  ['further cell', '+14155550100,marketing,given,2026-03-01,x', 'has 5 cells, but the header has 4'],
])('a row with a wrong %s is reported with its line, and not sent', async (_, row, reason) => {
  const file = sheet(['number,purpose,state,at', row]);
  const checked = await consents([file, '--uid', 'nobody', '--dry-run']);
  expect(checked.code).toBe(1);
  expect(checked.stderr.replace(/^(.*\.csv:2)(?::\d+)?: /, '$1: ')).toContain(`${file}:2: ${reason}`);
});

it.each([
  ['number,purpose,state', 'the column at is missing'],
  ['purpose,state,at', 'the column number is missing'],
  ['number,number,purpose,state,at', 'duplicate column number'],
  ['number,purpose,state,at,status_', 'unknown column "status_"'],
])('a file with the header %s is refused before a row is read', async (header, reason) => {
  const checked = await consents([sheet([header]), '--uid', 'nobody', '--dry-run']);
  expect([checked.code, checked.stderr]).toEqual([2, expect.stringContaining(reason)]);
});

it('a person with several rows has the result of each, in the order of the file', async () => {
  const world = await newWorld();
  const rows = ['given,2026-03-01', 'given,2026-03-02', 'revoked,2026-03-03'].map(
    (row) => `+14155550100,marketing,${row}`,
  );
  const file = sheet([
    'number,purpose,state,at',
    rows[0] as string,
    rows[1] as string,
    rows[1] as string,
    rows[2] as string,
  ]);
  const pushed = await consents([file, '--uid', world.uid]);
  expect([pushed.code, pushed.stderr]).toEqual([0, '']);
  const ids = (await listed(world, '+14155550100')).map(({ consentId }: { consentId: string }) => consentId).reverse();
  expect(readResults(file).map(({ consentId }) => consentId)).toEqual([ids[0], ids[1], ids[1], ids[2]]);
});

it('a row that fails gets its own error, also beside rows of the same person that are recorded', () => {
  const [first, second, third] = [1, 2, 3].map((day) => ({
    number: '+14155550100',
    purpose: 'marketing',
    state: 'given' as const,
    at: `2026-03-0${day}T00:00:00.000Z`,
  })) as [NewConsent, NewConsent, NewConsent];
  const recorded = [first, third].map((one, index) => ({ ...one, consentId: `consent_${index}` }));
  const failed = [{ number: first.number, reason: 'Too many records of this person', code: 'too_many_records' }];
  expect(recordConsents('user').match({ recorded, failed }, [first, second, third])).toEqual([
    { status: 'recorded', consentId: 'consent_0' },
    { status: 'failed', error: 'too_many_records', message: 'Too many records of this person' },
    { status: 'recorded', consentId: 'consent_1' },
  ]);
});

it('a run that is interrupted continues where it was, and records every row once', { tags: 'heavy' }, async () => {
  const world = await newWorld();
  const rows = Array.from({ length: 6000 }, (_, row) => `+1415${String(5_000_000 + row)},marketing,given,2026-03-01`);
  const file = sheet(['number,purpose,state,at', ...rows]);
  const args = ['consents', 'push', file, '--uid', world.uid, '--base-url', target.baseUrl, '--concurrency', '1'];
  const child = start(args);
  const progress = `${file}.progress.json`;
  await until(() => existsSync(progress) && JSON.parse(readFileSync(progress, 'utf8')).state.rows > 0);
  child.kill('SIGINT');
  const stopped = await ended(child);
  expect(stopped.stderr).toContain('Run the same command again to continue.');
  const { rows: done } = JSON.parse(readFileSync(progress, 'utf8')).state;
  expect(done).toBeLessThan(6000);
  const finished = await ended(start(args));
  expect(finished.code).toBe(0);
  expect(finished.stderr).toContain(`Continuing after row ${done.toLocaleString('en')}`);
  expect(finished.stdout).toMatch(/^6,000 recorded, 0 failed, 0 invalid/);
  expect(readResults(file).map(({ line }) => Number(line))).toEqual(rows.map((_, index) => index + 2));
});
