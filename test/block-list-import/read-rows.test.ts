import { expect, it } from 'vitest';
import { type FileRow, readRows } from '../../functions/block-list-import/read-rows.ts';

async function* inPieces(bytes: Uint8Array, length: number) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

const collectRows = async (file: string | Uint8Array, length = 7) => {
  const rows: FileRow[] = [];
  for await (const row of readRows(inPieces(Buffer.from(file), length))) rows.push(row);
  return rows;
};
const readCells = async (file: string | Uint8Array, length?: number) =>
  (await collectRows(file, length)).map(({ line, number, reason, expiresAt }) => [line, number, reason, expiresAt]);

it.each([
  'Phone\u00a0Number',
  'Phone\u202fNumber',
  '\u200bPhone  Number',
  'PHONE\u3000NUMBER\u200e',
  'Phone \u00adNumber',
])('the column %j is found by the name that people see', async (heading) => {
  const rows: FileRow[] = [];
  const file = Buffer.from(`Id,${heading}\n1,+14155550104\n`);
  for await (const row of readRows(inPieces(file, 7), { number: 'Phone Number' })) rows.push(row);
  expect(rows).toMatchObject([{ line: 2, number: '+14155550104' }]);
});

it('a column is named number, too, with signs that nobody sees', async () => {
  expect(await readCells('reason,\u200bnumber\u00a0\nStop,+14155550104\n')).toEqual([
    [2, '+14155550104', 'Stop', undefined],
  ]);
});

it.each([1, 2, 3, 1000])(
  'rows of a text file are its lines with any line ending, read %i bytes at a time',
  async (length) => {
    const text = '\ufeff\r\n+1 415 555 0100\r\n\n   \n+2\r+3é\n\r\n+4';
    expect((await collectRows(text, length)).map(({ line, number }) => [line, number])).toEqual([
      [2, '+1 415 555 0100'],
      [5, '+2'],
      [6, '+3é'],
      [8, '+4'],
    ]);
    expect(await collectRows('+1\r', length)).toEqual([{ line: 1, number: '+1' }]);
    expect(await collectRows('', length)).toEqual([]);
    expect(await collectRows('\n\r\n \n', length)).toEqual([]);
  },
);

it.each([1, 5, 1000])(
  'rows of a CSV file are the records below its header, read %i bytes at a time',
  async (length) => {
    const csv =
      '\ufeff\n"Number", reason ,expiresAt,\r\n+1,"a\r\nb, ""c""",2030-01-01T00:00:00Z\n\n+2\r\n,,\n"+3",a"b"\r\n';
    expect(await readCells(csv, length)).toEqual([
      [3, '+1', 'a\r\nb, "c"', '2030-01-01T00:00:00Z'],
      [6, '+2', undefined, undefined],
      [8, '+3', 'a"b"', undefined],
    ]);
    expect(await readCells('reason;number\nx;+1\n', length)).toEqual([[2, '+1', 'x', undefined]]);
    expect(await readCells('number\treason\n+1\tx, y', length)).toEqual([[2, '+1', 'x, y', undefined]]);
    expect(await readCells('number\n+1\n+2', length)).toEqual([
      [2, '+1', undefined, undefined],
      [3, '+2', undefined, undefined],
    ]);
    expect(await readCells('number', length)).toEqual([]);
  },
);

