import { expect, it } from 'vitest';
import { decodeSheet, encodeUtf8, NotTextError, showUnreadable } from '../../functions/sheets/decode-sheet.ts';

async function* inPieces(bytes: Uint8Array, length: number) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

const decode = async (bytes: Uint8Array, length: number) =>
  (await Array.fromAsync(decodeSheet(inPieces(bytes, length)))).join('');

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

it.each([
  ['Windows-1252', Buffer.from('Größe;Müller\r\n', 'latin1'), 'Gr��e;M�ller\r\n'],
  ['UTF-8', Buffer.from('Größe – 東京 😀 \ufffd'), 'Größe – 東京 😀 \ufffd'],
  ['UTF-8 with a mark', Buffer.from('\ufeffü\ufeff'), 'ü\ufeff'],
  ['UTF-8 with one other byte', hex('c3bc fc c3bc'), 'ü�ü'],
  ['a character that is cut off by another', hex('f09f98 c3bc 31'), '���ü1'],
  ['a character that is cut off by the end', hex('31 e69d'), '1��'],
  ['bytes that UTF-8 never has', hex('31 c1bf ff 80 f5808080 eda080'), `1${'�'.repeat(11)}`],
])('a sheet in %s has � for each byte that is not UTF-8, and is written as it was', async (_, bytes, shown) => {
  for (const length of [1, 2, 3, 5, 1000]) {
    const text = await decode(bytes, length);
    expect(showUnreadable(text)).toBe(shown);
    const mark = bytes[0] === 0xef ? '\ufeff' : '';
    expect(encodeUtf8(mark + text).equals(bytes)).toBe(true);
  }
});

it.each([
  ['a zero late in the text', Buffer.from(`number\n${'+14155550100\n'.repeat(1000)}\0`)],
  ['a character cut off in UTF-16', Buffer.from('\ufeffnumber\n', 'utf16le').subarray(0, -1)],
])('a file is no sheet with %s', async (_, bytes) => {
  for (const length of [1, 1000]) await expect(decode(bytes, length)).rejects.toThrow(NotTextError);
});
