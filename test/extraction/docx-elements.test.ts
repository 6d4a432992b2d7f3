import { expect, it } from 'vitest';
import { readDocument } from '../../functions/extraction/document-texts.ts';
import { makeDocx, rawDocx, type ZipEntry } from '../support/documents.ts';

const read = (bytes: Buffer) => readDocument(bytes, 'docx');
const extractText = async (body: string, more: ZipEntry[] = []) => {
  const text = await read(rawDocx(body, more));
  return 'content' in text ? text.content : text.failure;
};
const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;

const m = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
const v = 'xmlns:v="urn:schemas-microsoft-com:vml"';
const r = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const math = (content: string) => `<m:oMath ${m}>${content}</m:oMath>`;
const mathRun = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const box = (text: string) => `<w:txbxContent>${paragraph(run(text))}</w:txbxContent>`;
const shape = `<w:drawing><wps:wsp xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:txbx>${box('Closed on Monday')}</wps:txbx></wps:wsp></w:drawing>`;
const diagram = (...texts: string[]) =>
  `<w:drawing><a:sp xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">${texts.map((text) => `<a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody>`).join('')}</a:sp></w:drawing>`;
const dropDown = (chosen: string, result = '') =>
  `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="Day"/><w:ddList>${chosen}<w:listEntry w:val="Monday"/><w:listEntry w:val="Tuesday"/><w:listEntry w:val="Fri &amp; Sat"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;

it.each([
  [
    'a simple field',
    paragraph(run('Dear '), `<w:fldSimple w:instr="MERGEFIELD a > b">${run('Ada')}</w:fldSimple>`, run(', hello.')),
    'Dear Ada, hello.',
  ],
  [
    'simple fields within each other',
    paragraph(
      `<w:fldSimple w:instr="IF">${run('A')}<w:fldSimple w:instr="DATE">${run('B')}</w:fldSimple></w:fldSimple>`,
    ),
    'AB',
  ],
  [
    'text with an annotation above it',
    paragraph(
      run('予約は'),
      `<w:r><w:ruby><w:rubyPr><w:rubyAlign w:val="center"/></w:rubyPr><w:rt>${run('げつようび')}</w:rt><w:rubyBase>${run('月曜日')}</w:rubyBase></w:ruby></w:r>`,
      run('だけです。'),
    ),
    '予約は月曜日だけです。',
  ],
  ['text that overrides a direction', paragraph(run('a '), `<w:bdo w:val="rtl">${run('שלום')}</w:bdo>`), 'a שלום'],
  ['text with a direction', paragraph(`<w:dir w:val="rtl">${run('مرحبا')}</w:dir>`, run(' b')), 'مرحبا b'],
  [
    'text with a smart tag in a smart tag',
    paragraph(
      `<w:smartTag w:uri="u" w:element="place"><w:smartTagPr/><w:smartTag w:element="city">${run('Bern')}</w:smartTag></w:smartTag>`,
    ),
    'Bern',
  ],
  [
    'check boxes',
    paragraph(
      `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('☒')}</w:sdtContent></w:sdt>`,
      run(' Cards '),
      '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
      run(' Cash'),
    ),
    '☑ Cards ☐ Cash',
  ],
  [
    'the choices of drop-down lists',
    paragraph(
      dropDown('<w:result w:val="1"/><w:default w:val="2"/>'),
      run(', '),
      dropDown('<w:default w:val="2"/>'),
      run(', '),
      dropDown(''),
      run(', '),
      dropDown('<w:result w:val="1"/>', `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('Shown')}`),
      run(': closed'),
    ),
    'Tuesday, Fri & Sat, Monday, Shown: closed',
  ],
  ['a carriage return', paragraph('<w:r><w:t>Mon</w:t><w:cr/><w:t>Tue</w:t></w:r>'), 'Mon\nTue'],
  [
    'a tab to a position',
    paragraph('<w:r><w:t>Left</w:t><w:ptab w:alignment="right"/><w:t>Right</w:t></w:r>'),
    'Left Right',
  ],
  [
    'a formula',
    paragraph(
      run('Fee: '),
      `<m:oMathPara ${m}>${math(
        `${mathRun('f=')}<m:f><m:num>${mathRun('a+b')}</m:num><m:den>${mathRun('2')}</m:den></m:f><m:sSup><m:e>${mathRun('x')}</m:e><m:sup>${mathRun('2')}</m:sup></m:sSup><m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${mathRun('n&lt;3')}</m:e></m:d>`,
      )}</m:oMathPara>`,
    ),
    'Fee: f=(a+b)/2x^2[n<3]',
  ],
  [
    'text that the shapes of a diagram have themselves',
    paragraph(`<w:r>${diagram('Book a table', 'Come &amp; eat')}</w:r>`, run('Welcome.')),
    'Welcome.\n\nBook a table\n\nCome & eat',
  ],
  ['a text box of a drawing', paragraph(`<w:r>${shape}</w:r>`), 'Closed on Monday'],
  [
    'a text box whose alternative is a picture',
    paragraph(
      `<w:r><mc:AlternateContent ${mc}><mc:Choice Requires="wps">${shape}</mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r>`,
    ),
    'Closed on Monday',
  ],
  [
    'a text box with an alternative, once',
    paragraph(
      `<w:r><mc:AlternateContent ${mc}><mc:Choice Requires="wps">${shape}</mc:Choice><mc:Fallback><w:pict><v:oval ${v}><v:textbox>${box('Closed on Monday')}</v:textbox></v:oval></w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
    ),
    'Closed on Monday',
  ],
  [
    'letters along a path',
    paragraph(`<w:r><w:pict><v:shape ${v}><v:textpath string="Sale &amp; more"/></v:shape></w:pict></w:r>`),
    'Sale & more',
  ],
])('the text of a Word document has %s', async (_, body, text) => {
  expect(await extractText(body)).toBe(text);
});

