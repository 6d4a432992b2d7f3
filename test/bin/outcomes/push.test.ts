import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newApiKey } from '../../../functions/domain/api-keys.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { getOutcome, header, manyRows, readResults, worldWithCalls } from '../../support/outcome-files.ts';
import { push, writeTestFile } from '../../support/outcomes-tool.ts';
import { startProxy } from '../../support/proxy.ts';
import { target, type World } from '../../support/world.ts';

const { baseUrl } = target;

it('outcomes push sets the outcome of each row of a CSV file, and writes the result of each', async () => {
  const world = await worldWithCalls(3);
  const { code, stdout, stderr } = await push(world.file, { baseUrl, apiKey: world.apiKey });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('3 set, 0 failed, 0 invalid and not sent');
  expect(await getOutcome(world, 'c2')).toMatchObject({ custom_call_outcome: 'won', custom_call_outcome_value: 2.5 });
  const results = readResults(world.file);
  expect(results.map(({ line, status, call_id }) => [line, status, call_id])).toEqual([
    ['2', 'updated', 'c0'],
    ['3', 'updated', 'c1'],
    ['4', 'updated', 'c2'],
  ]);
  // The values sent are beside them.
  expect(results[2]).toMatchObject({ custom_call_outcome: 'won', custom_call_outcome_value: '2.5' });
  expect(existsSync(`${world.file}.progress.json`)).toBe(false);
});

it('outcomes push reads the CSV of spreadsheets: a mark, semicolons, quotes, line breaks, a column per metadata key, \\N to clear', async () => {
  const { agentId, apiKey, ...world } = await worldWithCalls(1);
  await world.call('PATCH', `/calls/${agentId}/c0`, { body: { custom_call_outcome_value: 1 } });
  const lines = [
    'callIdOrPhone;custom_call_outcome;custom_call_outcome_value;custom_call_metadata.note;custom_call_metadata',
    '"+1 (415) 555-0100";"says ""hi""\r\nand bye";\\N;größer;"{""deep"": [1, null]}"',
    '',
  ];
  const file = writeTestFile('excel.csv', `\ufeff${lines.join('\r\n')}`);
  const { code, stderr } = await push(file, { baseUrl, apiKey, flags: ['--agent-id', agentId] });
  expect([code, stderr]).toEqual([0, '']);
  const call = await getOutcome({ agentId, apiKey, ...world } as World, 'c0');
  expect(call).toMatchObject({ custom_call_outcome: 'says "hi"\r\nand bye' });
  expect(call.custom_call_metadata).toEqual({ note: 'größer', deep: [1, null] });
  expect(call).not.toHaveProperty('custom_call_outcome_value');
});

const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const columns = 'callIdOrPhone,custom_call_outcome';

it.each<[string, string | Buffer, valid: number, errors: string[]]>([
  ['a line that names the separator', 'sep=;\r\ncallIdOrPhone;custom_call_outcome\r\nc0;won\r\n', 1, []],
  ['an empty last heading', `${columns},\r\nc0,won,\r\nc1,won\r\n`, 1, [':3: has 2 cells, but the header has 3']],
  ['a cell without a heading', `${columns},\nc0,won,+14155550100\nc1,won,\n`, 1, [':2: cell 3 has no heading']],
  ['more cells than headings', `${columns}\nc0,won,,\nc1,won,,x\n`, 1, [':3: has 4 cells, but the header has 2']],
  ['empty rows', `${columns}\n,\n\nc0,won\n , \n`, 1, []],
  ['formulas for texts', `${columns}\n="+14155550100",won\n"=""c0""",won\n'+14155550100,won\n`, 3, []],
  ['a stray quote', `${columns}\nc"0,won\nc0,won\n`, 1, [':2:1: callIdOrPhone: is neither a call id']],
  ['UTF-16BE', utf16be('callIdOrPhone\tcustom_call_outcome\r\nc0\twön\r\n'), 1, []],
  ['Windows-1252', latin1(`${columns}\nc0,schön\nc1,won\n`), 1, [':2:2: custom_call_outcome: is not in UTF-8: save']],
  ['a number in it', latin1(`${columns}\n+49\xa0151,won\nc1,won\n`), 1, [':2:1: callIdOrPhone: is not in UTF-8: save']],
  ['decimals', `${columns}\n+14155550100.0,won\nc0,won\n`, 1, [':2:1: callIdOrPhone: is neither a call id']],
])(
  'outcomes push reads the rows of a spreadsheet with %s, and names each row that it cannot read',
  async (_, text, valid, errors) => {
    const file = writeTestFile('sheet.csv', text);
    const { stdout, stderr } = await push(file, { baseUrl, flags: ['--dry-run', '--agent-id', 'agent-1'] });
    expect(`${stdout}${stderr}`).toContain(`${valid} valid, ${errors.length} invalid`);
    for (const error of errors) expect(stderr).toContain(`${file}${error}`);
  },
);

