import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { newApiKey } from '../../../functions/domain/api-keys.ts';
import { withFastTimers } from '../../support/captured-run.ts';
import { getOutcome, header, worldWithCalls } from '../../support/outcome-files.ts';
import { push, writeTestFile } from '../../support/outcomes-tool.ts';
import { target } from '../../support/world.ts';

const { baseUrl } = target;

/** Starts a service that manages only so many items at once, over all of its requests. */
const startSlowService = async (maxItems: number, respond: 'error' | 'some') => {
  const sizes: number[] = [];
  let running = 0;
  let maxRunning = 0;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.writeHead(401).end('{}');
    const { items } = JSON.parse(await text(request)) as { items: { callIdOrPhone: string }[] };
    running += items.length;
    sizes.push(items.length);
    maxRunning = Math.max(maxRunning, running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const done = running <= maxItems ? items.length : respond === 'some' ? Math.min(maxItems, items.length) : 0;
    running -= items.length;
    const result = (_: unknown, index: number) => ({ index, call_id: `c${index}`, phone: null, updated_fields: [] });
    const failed = (index: number) => ({ index, error: 'temporarily_unavailable', message: 'Send it again.' });
    response.writeHead(done === 0 ? 500 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        done === 0
          ? { error: 'internal_error', message: 'Try again.' }
          : {
              updated: items.slice(0, done).map(result),
              failed: items.slice(done).map((_, index) => failed(done + index)),
            },
      ),
    );
  });
  const { endpoint: baseUrl, stop } = await listen(server);
  return { baseUrl, sizes, [Symbol.asyncDispose]: stop };
};

const makeRows = (count: number) =>
  writeTestFile(
    'slow.csv',
    [header, ...Array.from({ length: count }, (_, n) => `front-desk,c${n},won,${n}`), ''].join('\n'),
  );

it.each(['error', 'some'] as const)(
  'outcomes push to a slow service halves its requests until they succeed, and then grows again: %s',
  async (respond) => {
    await using service = await startSlowService(300, respond);
    const file = makeRows(6000);
    const options = { baseUrl: service.baseUrl, apiKey: newApiKey() };
    const { code, stdout, stderr } = await withFastTimers(() => push(file, options));
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining('6,000 set, 0 failed, 0 invalid')]);
    expect(service.sizes[0]).toBe(1000);
    const reduced = service.sizes.slice(service.sizes.findIndex((size) => size <= 250));
    expect(reduced[0]).toBeLessThanOrEqual(250);
    expect(Math.max(...reduced)).toBeGreaterThan(reduced[0] as number);
  },
);

it('outcomes push reads decimal commas, other headings and national numbers, and writes its results as the spreadsheet did', async () => {
  const world = await worldWithCalls(1);
  const { agentId } = world;
  await world.recordCall('german', { phone: '+491512345678' });
  const lines = [
    'Telefon;Ergebnis;custom_call_outcome_value;custom_call_metadata.Notiz;Datum',
    '0151 2345678;gewonnen;1.249,99;größer;26.11.',
    '0151/0000001;verloren;149,00;;27.11.',
  ];
  const csv = `\ufeff${lines.join('\r\n')}\r\n`;
  for (const [encoding, name] of [
    ['utf8', 'de.csv'],
    ['utf16le', 'unicode.csv'],
  ] as const) {
    const file = writeTestFile(name, Buffer.from(csv, encoding));
    const flags = [
      '--agent-id',
      agentId,
      '--country',
      'de',
      '--map',
      'Telefon=callIdOrPhone,Ergebnis=custom_call_outcome',
      '--ignore-unknown',
    ];
    const { code, stdout, stderr } = await push(file, { baseUrl, apiKey: world.apiKey, flags });
    expect([code, stdout], stderr).toEqual([1, expect.stringContaining('1 set, 1 failed, 0 invalid')]);
    expect(await getOutcome(world, 'german')).toMatchObject({
      custom_call_outcome: 'gewonnen',
      custom_call_outcome_value: 1249.99,
      custom_call_metadata: { Notiz: 'größer' },
    });
    const results = readFileSync(`${file}.results.csv`).toString(encoding);
    expect(results).toMatch(/^\ufeffline;status;agentId;callIdOrPhone;custom_call_outcome;/);
    expect(results).toContain(`;gewonnen;1.249,99;größer;26.11.;`);
    expect(results.split('\r\n')).toHaveLength(4);
    // The advice names the options that the results file needs.
    const [, advised = ''] = /send it with (.+)\.$/.exec(stderr.trim()) ?? [];
    expect(advised).toBe('--only-failed --country DE');
    const again = await push(`${file}.results.csv`, { baseUrl, apiKey: world.apiKey, flags: advised.split(' ') });
    expect(again.stdout).toContain('0 set, 1 failed, 0 invalid');
  }
});

