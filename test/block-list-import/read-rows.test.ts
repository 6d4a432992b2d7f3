import { expect, it } from 'vitest';
import { type FileRow, readRows } from '../../functions/block-list-import/read-rows.ts';

async function* inPieces(bytes: Uint8Array, length: number) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

const rowsOf = async (file: string | Uint8Array, length = 7) => {
  const rows: FileRow[] = [];
  for await (const row of readRows(inPieces(Buffer.from(file), length))) rows.push(row);
  return rows;
};
const cellsOf = async (file: string | Uint8Array, length?: number) =>
  (await rowsOf(file, length)).map(({ line, number, reason, expiresAt }) => [line, number, reason, expiresAt]);

it.each([1, 2, 3, 1000])(
  'rows of a text file are its lines with any line ending, read %i bytes at a time',
  async (length) => {
    const text = '\ufeff\r\n+1 415 555 0100\r\n\n   \n+2\r+3é\n\r\n+4';
    expect((await rowsOf(text, length)).map(({ line, number }) => [line, number])).toEqual([
      [2, '+1 415 555 0100'],
      [5, '+2'],
      [6, '+3é'],
      [8, '+4'],
    ]);
    expect(await rowsOf('+1\r', length)).toEqual([{ line: 1, number: '+1' }]);
    expect(await rowsOf('', length)).toEqual([]);
    expect(await rowsOf('\n\r\n \n', length)).toEqual([]);
  },
);

it.each([1, 5, 1000])(
  'rows of a CSV file are the records below its header, read %i bytes at a time',
  async (length) => {
    const csv =
      '\ufeff\n"Number", reason ,expiresAt,\r\n+1,"a\r\nb, ""c""",2030-01-01T00:00:00Z\n\n+2\r\n,,\n"+3",a"b"\r\n';
    expect(await cellsOf(csv, length)).toEqual([
      [3, '+1', 'a\r\nb, "c"', '2030-01-01T00:00:00Z'],
      [6, '+2', undefined, undefined],
      [7, '', '', ''],
      [8, '+3', 'a"b"', undefined],
    ]);
    expect(await cellsOf('reason;number\nx;+1\n', length)).toEqual([[2, '+1', 'x', undefined]]);
    expect(await cellsOf('number\treason\n+1\tx, y', length)).toEqual([[2, '+1', 'x, y', undefined]]);
    expect(await cellsOf('number\n+1\n+2', length)).toEqual([
      [2, '+1', undefined, undefined],
      [3, '+2', undefined, undefined],
    ]);
    expect(await cellsOf('number', length)).toEqual([]);
  },
);

it.each([
  ['UTF-16 with its mark', Buffer.from('\ufeff+14155550100\n', 'utf16le'), /not text in UTF-8/],
  ['UTF-16 without it', Buffer.from('+14155550100\n', 'utf16le'), /not text in UTF-8/],
  ['Latin-1', Buffer.from('number,reason\n+14155550100,caf\xe9\n', 'latin1'), /not text in UTF-8/],
  ['a character that is cut off', Buffer.from('+1\né').subarray(0, 4), /not text in UTF-8/],
  ['a header with an unknown column', 'number,reason,expires\n+14155550100,,2027-01-01\n', /a column "expires"/],
  ['a header without a number', 'phone,reason\n+14155550100,x\n', /none is named "number"/],
  ['a quote that is not closed', 'number,reason\n+1,x\n+2,"x\n+3,y\n', /line \d.*quote is not closed/],
  ['text after a quote', 'number,reason\n+1,"a"b\n', /line 2: there is text after a closing quote/],
  ['an endless line', `+1\n${'1'.repeat(70_000)}\n`, /Line 2 .* longer than 64 KB/],
  ['an endless row of separators', `number,reason\n+1${','.repeat(300_000)}\n`, /A line .* longer than 64 KB/],
  ['an endless record', `number,reason\n+1,${'x'.repeat(70_000)}\n`, /Line 2 .* longer than 64 KB/],
])('a file has no rows in %s', async (_, file, message) => {
  await expect(rowsOf(file)).rejects.toThrow(message);
  await expect(rowsOf(file, 100_000)).rejects.toThrow(message);
});

it('rows of a text file are numbers, even if the first one has commas or is invalid', async () => {
  expect((await rowsOf('12345\n+14155550100\n')).map(({ number }) => number)).toEqual(['12345', '+14155550100']);
});

it('rows of a file without a line break are refused at once, however long it is', async () => {
  const file = Buffer.alloc(3_000_000, 'a');
  const before = process.cpuUsage();
  await expect(rowsOf(file, 16_384)).rejects.toThrow('Line 1 of the file is longer than 64 KB.');
  await expect(rowsOf(Buffer.concat([Buffer.alloc(3_000_000, '\n'), file]), 16_384)).rejects.toThrow(
    'Line 3000001 of the file is longer than 64 KB.',
  );
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(5);
});