it('outcomes push skips columns in another encoding, and writes their bytes into the results', async () => {
  const { agentId, apiKey } = await worldWithCalls(1);
  const file = writeTestFile('excel.csv', latin1('Größe;callIdOrPhone;custom_call_outcome\r\nMüller;c0;won\r\n'));
  const flags = ['--agent-id', agentId, '--ignore-unknown'];
  expect(await push(file, { baseUrl, apiKey, flags })).toMatchObject({ code: 0, stderr: '' });
  const results = readFileSync(`${file}.results.csv`, 'latin1');
  expect(results).toContain('Größe');
  expect(results).toContain('Müller');
  const mapped = await push(file, {
    baseUrl,
    flags: [...flags, '--dry-run', '--map', 'Größe=custom_call_metadata.size'],
  });
  expect(mapped).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(':1:1: the heading Gr��e is not in UTF-8.'),
  });
});

it.each([
  ['4915112345678', 'DE'],
  ['0151 12345678', 'DE'],
  ["'0151 12345678", 'DE'],
  ['+49 (0)151 12345678', 'DE'],
  ['+49 (0)151 12345678', 'US'],
])('outcomes push --country finds the call of %s (%s)', async (written, country) => {
  const world = await worldWithCalls(1);
  await world.recordCall('c9', { phone: '+4915112345678' });
  const file = writeTestFile('sheet.csv', `${columns}\n${written},booked\n`);
  const flags = ['--agent-id', world.agentId, '--country', country];
  expect((await push(file, { baseUrl, apiKey: world.apiKey, flags })).code).toBe(0);
  expect((await getOutcome(world, 'c9')).custom_call_outcome).toBe('booked');
});

it('outcomes push does not guess whether digits have the country code', async () => {
  const file = writeTestFile('sheet.csv', `${columns}\n494121123,booked\n`);
  const { stderr } = await push(file, { baseUrl, flags: ['--dry-run', '--agent-id', 'a', '--country', 'DE'] });
  expect(stderr).toContain(`${file}:2:1: callIdOrPhone: may be a national number or one with its country code`);
});

it('outcomes push reads JSON lines, too, and writes its results in them', async () => {
  const world = await worldWithCalls(2);
  const { agentId } = world;
  const file = writeTestFile(
    'calls.jsonl',
    [
      JSON.stringify({ agentId, callIdOrPhone: 'c0', custom_call_outcome: 'a', custom_call_metadata: { n: 1 } }),
      '',
      JSON.stringify({ agentId, callIdOrPhone: 'c1', custom_call_outcome_value: 1e300 }),
    ].join('\n'),
  );
  expect((await push(file, { baseUrl, apiKey: world.apiKey })).code).toBe(0);
  expect((await getOutcome(world, 'c1')).custom_call_outcome_value).toBe(1e300);
  const results = readFileSync(`${file}.results.jsonl`, 'utf8').trim().split('\n');
  expect(results.map((line) => JSON.parse(line))).toMatchObject([
    { line: 1, status: 'updated', call_id: 'c0', updated_fields: ['custom_call_outcome', 'custom_call_metadata'] },
    { line: 3, status: 'updated', call_id: 'c1' },
  ]);
});