it('the text of a Word document whose elements have another prefix is read', async () => {
  const body = `<n:p xmlns:n="http://purl.oclc.org/ooxml/wordprocessingml/main"><n:fldSimple n:instr="DATE"><n:r><n:t>May</n:t></n:r></n:fldSimple></n:p>`;
  expect(await extractText(body)).toBe('May');
});

const relationships = (...targets: [id: string, target: string, type?: string][]): ZipEntry => ({
  name: 'word/_rels/document.xml.rels',
  data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
    .map(([id, target, type = 'any']) => `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`)
    .join('')}</Relationships>`,
});
const imported = (id: string) => `<w:altChunk ${r} r:id="${id}"><w:altChunkPr/></w:altChunk>`;
const mail = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/related;',
  '  boundary="=-mark"',
  '',
  '--=-mark',
  'Content-Type: text/html; charset="utf-8"',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<html><head><title>Not shown</title></head><body><p>Gr=C3=BC=C3=9Fe aus =',
  'K=C3=B6ln</p></body></html>',
  '--=-mark--',
].join('\r\n');

it('the text of a Word document has its imported parts at their places: pages, messages and plain text', async () => {
  const body = [paragraph(run('Before')), imported('c1'), imported('c2'), imported('c3'), paragraph(run('After'))];
  const table = `<w:tbl><w:tr><w:tc>${imported('c1')}</w:tc><w:tc>${paragraph(run('Right'))}</w:tc></w:tr></w:tbl>`;
  const text = await extractText([...body, table].join(''), [
    relationships(['c1', 'page.html'], ['c2', '/word/message.mht'], ['c3', 'notes.txt']),
    {
      name: 'word/page.html',
      data: '<html><style>p{}</style><body><h1>Monday</h1><p>nine to <b>five</b></p></body></html>',
    },
    { name: 'word/message.mht', data: mail },
    { name: 'word/notes.txt', data: 'Parking <free>\nBus 12' },
  ]);
  expect(text).toBe(
    'Before\n\nMonday\n\nnine to five\n\nGrüße aus Köln\n\nParking <free>\nBus 12\n\nAfter\n\nMonday\n\nnine to five\n\nRight',
  );
});

it('a Word document with parts that are not read says so', async () => {
  const chart =
    '<w:r><w:drawing><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"/></w:drawing></w:r>';
  const strange = `<w:strange>${run('Lost')}</w:strange><w:harmless/>`;
  const body = paragraph(run('Text'), chart, chart, strange) + imported('c1') + imported('c2');
  expect(await read(rawDocx(body, [relationships(['c1', 'old.rtf'])]))).toMatchObject({
    content: 'Text',
    warnings: [
      {
        code: 'ignored_elements',
        message: 'The document has elements that are not read: charts (2), strange (1), imported documents (2).',
      },
    ],
  });
  expect(await read(rawDocx(paragraph(chart)))).toEqual({
    failure: 'The document has no text. The document has elements that are not read: charts (1).',
  });
});

it('the title and the description of a table are before it', async () => {
  const properties = '<w:tblPr><w:tblCaption w:val="Prices"/><w:tblDescription w:val="Hair &amp; beard"/></w:tblPr>';
  const table = `<w:tbl>${properties}<w:tr><w:tc>${paragraph(run('Cut'))}</w:tc></w:tr></w:tbl>`;
  expect(await extractText(paragraph(run('Before')) + table)).toBe('Before\n\nPrices\n\nHair & beard\n\nCut');
});

const wordXml = (name: string, content: string) =>
  `<w:${name} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${content}</w:${name}>`;
/** The levels of a list: the format, the text and the first number of each. */
const levels = (...all: [format: string, text: string, start?: number][]) =>
  all
    .map(
      ([format, text, start = 1], index) =>
        `<w:lvl w:ilvl="${index}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`,
    )
    .join('');
