import { deflateSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readDocument } from '../../functions/extraction/document-texts.ts';
import { readDocx } from '../../functions/extraction/docx.ts';
import { readPage } from '../../functions/extraction/page.ts';
import { ReadingBudget, readingMilliseconds } from '../../functions/extraction/reading-budget.ts';
import { makeStream, pdfOfObjects, pdfOfPage, rawDocx, type ZipEntry } from '../support/documents.ts';

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
  expect([countSteps(0), countSteps(1), countSteps(10)]).toEqual([50_000, 550_000, 1_200_000]);
  const budget = new ReadingBudget(0);
  expect([budget.take(49_999), budget.take(2), budget.take(1)]).toEqual([true, false, false]);
  expect(budget.warnings).toMatchObject(cut);
  expect(new ReadingBudget(0).warnings).toEqual([]);
});

it('a budget is spent when its thread has taken the time of all its steps, and what can be left out gets half of it', async () => {
  let milliseconds = 0;
  const clock = vi
    .spyOn(process, 'threadCpuUsage')
    .mockImplementation(() => ({ user: milliseconds * 1000, system: 0 }));
  onTestFinished(() => clock.mockRestore());
  const budget = new ReadingBudget(0);
  const spare = () => budget.spare(async () => 'done');
  expect(await spare()).toBe('done');
  milliseconds = readingMilliseconds(0) * 0.6;
  expect([await spare(), budget.isOver(), budget.isSpent]).toEqual([undefined, false, false]);
  milliseconds = readingMilliseconds(0) * 1.1;
  expect([budget.isOver(), budget.take(1), budget.warnings]).toMatchObject([true, false, cut]);
});

it('attributes that no element has are dear: four tags with twenty thousand end a page', () => {
  const attributes = Array.from({ length: 20_000 }, (_, n) => `a${n}`).join(' ');
  const read = (tag: string) => {
    const bytes = Buffer.from(`<!doctype html><p>The first paragraph.${tag}<p>The last paragraph.`);
    return readPage({ url: 'https://example.com/', contentType: 'text/html', bytes });
  };
  const some = read(`<b ${attributes.slice(0, 1000)}>words</b>`);
  expect(some).toMatchObject({ text: expect.stringContaining('The last'), warnings: [] });
  const many = read(`<b ${attributes}>words</b>`.repeat(4));
  expect(many).toMatchObject({ text: expect.not.stringContaining('The last'), warnings: cut });
});

const emptyForm = '/Type/XObject/Subtype/Form/BBox[0 0 9 9]';
/** Forms that draw all forms of the next level, and no text: they are eight to the power of six. */
const levels = 6;
const width = 8;
const forms = Array.from({ length: levels * width }, (_, n) => {
  const next = (Math.floor(n / width) + 1) * width;
  const names = Array.from({ length: n < (levels - 1) * width ? width : 0 }, (_, form) => next + form);
  const resources = names.map((form) => `/X${form} ${form + 6} 0 R`).join('');
  return makeStream(
    names.map((form) => `/X${form} Do `).join(''),
    `${emptyForm}/Resources<</XObject<<${resources}>>>>`,
  );
});