it('outcomes push sends the numbers of metadata as they are written, also those that are no doubles', async () => {
  const world = await worldWithCalls(2);
  const metadata = '{"id":12345678901234567890}';
  const item = `{"agentId":"${world.agentId}","callIdOrPhone":"c0","custom_call_metadata":${metadata}}`;
  const row = `${world.agentId},c1,"${metadata.replaceAll('"', '""')}"`;
  for (const [file, call] of [
    [writeTestFile('ids.jsonl', item), 'c0'],
    [writeTestFile('ids.csv', `agentId,callIdOrPhone,custom_call_metadata\n${row}`), 'c1'],
  ] as const) {
    expect((await push(file, { baseUrl, apiKey: world.apiKey })).code, file).toBe(0);
    expect((await world.call('GET', `/calls/${world.agentId}/${call}`)).text, file).toContain(metadata);
  }
});

it('outcomes push names line and column of each mistake, sends the other rows, and ends with 1', async () => {
  const world = await worldWithCalls(2);
  const { agentId } = world;
  const file = writeTestFile(
    'mixed.csv',
    [
      header,
      `${agentId},c0,won,"1,50"`,
      `${agentId},c1,"two`,
      'lines",2',
      `${agentId},not a call,won,3`,
      `${agentId},absent,won,4`,
      `${agentId},c1,won`,
    ].join('\n'),
  );
  const { code, stdout, stderr } = await push(file, { baseUrl, apiKey: world.apiKey });
  expect(code).toBe(1);
  expect(stderr.replaceAll(file, 'FILE').trim().split('\n')).toEqual([
    'FILE:2:4: custom_call_outcome_value: is not a number: "1,50". Use --decimal-comma',
    'FILE:5:2: callIdOrPhone: is neither a call id nor a phone number in E.164 format, such as +14155550100',
    'FILE:7: has 3 cells, but the header has 4',
    '4 rows were not set. Correct them in the results file, and send it with --only-failed.',
  ]);
  expect(stdout).toContain('1 set, 1 failed, 3 invalid and not sent');
  expect(readResults(file).map(({ line, status, error }) => [line, status, error])).toEqual([
    ['2', 'invalid', ''],
    ['3', 'updated', ''],
    ['5', 'invalid', ''],
    ['6', 'failed', 'call_not_found'],
    ['7', 'invalid', ''],
  ]);
  expect((await getOutcome(world, 'c1')).custom_call_outcome).toBe('two\nlines');
});

it('outcomes push sends nothing with --dry-run, nor with --strict when a row is invalid', async () => {
  const world = await worldWithCalls(1);
  const file = writeTestFile('mixed.csv', `${header}\n${world.agentId},c0,won,1\n${world.agentId},c0,won,one\n`);
  await using proxy = await startProxy();
  const dry = await push(file, { baseUrl: proxy.baseUrl, flags: ['--dry-run'] });
  expect([dry.code, dry.stderr]).toEqual([1, expect.stringContaining('2 rows: 1 valid, 1 invalid. Nothing was sent.')]);
  const strict = await push(file, { baseUrl: proxy.baseUrl, apiKey: world.apiKey, flags: ['--strict'] });
  expect([strict.code, strict.stderr]).toEqual([2, expect.stringContaining('1 row is invalid. Nothing was sent.')]);
  expect(proxy.seen).toEqual([]);
  expect(existsSync(`${file}.results.csv`)).toBe(false);
});