it('a value of a JSON line that would be rounded is invalid', async () => {
  const line = '{"agentId":"a","callIdOrPhone":"c","value":9007199254740993}\n';
  const flags = ['--dry-run', '--map', 'value=custom_call_outcome_value'];
  const { code, stderr } = await push(writeTestFile('values.jsonl', line), { baseUrl, flags });
  expect([code, stderr]).toEqual([1, expect.stringContaining('has more digits than a number keeps')]);
});

it.each(['Phone\u00a0No', '\u200bPhone No', 'Phone  No', 'Phone\u202fNo\u00ad'])(
  'outcomes push finds the column %j, and one that is named as its field, by what people see',
  async (heading) => {
    const file = writeTestFile('crm.csv', `agentId\u200b,${heading},custom_call_outcome\na,+14155550100,won\n`);
    const flags = ['--dry-run', '--map', 'Phone No=callIdOrPhone'];
    expect(await push(file, { baseUrl, flags })).toMatchObject({ code: 0, stderr: '' });
  },
);

it.each([
  ['1.249', [], 'is ambiguous: "1.249". Use --decimal-comma or --no-decimal-comma'],
  ['1,249.5', [], 'is not a number: "1,249.5". Use a decimal comma: 1234,5'],
  ['149.5', ['--decimal-comma'], 'is not a number: "149.5". Use a decimal comma: 1234,5'],
  ['149,5', ['--no-decimal-comma'], 'is not a number: "149,5". Use --decimal-comma'],
  ['149.5', [], undefined],
  ['149,00 €', [], undefined],
  ['-€ 1.480,50', [], undefined],
  ['1.249,00 EUR', [], undefined],
  ['CHF -12', [], undefined],
  ['12 PCS', [], 'is not a number: "12 PCS". Use a decimal comma: 1234,5'],
  ['€€ 5', [], 'is not a number: "€€ 5". Use a decimal comma: 1234,5'],
  ['1.249', ['--decimal-comma'], undefined],
  ['1.249', ['--no-decimal-comma'], undefined],
  ['12345678901234567890', [], 'has more digits than a number keeps: "12345678901234567890"'],
  ['0,12345678901234567890', [], 'has more digits than a number keeps: "0.12345678901234567890"'],
])('in a spreadsheet with semicolons, the value %s with %j: %s', async (value, flags, error) => {
  const file = writeTestFile('values.csv', `agentId;callIdOrPhone;custom_call_outcome_value\na;c;${value}\n`);
  const { code, stderr } = await push(file, { baseUrl, flags: ['--dry-run', ...flags] });
  expect(code).toBe(error ? 1 : 0);
  if (error) expect(stderr).toContain(`custom_call_outcome_value: ${error}\n`);
});

it('outcomes push refuses the rows whose amount is in another currency than the first', async () => {
  const amounts = ['12', '€ 149,50', '5', '149,50 $', '＄ 7', '- 3', '3 €', '£ 5 €', '4 EUR', 'USD 4'];
  const rows = amounts.map((amount, index) => `a;c${index};${amount}\n`).join('');
  const file = writeTestFile('currencies.csv', `agentId;callIdOrPhone;custom_call_outcome_value\n${rows}`);
  const { code, stderr } = await push(file, { baseUrl, flags: ['--dry-run'] });
  const refused = (line: number, amount: string, sign: string) =>
    `${file}:${line}:3: custom_call_outcome_value: has the currency ${sign}, but line 3 has €: "${amount}". Send a file for each currency`;
  expect([code, stderr.trim().split('\n')]).toEqual([
    1,
    [
      refused(5, '149,50 $', '$'),
      refused(6, '＄ 7', '$'),
      expect.stringContaining(':7:3: custom_call_outcome_value: is not a number'),
      refused(9, '£ 5 €', '£'),
      refused(11, 'USD 4', 'USD'),
      '10 rows: 5 valid, 5 invalid. Nothing was sent.',
    ],
  ]);
});

it('outcomes push tells how often a file names a call again, and names a mistake of quotes in its own words', async () => {
  const twice = writeTestFile('twice.csv', `${header}\na,c,x,1\na,c,y,2\n`);
  const { stderr } = await push(twice, { baseUrl, flags: ['--dry-run'] });
  expect(stderr).toContain('1 row names a call of an earlier row: the last row of a call wins.');
  const broken = writeTestFile('broken.csv', `${header}\na,"b"c,x,1\n`);
  const result = await push(broken, { baseUrl, flags: ['--dry-run'] });
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('text follows a closing quote')]);
});