it.each([
  ['binary data', Buffer.from('+1\0\0\0\n'), /not text in UTF-8 or UTF-16/],
  ['a column twice', 'number,number\n+14155550301,+14155550302\n', /several columns "number"/],
  ['a reason twice', 'number;reason;Reason\n+14155550301;a;b\n', /several columns "reason"/],
  ['a workbook', Buffer.from('PK\x03\x04\x14\0\x06\0', 'latin1'), /not text in UTF-8/],
  ['a PDF', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n', 'latin1'), /not text in UTF-8/],
  ['a header with an unknown column', 'number,reason,expires\n+14155550100,,2027-01-01\n', /a column "expires"/],
  ['a header without a number', 'phone,reason\n+14155550100,x\n', /none is named "number"/],
  ['a quote that is not closed', 'number,reason\n+1,x\n+2,"x\n+3,y\n', /line \d.*a quote is never closed/],
  ['text after a quote', 'number,reason\n+1,"a"b\n', /line 2: text follows a closing quote/],
  ['an endless line', `+1\n${'1'.repeat(70_000)}\n`, /Line 2 .* longer than 64 KB/],
  ['an endless row of separators', `number,reason\n+1${','.repeat(300_000)}\n`, /A line .* longer than 64 KB/],
  ['an endless record', `number,reason\n+1,${'x'.repeat(70_000)}\n`, /Line 2 .* longer than 64 KB/],
])('a file has no rows in %s', async (_, file, message) => {
  await expect(collectRows(file)).rejects.toThrow(message);
  await expect(collectRows(file, 100_000)).rejects.toThrow(message);
});

it('rows of a file in Windows-1252 are read by the columns that are needed', async () => {
  const file = Buffer.from('Größe;Telefon;Name\n1;+14155550100;Müller\n2;+14155550101;\n', 'latin1');
  for (const length of [1, 1000]) {
    const rows = await Array.fromAsync(readRows(inPieces(file, length), { number: 'Telefon' }));
    expect(rows.map(({ line, number }) => [line, number])).toEqual([
      [2, '+14155550100'],
      [3, '+14155550101'],
    ]);
  }
  const rows = readRows(inPieces(file, 7), { number: 'Größe' });
  await expect(rows.next()).rejects.toThrow(
    'The file has no column "Größe". Its headings seem to be: "Gr��e", "Telefon", "Name". That row is not in UTF-8: save the file in UTF-8',
  );
});

const withTitle =
  '"Do Not Call List, Northside";;;\nExported 27.11.2026;;;\n\nKd-Nr;Name;Telefon;Grund\n10001;"A, B";+14155550101;Rude, very\n10002;;+14155550102;\n';

it('the headings of named columns may be below a title', async () => {
  for (const length of [1, 1000]) {
    const rows = await Array.fromAsync(
      readRows(inPieces(Buffer.from(withTitle), length), { number: 'telefon', reason: 'Grund' }),
    );
    expect(rows.map(({ line, number, reason }) => [line, number, reason])).toEqual([
      [5, '+14155550101', 'Rude, very'],
      [6, '+14155550102', ''],
    ]);
  }
  await expect(readRows(inPieces(Buffer.from(withTitle), 7), { number: 'Phone' }).next()).rejects.toThrow(
    'The file has no column "Phone". Its headings seem to be: "Kd-Nr", "Name", "Telefon", "Grund".',
  );
});

const utf16le = (text: string) => Buffer.from(text, 'utf16le');

it.each([
  ['UTF-16 with its mark', utf16le('\ufeffnumber\treason\r\n+14155550100\tä\r\n')],
  ['UTF-16 without it', utf16le('number\treason\r\n+14155550100\tä\r\n')],
  ['UTF-16BE with its mark', utf16le('\ufeffnumber\treason\r\n+14155550100\tä\r\n').swap16()],
  ['UTF-16BE without it', utf16le('number\treason\r\n+14155550100\tä\r\n').swap16()],
  ['a quoted header', '"number";"reason";""\n+14155550100;ä;\n'],
  ['formulas for its texts', 'number,reason\n"=""+14155550100""","=""ä"""\n'],
  ['unquoted formulas', 'number,reason\n="+14155550100",="ä"\n'],
])('rows of a file are read from %s', async (_, file) => {
  for (const length of [1, 7, 1000])
    expect(await readCells(file, length)).toEqual([[2, '+14155550100', 'ä', undefined]]);
});

it.each([
  ['a header', 'sep=;\r\nnumber;reason\r\n+14155550100;x\r\n', [[3, '+14155550100', 'x', undefined]]],
  ['a header with tabs', 'sep=\t\nnumber\treason\n+1,5\tx\n', [[3, '+1,5', 'x', undefined]]],
  ['a header, in quotes', '"sep=,"\nnumber,reason\n+14155550100,x\n', [[3, '+14155550100', 'x', undefined]]],
  [
    'numbers',
    '\ufeffSEP=;\n+14155550100\n+14155550101\n',
    [
      [2, '+14155550100'],
      [3, '+14155550101'],
    ],
  ],
])('a first line that names the separator is no row, before %s', async (_, file, rows) => {
  for (const length of [1, 1000]) {
    const cells = await readCells(file, length);
    expect(cells.map((row) => row.slice(0, rows[0]?.length))).toEqual(rows);
  }
});

it('a row with a cell that has no heading is marked, since it may be another number', async () => {
  const file = 'number,reason,\n+1,x,\n+2,,+3\n+4,called twice, angry\n+5,x,,\n+6,x,,+7\n';
  expect((await collectRows(file)).map(({ number, hasMore = false }) => [number, hasMore])).toEqual([
    ['+1', false],
    ['+2', true],
    ['+4', true],
    ['+5', false],
    ['+6', true],
  ]);
});

it('rows of a text file are numbers, even if the first one has commas or is invalid', async () => {
  expect((await collectRows('12345\n+14155550100\n')).map(({ number }) => number)).toEqual(['12345', '+14155550100']);
});

it('rows of a file without a line break are refused at once, however long it is', async () => {
  const file = Buffer.alloc(3_000_000, 'a');
  const before = process.cpuUsage();
  await expect(collectRows(file, 16_384)).rejects.toThrow('Line 1 of the file is longer than 64 KB.');
  await expect(collectRows(Buffer.concat([Buffer.alloc(3_000_000, '\n'), file]), 16_384)).rejects.toThrow(
    'Line 3000001 of the file is longer than 64 KB.',
  );
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(5);
});