it.each([
  [
    'a misspelt column',
    'a.csv',
    'agentId,callIdOrPhone,custom_call_outcom\na,b,c\n',
    ':1:3: unknown column "custom_call_outcom". The columns are agentId, callIdOrPhone, ',
  ],
  ['a column twice', 'a.csv', 'agentId,callIdOrPhone,agentId\na,b,c\n', ':1:3: duplicate column agentId'],
  ['no agent', 'a.csv', 'callIdOrPhone,custom_call_outcome\na,b\n', ':1: the column agentId is missing'],
  ['nothing to set', 'a.csv', 'agentId,callIdOrPhone\na,b\n', ':1: there is nothing to set'],
  ['a stray quote', 'a.csv', `${header}\na,b,c,1\na,b,"c"d,1\n`, ':3: the rows after this line cannot be separated'],
  [
    'a quote that never ends',
    'a.csv',
    `${header}\na,b,"c,1\na,b,c,1\n`,
    'the rows after this line cannot be separated',
  ],
  [
    'a heading in another encoding',
    'a.csv',
    latin1('callIdOrPhone,agentId,custom_call_metadata.Größe\na,b,c\n'),
    ':1:3: the heading custom_call_metadata.Gr��e is not in UTF-8. Save the file in UTF-8',
  ],
  ['zeros', 'a.csv', Buffer.from(`${header}\na,b,c\0,1\n`), ' is not text in UTF-8 or UTF-16. Save it in UTF-8'],
  ['an empty file', 'a.csv', '', 'is empty. Its first line must be a header'],
  ['another kind of file', 'a.txt', 'hello', 'must be a .csv or .jsonl file'],
])('outcomes push ends before the first row, and says why, with %s', async (_, name, text, message) => {
  const file = writeTestFile(name, text);
  const { code, stderr } = await push(file, { baseUrl, apiKey: newApiKey() });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(stderr).not.toContain('    at ');
});

it('outcomes push ends before the first row without a file, a service or a key, and never shows the key', async () => {
  const file = writeTestFile('a.csv', `${header}\na,b,c,1\n`);
  expect(await push('absent.csv', { baseUrl })).toMatchObject({
    code: 2,
    stderr: 'absent.csv: no such file.\n',
  });
  expect(await push(file, { baseUrl })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Set VAP_API_KEY'),
  });
  expect(await push(file, { baseUrl: 'nowhere' })).toMatchObject({ code: 2 });
  const apiKey = newApiKey();
  const refused = await push(file, { baseUrl, apiKey });
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('401 (The API key is not valid.)') });
  expect(refused.stdout + refused.stderr + readFileSync(`${file}.progress.json`, 'utf8')).not.toContain(apiKey);
  const dead = await push(file, { baseUrl: 'http://127.0.0.1:9', apiKey, flags: ['--retries', '1'] });
  expect(dead).toMatchObject({ code: 3, stderr: expect.stringMatching(/cannot be reached .* Retrying in/) });
});

it('outcomes push retries throttled, failed and lost requests, waits for Retry-After, and misses no row', {
  tags: 'heavy',
}, async () => {
  const world = await worldWithCalls(4);
  await using proxy = await startProxy(async ({ number, forward }) => {
    if (number === 1) return { status: 429, headers: { 'retry-after': '2' }, body: { message: 'Too Many Requests' } };
    if (number === 2) return { status: 503, body: { message: 'Service Unavailable' } };
    if (number === 3) return 'broken';
    if (number > 4) return undefined;
    await forward();
    return 'broken';
  });
  const { code, stderr } = await push(world.file, { baseUrl: proxy.baseUrl, apiKey: world.apiKey });
  expect(code).toBe(0);
  expect(proxy.seen).toHaveLength(5);
  expect(proxy.seen[1]!.at - proxy.seen[0]!.at).toBeGreaterThanOrEqual(2000);
  expect(stderr).toMatch(/429 \(Too Many Requests\)\. Retrying in 2\.\d s/);
  expect(readResults(world.file).map(({ status }) => status)).toEqual(Array(4).fill('updated'));
  expect((await getOutcome(world, 'c3')).custom_call_outcome_value).toBe(3.5);
});

