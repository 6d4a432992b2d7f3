import { expect, it } from 'vitest';
import { readDocument } from '../../functions/extraction/document-texts.ts';
import { readPage } from '../../functions/extraction/page.ts';
import { ReadingBudget } from '../../functions/extraction/reading-budget.ts';
import { makeStream, pdfOfPage, rawDocx, type ZipEntry } from '../support/documents.ts';

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const cell = (text: string) => `<w:tr><w:tc>${paragraph(text)}</w:tc></w:tr>`;
const first = paragraph('The first paragraph.');
const last = paragraph('The last paragraph.');
const empty = '<w:p/>'.repeat(30_000);
const properties = `<w:p><w:pPr>${'<w:jc w:val="a"/>'.repeat(200_000)}</w:pPr></w:p>`;

const styles = (count: number): ZipEntry => ({
  name: 'word/styles.xml',
  data: `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${'<w:style w:type="paragraph" w:styleId="a"/>'.repeat(count)}</w:styles>`,
});

const pageOfPdf = (contents: string) =>
  pdfOfPage({
    contents,
    resources: '/Font<</F1 5 0 R>>/XObject<</X 6 0 R>>',
    objects: [
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      makeStream(
        `BT /F1 10 Tf (${'drawn '.repeat(10)}) Tj ET`,
        '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F1 5 0 R>>>>',
      ),
    ],
  });

const extractText = (text: string) => `BT /F1 10 Tf 9 90 Td (${text}) Tj ET `;
const cut = [{ code: 'cut', message: expect.stringContaining('too many elements') }];

it.each([
  ['empty paragraphs', rawDocx(first + empty + last)],
  ['rows of one table', rawDocx(`${first}<w:tbl>${'<w:tr/>'.repeat(30_000)}</w:tbl>${last}`)],
  ['properties', rawDocx(first + properties + last)],
  ['breaks of a line', rawDocx(`${first}<w:p><w:r>${'<w:cr/>'.repeat(30_000)}</w:r></w:p>${last}`)],
])(
  'a Word document of 10 KB with too many %s is read up to them, with a warning',
  { tags: 'heavy' },
  async (_, bytes) => {
    expect(bytes.length).toBeLessThan(10_240);
    const read = await readDocument(new Uint8Array(bytes), 'docx');
    expect(read).toMatchObject({ content: expect.stringMatching(/^The first paragraph\./), warnings: cut });
    expect(read).not.toMatchObject({ content: expect.stringContaining('The last') });
  },
);

it('a table with more rows than are read keeps the first ones', { tags: 'heavy' }, async () => {
  const read = await readDocument(
    new Uint8Array(rawDocx(`<w:tbl>${cell('in a cell').repeat(30_000)}</w:tbl>`)),
    'docx',
  );
  expect(read).toMatchObject({ warnings: cut });
  const rows = 'content' in read ? read.content.match(/in a cell/g)?.length : 0;
  expect(rows).toBeGreaterThan(1000);
  expect(rows).toBeLessThan(10_000);
});

it('the files that all parts of a Word document share are paid for by each part', { tags: 'heavy' }, async () => {
  const parts = paragraph('x'.repeat(1000)).repeat(600);
  const bytes = new Uint8Array(rawDocx(parts + last, [styles(20_000)]));
  expect(await readDocument(bytes.slice(), 'docx')).toMatchObject({
    content: expect.stringMatching(/^x/),
    warnings: cut,
  });
  const few = await readDocument(new Uint8Array(rawDocx(parts + last, [styles(500)])), 'docx');
  expect(few).toMatchObject({ content: expect.stringContaining('The last') });
  expect(few).not.toHaveProperty('warnings');
});

it.each([
  ['elements', '<wbr>'.repeat(30_000)],
  ['attributes', `<p ${'a b c d e f g h i j k l'.split(' ').join(' ')}>`.repeat(12_000)],
])('a page with too many %s is read up to them, with a warning', (_, more) => {
  const bytes = Buffer.from(`<!doctype html><p>The first paragraph.${more}<p>The last paragraph.`);
  const page = readPage({ url: 'https://example.com/', contentType: 'text/html', bytes });
  expect(page).toMatchObject({ text: expect.stringMatching(/^The first paragraph\./), warnings: cut });
  expect(page).not.toMatchObject({ text: expect.stringContaining('The last') });
});

it('a PDF that draws a text too many times is read up to a limit, with a warning', { tags: 'heavy' }, async () => {
  const bytes = new Uint8Array(
    pageOfPdf(`${extractText('The first text.')}${'/X Do '.repeat(20_000)}${extractText('The last')}`),
  );
  const read = await readDocument(bytes, 'pdf');
  const { content, warnings } = 'content' in read ? read : { content: '', warnings: [] };
  expect([content.includes('The first text.'), content.includes('The last'), warnings]).toEqual([true, false, cut]);
});

it('a budget grows with its file, and leaves out everything after the first element that it cannot pay', () => {
  const countSteps = (megabytes: number) => new ReadingBudget(megabytes * 1024 * 1024).left;
  expect([countSteps(0.01), countSteps(1), countSteps(10)]).toEqual([100_000, 500_000, 1_200_000]);
  const budget = new ReadingBudget(1);
  expect([budget.take(99_999), budget.take(2), budget.take(1)]).toEqual([true, false, false]);
  expect(budget.warnings).toMatchObject(cut);
  expect(new ReadingBudget(1).warnings).toEqual([]);
});
