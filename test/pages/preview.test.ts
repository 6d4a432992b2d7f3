import { expect, it } from 'vitest';
import { likelyColumns, readPreview } from '../../functions/pages/console/numbers/preview.ts';

const preview = (text: string) => readPreview(new Blob([text]));

it('the preview of a file has its headings and its first six lines, as the import separates them', async () => {
  const lines = Array.from({ length: 9 }, (_, n) => `Ada;"+49 30 ${n}";"Said ""no"""`);
  const { headings, rows } = await preview(['sep=;', 'Name;Phone;Reason', ...lines].join('\r\n'));
  expect(headings).toEqual(['Name', 'Phone', 'Reason']);
  expect(rows[0]).toEqual(['Ada', '+49 30 0', 'Said "no"']);
  expect(rows.length).toBe(4);
  expect(likelyColumns({ headings, rows })).toEqual({ number: 'Phone', reason: 'Reason', expiresAt: '' });
});

it('the preview of a file without headings has its first line among the others', async () => {
  const found = await preview('+1 415 555 0100\t2027-01-31\n+1 415 555 0101\t\n');
  expect(found).toEqual({
    headings: [],
    rows: [
      ['+1 415 555 0100', '2027-01-31'],
      ['+1 415 555 0101', ''],
    ],
  });
});