it('outcomes push retries only the rows that failed by a fault of the service, and later rows of the same call after them', async () => {
  const world = await worldWithCalls(2);
  const { agentId } = world;
  const file = writeTestFile(
    'twice.csv',
    `${header}\n${agentId},c0,first,\n${agentId},c1,other,\n${agentId},c0,second,\n`,
  );
  await using proxy = await startProxy(async ({ number, forward }) => {
    if (number > 1) return undefined;
    const { status, body } = await forward();
    const failed = [{ index: 0, error: 'internal_error', message: 'Not now.' }];
    return { status, body: { updated: body.updated.slice(1), failed } };
  });
  expect((await push(file, { baseUrl: proxy.baseUrl, apiKey: world.apiKey })).code).toBe(0);
  expect(proxy.seen[1]?.items).toMatchObject([{ custom_call_outcome: 'first' }, { custom_call_outcome: 'second' }]);
  expect((await getOutcome(world, 'c0')).custom_call_outcome).toBe('second');
  expect(readResults(file).map(({ status }) => status)).toEqual(['updated', 'updated', 'updated']);
});

it('outcomes push gives up after the retries, and continues when it is run again', { tags: 'heavy' }, async () => {
  const world = await worldWithCalls(5);
  const file = manyRows(world, 2500, 5);
  let broken = true;
  await using proxy = await startProxy(({ number }) => {
    return broken && number > 1 ? { status: 500, body: { message: 'Internal Server Error' } } : undefined;
  });
  const options = { baseUrl: proxy.baseUrl, apiKey: world.apiKey, flags: ['--concurrency', '1', '--retries', '1'] };
  const first = await push(file, options);
  expect(first).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Run the same command again to continue.'),
  });
  expect(readResults(file)).toHaveLength(1000);
  broken = false;
  const rows = proxy.rowsSeen();
  const second = await push(file, options);
  expect(second.stderr).toContain('Continuing after row 1,000');
  expect(second.stdout).toContain('2,500 set, 0 failed, 0 invalid and not sent (1,500 rows');
  expect([second.code, proxy.rowsSeen() - rows]).toEqual([0, 1500]);
  expect(readResults(file).map(({ line }) => Number(line))).toEqual(Array.from({ length: 2500 }, (_, row) => row + 2));
});

it('outcomes push starts at the first row when the file has changed since the interruption', async () => {
  const world = await worldWithCalls(5);
  const file = manyRows(world, 2000, 5);
  await using proxy = await startProxy(({ number }) => (number === 2 ? { status: 400, body: {} } : undefined));
  const options = { baseUrl: proxy.baseUrl, apiKey: world.apiKey, flags: ['--concurrency', '1'] };
  expect((await push(file, options)).code).toBe(3);
  writeFileSync(file, `${header}\n${world.agentId},c0,new,\n`);
  const again = await push(file, options);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Starting at the first row') });
  expect(readResults(file)).toHaveLength(1);
});

it('outcomes push keeps the last row of a call, though requests overtake each other', async () => {
  const world = await worldWithCalls(1);
  const { agentId } = world;
  const filler = Array.from({ length: 999 }, (_, row) => `${agentId},absent-${row},x,`);
  const file = writeTestFile(
    'order.csv',
    [header, `${agentId},c0,early,`, ...filler, `${agentId},c0,late,`].join('\n'),
  );
  await using proxy = await startProxy(async ({ items }) => {
    if (items[0].custom_call_outcome === 'early') await sleep(1500);
    return undefined;
  });
  expect((await push(file, { baseUrl: proxy.baseUrl, apiKey: world.apiKey })).code).toBe(1);
  expect((await getOutcome(world, 'c0')).custom_call_outcome).toBe('late');
});