const numbered = (list: number, level: number, text: string) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${text && run(text)}</w:p>`;

it('the numbers that Word draws before paragraphs and headings are in the text', async () => {
  const numbering = [
    `<w:abstractNum w:abstractNumId="0">${levels(['decimal', '%1.'], ['lowerLetter', '%2)'], ['lowerRoman', '(%3)'])}</w:abstractNum>`,
    `<w:abstractNum w:abstractNumId="1">${levels(['upperRoman', '§ %1', 4], ['decimal', '%1.%2'])}</w:abstractNum>`,
    `<w:abstractNum w:abstractNumId="2">${levels(['bullet', '•'])}</w:abstractNum>`,
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>',
    '<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>',
    '<w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>',
  ].join('');
  const style = '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="heading 2"/>';
  const more = [
    { name: 'word/numbering.xml', data: wordXml('numbering', numbering) },
    {
      name: 'word/styles.xml',
      data: wordXml('styles', `${style}<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>`),
    },
  ];
  const body = [
    '<w:p><w:pPr><w:pStyle w:val="Clause"/></w:pPr><w:r><w:t>Fees</w:t></w:r></w:p>',
    numbered(2, 1, 'Due at once'),
    numbered(1, 0, 'Call'),
    numbered(1, 1, 'by phone'),
    numbered(1, 2, 'at nine'),
    paragraph(run('Or later.')),
    numbered(1, 0, ''),
    numbered(1, 0, 'Pay'),
    numbered(4, 0, 'Leave'),
    numbered(3, 0, 'Keys'),
  ];
  expect(await read(rawDocx(body.join(''), more))).toEqual({
    content:
      '§ IV Fees\n\nIV.1 Due at once\n\n1. Call\n\na) by phone\n\n(i) at nine\n\nOr later.\n\n3. Pay\n\n7. Leave\n\nKeys',
    contentMD:
      '## § IV Fees\n\nIV.1 Due at once\n\n1.  Call\n\na) by phone\n\n(i) at nine\n\nOr later.\n\n3.  Pay\n7.  Leave\n\n-   Keys',
  });
});

it('the text of a Word document has the descriptions of its pictures; one of pictures alone says so', async () => {
  const a = 'http://schemas.openxmlformats.org/drawingml/2006';
  const picture = (properties: string) =>
    `<w:r><w:drawing><wp:inline xmlns:wp="${a}/wordprocessingDrawing">${properties}<a:graphic xmlns:a="${a}/main"><a:graphicData><pic:pic xmlns:pic="${a}/picture"><pic:blipFill><a:blip ${r} r:embed="p1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
  const more = [relationships(['p1', 'media/one.png'])];
  const described = picture('<wp:docPr id="1" name="one" descr="Map of the &lt;old&gt; town"/>');
  expect(await extractText(paragraph(run('Before'), described, run('after')), more)).toBe(
    'Before Map of the <old> town after',
  );
  expect(await extractText(paragraph(picture('')), more)).toBe(
    'The document has no text. It has pictures. Text in pictures is not read.',
  );
});

