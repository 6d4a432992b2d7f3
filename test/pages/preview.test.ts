import { expect, it } from 'vitest';
import {
  countNumbers,
  findColumns,
  findHeadings,
  firstRows,
  layOut,
  readStart,
} from '../../functions/pages/console/numbers/preview.ts';

const preview = async (text: string, country = false) => {
  const start = await readStart(new Blob([text]));
  const layout = layOut(start, findHeadings(start));
  const columns = findColumns(layout);
  const count = (await Array.fromAsync(countNumbers(layout, columns.number, country))).at(-1);
  return { headings: layout.headings, rows: firstRows(layout).map(({ cells }) => cells), columns, count };
};

it('the preview of a file has its headings and its first lines, as the import separates them', async () => {
  const lines = Array.from({ length: 9 }, (_, n) => `Ada;"+49 30 ${n}";"Said ""no"""`);
  const { headings, rows, columns } = await preview(['sep=;', 'Name;Phone;Reason', ...lines].join('\r\n'));
  expect(headings).toEqual({ line: 2, cells: ['Name', 'Phone', 'Reason'] });
  expect(rows[0]).toEqual(['Ada', '+49 30 0', 'Said "no"']);
  expect(rows.length).toBe(4);
  expect(columns).toEqual({ number: 'Phone', reason: 'Reason', expiresAt: '' });
});

it('the preview of a file without headings has its first line among the others', async () => {
  const { headings, rows, count } = await preview('+1 415 555 0100\t2027-01-31\n+1 415 555 0101\t\n');
  expect(headings).toBeUndefined();
  expect(rows).toEqual([
    ['+1 415 555 0100', '2027-01-31'],
    ['+1 415 555 0101', ''],
  ]);
  expect(count).toMatchObject({ readable: 2, unreadable: 0 });
});

const exported = `"Do Not Call List – Northside";;;;
Exported 27.11.2026, by Anna;;;;

Kd-Nr;Name;Telefon;Grund;Datum
10004711;Doe;+14155550101;Rude, loud;27.11.2026
10004712;"Roe
& Sons";030 1234567;;28.11.2026
10004713;Poe;nobody;;28.11.2026
`;

it('the headings are found below a title, the column of numbers by its cells, and unreadable lines with the reason', async () => {
  const found = await preview(exported);
  expect(found.headings?.line).toBe(4);
  expect(found.columns.number).toBe('Telefon');
  expect(found.count).toMatchObject({ readable: 1, unreadable: 2 });
  expect(found.count?.problems).toEqual([
    { line: 6, text: '030 1234567', why: expect.stringContaining('country code') },
    { line: 8, text: 'nobody', why: expect.stringContaining('digits') },
  ]);
  expect((await preview(exported, true)).count).toMatchObject({ readable: 2, unreadable: 1 });
});

it('a heading without a country code in its column is no number, and a file of one column has no headings', async () => {
  expect((await preview('Number\n+14155550101\n+14155550102\n')).headings?.line).toBe(1);
  expect(await preview('12345\n+14155550101\n')).toMatchObject({ headings: undefined, count: { readable: 1 } });
});