it('outcomes push checks the outcomes by the list of each agent, which it reads once, and names those that are declared', async () => {
  const world = await worldWithCalls(3);
  const outcomes = [{ name: 'Appointment booked' }, { name: 'lost' }];
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { outcomes } } });
  const rows = ['c0,appointment_booked', 'c1,apointment booked', 'c2,LOST'];
  const file = writeTestFile('declared.csv', `${columns}\n${rows.join('\n')}\n`);
  await using proxy = await startProxy();
  const flags = ['--agent-id', world.agentId];
  const { code, stdout, stderr } = await push(file, { baseUrl: proxy.baseUrl, apiKey: world.apiKey, flags });
  expect([code, stdout]).toEqual([1, expect.stringContaining('2 set, 0 failed, 1 invalid and not sent')]);
  const message = 'must be one of "Appointment booked", "lost"';
  expect(stderr).toContain(`${file}:3: custom_call_outcome: ${message}\n`);
  expect(readResults(file).map(({ status, message }) => [status, message])).toEqual([
    ['updated', ''],
    ['invalid', `custom_call_outcome: ${message}`],
    ['updated', ''],
  ]);
  expect(await getOutcome(world, 'c0')).toMatchObject({ custom_call_outcome: 'Appointment booked' });
  expect(proxy.reads).toEqual([`/agents/${world.agentId}`]);
});

it('outcomes push with a key that cannot read agents leaves the check of the outcomes to the service', async () => {
  const world = await worldWithCalls(1);
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { outcomes: [{ name: 'lost' }] } } });
  const { secret: apiKey } = await apiKeys.get().create(world.uid, { name: 'batch', scopes: ['calls'] });
  const { code, stdout, stderr } = await push(world.file, { baseUrl, apiKey });
  expect([code, stdout]).toEqual([1, expect.stringContaining('0 set, 1 failed, 0 invalid and not sent')]);
  expect(stderr).toContain('Only the service checks the outcomes. This API key lacks the scope "agents".\n');
  expect(readResults(world.file)[0]).toMatchObject({
    error: 'unknown_outcome',
    message: 'The agent declares no such outcome, only "lost".',
  });
});

it('outcomes push takes a further column of a field where the first one is empty, and names it for the failed rows', async () => {
  const { agentId, apiKey } = await worldWithCalls(2);
  const text = 'Telefon;ID;Ergebnis\r\n+14155550199;c0;won\r\nc1;;lost\r\n;;none\r\n';
  const file = writeTestFile('crm.csv', text);
  const map = 'ID=callIdOrPhone,Telefon=callIdOrPhone,Ergebnis=custom_call_outcome';
  const { stdout, stderr } = await push(file, { baseUrl, apiKey, flags: ['--agent-id', agentId, '--map', map] });
  expect(stdout).toContain('2 set, 0 failed, 1 invalid and not sent');
  expect(stderr).toContain(':4:2: callIdOrPhone: is missing');
  expect(stderr).toContain('send it with --only-failed --map "Telefon=callIdOrPhone".');
  expect(readFileSync(`${file}.results.csv`, 'utf8')).toContain(`3;updated;${agentId};c1;c1;lost;`);
});

it('outcomes push takes a further field of JSON lines where the first one is empty', async () => {
  const lines = [
    { id: null, phone: '+14155550100', custom_call_outcome: 'won' },
    { id: 'c1', phone: '1' },
  ];
  const file = writeTestFile(
    'crm.jsonl',
    lines.map((line) => JSON.stringify({ custom_call_outcome: 'won', ...line })).join('\n'),
  );
  const map = 'id=callIdOrPhone,phone=callIdOrPhone';
  const { stdout } = await push(file, { baseUrl, flags: ['--dry-run', '--agent-id', 'agent-1', '--map', map] });
  expect(stdout).toContain('2 valid, 0 invalid');
});

it('outcomes push groups many errors by their words, and shows where the first of each are', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => (index % 2 ? `c${index},won,x` : ',won,1'));
  const file = writeTestFile(
    'many.csv',
    `callIdOrPhone,custom_call_outcome,custom_call_outcome_value\n${rows.join('\n')}\n`,
  );
  const { stderr } = await push(file, { baseUrl, flags: ['--dry-run', '--agent-id', 'agent-1'] });
  const number = 'custom_call_outcome_value: is not a number: "x". Use a decimal point and no separators: 1234.5';
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    '30 rows: callIdOrPhone: is missing (lines 2, 4, 6, …)',
    `30 rows: ${number} (lines 3, 5, 7, …)`,
  ]);
  expect(stderr).not.toContain('more error');
});