it('the headers and footers of the first section of a Word document are its end, each text once', async () => {
  const section = (...references: [kind: string, id: string][]) =>
    `<w:sectPr>${references.map(([kind, id]) => `<w:${kind}Reference w:type="default" ${r} r:id="${id}"/>`).join('')}</w:sectPr>`;
  const part = (kind: 'hdr' | 'ftr', content: string) =>
    `<w:${kind} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${content}</w:${kind}>`;
  const page = paragraph(`<w:fldSimple w:instr="PAGE">${run('1')}</w:fldSimple>`);
  const more = [
    relationships(['h1', 'header1.xml'], ['h2', 'header2.xml'], ['f1', 'footer1.xml'], ['f2', 'footer2.xml']),
    { name: 'word/header1.xml', data: part('hdr', paragraph(run('Salon Ada, +49 30 901820'))) },
    { name: 'word/header2.xml', data: part('hdr', paragraph(run('Salon Ada, +49 30 901820'))) },
    { name: 'word/footer1.xml', data: part('ftr', paragraph(run('Open nine to five')) + page) },
    { name: 'word/footer2.xml', data: part('ftr', paragraph(run('Of the second section'))) },
  ];
  const first = `<w:p><w:pPr>${section(['header', 'h1'], ['header', 'h2'], ['footer', 'f1'])}</w:pPr>${run('One')}</w:p>`;
  const body = first + paragraph(run('Two')) + section(['footer', 'f2']);
  expect(await read(rawDocx(body, more))).toEqual({
    content: 'One\n\nTwo\n\nHeader and footer\n\nSalon Ada, +49 30 901820\n\nOpen nine to five\n\n1',
    contentMD: 'One\n\nTwo\n\n## Header and footer\n\nSalon Ada, +49 30 901820\n\nOpen nine to five\n\n1',
  });
  const numbers = [relationships(['f1', 'footer1.xml']), { name: 'word/footer1.xml', data: part('ftr', page) }];
  expect(await extractText(paragraph(run('One')) + section(['footer', 'f1']), numbers)).toBe('One');
});

it('a note that is referred to twice has both marks', async () => {
  const note = wordXml('footnotes', `<w:footnote w:id="2">${paragraph(run('Not on Mondays.'))}</w:footnote>`);
  const reference = '<w:r><w:footnoteReference w:id="2"/></w:r>';
  const body = paragraph(run('Open'), reference, run(' and warm'), reference);
  const text = await extractText(body, [
    relationships(['n', 'footnotes.xml', `${r.slice('xmlns:r="'.length, -1)}/footnotes`]),
    { name: 'word/footnotes.xml', data: note },
  ]);
  expect(text).toBe('Open[1] and warm[2]\n\nNot on Mondays.\n\nNot on Mondays.');
});

it('a link in a field is whole, however long it is', async () => {
  const address = `https://example.com/${'monday/'.repeat(2000)}end`;
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const instruction = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
  const parts = [' HYPER', `LINK  "${address.slice(0, 9000)}`, `${address.slice(9000)}" `].map(instruction);
  const body = paragraph(mark('begin'), ...parts, mark('separate'), run('Book'), mark('end'), run(' now'));
  expect(await read(rawDocx(body))).toEqual({
    content: 'Book now',
    contentMD: `[Book](${address}) now`,
  });
});

it('the text of a Word document with none of these elements has no warnings', async () => {
  expect(await read(await makeDocx('Hello'))).toEqual({ content: 'Hello', contentMD: 'Hello' });
});