it.each([
  ['draws a form that is missing', { contents: '/Y Do '.repeat(4_000_000), forms: [] }],
  ['has states without end', { contents: 'q '.repeat(12_000_000), forms: [] }],
  [
    'draws forms that draw forms',
    { contents: Array.from({ length: width }, (_, form) => `/X${form} Do `).join(''), forms },
  ],
])(
  'a PDF that %s is read until its time is over, with a warning',
  { tags: 'heavy' },
  async (_, { contents, forms }) => {
    const text = `${extractText('The first text.')}${extractText('The second text.')}${contents}`;
    const names = forms.map((_, form) => `/X${form} ${form + 6} 0 R`).join('');
    const resources = `<</Font<</F1 5 0 R>>/XObject<<${names}>>>>`;
    const page = pdfOfObjects([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources${resources}/Contents 4 0 R>>`,
      makeStream(deflateSync(text).toString('latin1'), '/Filter/FlateDecode'),
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      ...forms,
    ]);
    const read = await readDocument(new Uint8Array(page), 'pdf');
    expect(read).toMatchObject({ content: expect.stringContaining('The first text.'), warnings: cut });
  },
);

const readHtml = (html: string) =>
  readPage({ url: 'https://example.com/', contentType: 'text/html', bytes: Buffer.from(`<!doctype html>${html}`) });

it('a line with more marks of Markdown than the library can compare keeps its words', () => {
  const words = Array.from({ length: 3000 }, (_, n) => `<b>w${n}</b><i>x</i>`).join('');
  expect(readHtml(`<p>${words}<p>The <b>last</b> paragraph.`)).toMatchObject({
    text: expect.stringContaining('w2999x'),
    markdown: expect.stringMatching(/w2999x\n\nThe \*\*last\*\* paragraph\.$/),
    warnings: [],
  });
});

it('elements that nest deeper than those of pages keep their words in their order', () => {
  const html = `${'<div>'.repeat(3000)}one <b>two</b>${'</div>'.repeat(2900)} three`;
  expect(readHtml(html)).toMatchObject({ text: expect.stringMatching(/^one two\s+three$/), warnings: [] });
});

const documentRelationships = (type: string, target: string): ZipEntry => ({
  name: 'word/_rels/document.xml.rels',
  data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`,
});
const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const importPart =
  '<w:altChunk xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="r"/>';
const importing = (html: string, times = 1) =>
  rawDocx(first + importPart.repeat(times), [
    documentRelationships('aFChunk', 'part.html'),
    { name: 'word/part.html', data: `<!doctype html><meta charset="utf-8"><body>${html}` },
  ]);
const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const each = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join('');
const notes = `<w:footnotes ${w}><w:footnote w:id="2">${paragraph('A note.').repeat(2000)}</w:footnote></w:footnotes>`;
const spanning = '<tr><td rowspan="60000" colspan="1000">x<td>y</tr>';

it.each<[string, () => Buffer]>([
  ['fields that do not end', () => rawDocx(`${first}<w:p>${mark('begin').repeat(30_000)}</w:p>`)],
  [
    'an instruction of white space',
    () => rawDocx(`${first}<w:p>${mark('begin')}${instruction(' '.repeat(400_000))}${mark('separate')}</w:p>`),
  ],
  ['names of elements', () => rawDocx(first + each(60_000, (n) => `<w:a${n}><w:t>a</w:t></w:a${n}>`))],
  ['styles', () => rawDocx(first + each(20_000, (n) => `<w:p><w:pPr><w:pStyle w:val="s${n}"/></w:pPr></w:p>`))],
  [
    'references to a note',
    () =>
      rawDocx(`${first}<w:p>${'<w:r><w:footnoteReference w:id="2"/></w:r>'.repeat(5000)}</w:p>`, [
        documentRelationships('footnotes', 'footnotes.xml'),
        { name: 'word/footnotes.xml', data: notes },
      ]),
  ],
  ['imports of a part', () => importing('word '.repeat(500_000), 50)],
  ['imported cells that span rows', () => importing(`<table>${spanning.repeat(2000)}</table>`)],
  ['signs of Markdown', () => rawDocx(first + paragraph('*'.repeat(5_000_000)))],
  [
    'parts of an anchor',
    () =>
      rawDocx(
        `${first}<w:p><w:hyperlink w:anchor="${'-ref-'.repeat(200_000)}"><w:r><w:t>a</w:t></w:r></w:hyperlink></w:p>`,
      ),
  ],
  ['letters of a namespace', () => rawDocx(`${first}<x:t xmlns:x="${'a'.repeat(1_000_000)}:">a</x:t>`)],
])('a Word document with too many %s is read up to them', { tags: 'heavy' }, async (_, makeDocument) => {
  const read = await readDocument(new Uint8Array(makeDocument()), 'docx');
  expect(read).toMatchObject({ content: expect.stringMatching(/^The first paragraph\./) });
});

const packed = (content: string | Buffer, entries = '') =>
  makeStream(deflateSync(content).toString('latin1'), `${entries}/Filter/FlateDecode`);
const characters =
  '1 begincodespacerange <000000> <ffffff> endcodespacerange 1 beginbfrange <000000> <fffffe> <0041> endbfrange';
const annotation = '<</Type/Annot/Subtype/FreeText/F 4/Rect[60 100 90 110]/Contents(a)>>';

it.each<
  [string, () => { entries?: string; catalog?: string; resources?: string; contents?: string; objects: string[] }]
>([
  ['annotations', () => ({ entries: `/Annots[${annotation.repeat(9000)}]`, objects: [] })],
  [
    'codes in a table of characters',
    () => ({
      resources: '/F2 6 0 R',
      contents: 'BT /F2 10 Tf 9 90 Td (a) Tj ET',
      objects: [
        '<</Type/Font/Subtype/TrueType/BaseFont/Any/ToUnicode 7 0 R>>',
        packed(`begincmap ${characters} endcmap`),
      ],
    }),
  ],
  [
    'properties',
    () => ({
      catalog: '/Metadata 6 0 R',
      objects: [
        packed(
          `<x:xmpmeta><rdf:RDF>${'<rdf:Description><a>b</a></rdf:Description>'.repeat(400_000)}`,
          '/Type/Metadata/Subtype/XML',
        ),
      ],
    }),
  ],
  ['names of fonts', () => ({ objects: [packed('/BaseFont/A '.repeat(60_000), '/Type/ObjStm/N 0/First 0')] })],
])('a PDF with too many %s is read up to them', { tags: 'heavy' }, async (_, makeParts) => {
  const { resources = '', contents = '', objects, ...entries } = makeParts();
  const bytes = pdfOfPage({
    ...entries,
    contents: extractText('The first text.') + contents,
    resources: `/Font<</F1 5 0 R${resources}>>`,
    objects: ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>', ...objects],
  });
  expect(await readDocument(new Uint8Array(bytes), 'pdf')).toMatchObject({
    content: expect.stringContaining('The first text.'),
  });
});

it.each([
  ['cells that span rows', `<table>${spanning.repeat(1000)}</table>`],
  ['scripts without an end', '<script '.repeat(300_000)],
  ['digits of a refresh', `<meta http-equiv="refresh" content="${'1'.repeat(500_000)}x">`],
  ['hidden parts behind a text', `<p>${'word '.repeat(100_000)}</p>${'<p hidden>x</p>'.repeat(5000)}`],
])('a saved page with too many %s is read', { tags: 'heavy' }, async (_, html) => {
  const read = await readDocument(new Uint8Array(Buffer.from(`<html><body><p>The first paragraph.</p>${html}`)), 'txt');
  expect(read).toMatchObject({ content: expect.stringMatching(/^The first paragraph\./) });
});

it('a table keeps any number of columns, unless its grid is too dear: then a warning says so', () => {
  const row = `<tr>${'<td>a'.repeat(1200)}</tr>`;
  expect(readHtml(`<table>${row}${row}</table>`)).toMatchObject({
    markdown: expect.stringMatching(/^(\| a ){1200}\|\n(\| --- ){1200}\|\n(\| a ){1200}\|$/),
    warnings: [],
  });
  expect(readHtml(`<table>${spanning.repeat(100)}</table>The last paragraph.`)).toMatchObject({
    text: expect.stringMatching(/^(x\ty\s+){100}The last paragraph\.$/),
    markdown: expect.stringMatching(/^(x\s+y\s+){100}The last paragraph\.$/),
    warnings: [{ code: 'ignored_elements', message: expect.stringContaining('tables that are too large') }],
  });
});

it('a long Word document is read to its end: many edited runs, lists with all their levels, instructions of citations', {
  tags: 'heavy',
}, async () => {
  let state = 1;
  const choose = (count: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
  const words = Array.from({ length: 300 }, () => choose(1e9).toString(36));
  const write = (count: number) => each(count, () => `${words[choose(choose(300) + 1)]} `);
  const run = () =>
    `<w:r w:rsidRPr="00A${choose(90) + 10}E12"><w:rPr><w:lang w:val="en-US"/></w:rPr><w:t xml:space="preserve">${write(3)}</w:t></w:r>`;
  const cited = () =>
    `${mark('begin')}${instruction(`ADDIN CITATION ${'{"properties":{"noteIndex":0}}'.repeat(100)}`)}${mark('separate')}${run()}${mark('end')}`;
  const text = each(
    5000,
    (n) => `<w:p w:rsidR="00B${choose(90) + 10}C34">${each(5, run)}${n % 20 === 0 ? cited() : ''}</w:p>`,
  );
  const level =
    '<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:pPr><w:ind w:left="9" w:hanging="9"/></w:pPr><w:rPr><w:rFonts w:hint="default"/></w:rPr>';
  const levels = each(
    9,
    (n) => `<w:lvl w:ilvl="${n}" w:tplc="0409${1000 + choose(9000)}"><w:start w:val="1"/>${level}</w:lvl>`,
  );
  const lists = each(90, (n) => `<w:abstractNum w:abstractNumId="${n}">${levels}</w:abstractNum>`);
  const bytes = rawDocx(text + last, [
    documentRelationships('numbering', 'numbering.xml'),
    { name: 'word/numbering.xml', data: `<w:numbering ${w}>${lists}</w:numbering>` },
  ]);
  // Its steps suffice. Their time depends on the machine.
  const clock = vi.spyOn(process, 'threadCpuUsage').mockReturnValue({ user: 0, system: 0 });
  onTestFinished(() => clock.mockRestore());
  const { content, warnings } = await readDocx(bytes);
  expect(Buffer.concat(content.parts).toString()).toMatch(/The last paragraph\.$/);
  expect(warnings).toEqual([]);
});

it('what can be left out takes at most half of the steps, and spends no budget', () => {
  const budget = new ReadingBudget(0);
  expect([budget.takeSpare(25_000), budget.takeSpare(1), budget.isSpent, budget.take(25_000)]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
