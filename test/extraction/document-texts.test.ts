import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { detectKind } from '../../functions/extraction/document-kind.ts';
import { readDocument } from '../../functions/extraction/document-texts.ts';
import { WorkerAbortedError } from '../../functions/extraction/sandboxed-worker.ts';
import {
  deflated,
  makeDocx,
  makePdf,
  makeStream,
  makeZip,
  pdfOfObjects,
  pdfOfPage,
  rawDocx,
  rawPdf,
  sample,
  scanPdf,
  shown,
} from '../support/documents.ts';
import { encode } from '../support/encode.ts';

const tenMegabytes = 10 * 1024 * 1024;
const read = async (bytes: Buffer, name = 'file') => {
  const kind = await detectKind(bytes, name);
  return 'type' in kind ? readDocument(bytes, kind.type) : kind;
};
const unpacks = { failure: 'The file unpacks to far more than it should, and was not read.' };
const tooMuch = { failure: 'The document is too large or too complicated to be read.' };
const tooMany = { code: 'cut', message: expect.stringContaining('too many elements') };
const damaged = { failure: 'The file is damaged: it cannot be read as what it begins like.' };
const scan = {
  failure: 'The document has no text. The page has pictures and no text. Text in pictures is not read.',
};
const noText = { failure: 'The document has no text.' };
const locked = { failure: 'The document is protected with a password. Upload it without one.' };

it.each([
  ['a PDF named .txt', 'a.txt', () => makePdf('Hello'), { type: 'pdf' }],
  [
    'a PDF after a few other bytes',
    'a.pdf',
    async () => Buffer.concat([Buffer.from([0, 1, 255, 10]), await makePdf('Hello')]),
    { type: 'pdf' },
  ],
  [
    'a PDF of ASCII after the headers of a response',
    'a.pdf',
    async () =>
      Buffer.concat([Buffer.from('HTTP/1.1 200 OK\nContent-Type: application/pdf\n\n'), await makePdf('Hello')]),
    { type: 'pdf' },
  ],
  [
    'text that quotes a PDF',
    'a.txt',
    async () =>
      Buffer.concat([Buffer.from('An example:\n'), await makePdf('Hello'), Buffer.from('\nIt has one page.')]),
    { type: 'txt' },
  ],
  ['a Word document without a name for it', 'a', () => makeDocx('Hello'), { type: 'docx' }],
  ['a Word document of LibreOffice', 'a.pdf', async () => sample('handbook.docx'), { type: 'docx' }],
  ['a Word document that is locked', 'a.docx', async () => sample('locked.docx'), { type: 'docx' }],
  ['text', 'a.pdf', async () => Buffer.from('Hello'), { type: 'txt' }],
  [
    'text that mentions PDF',
    'a.txt',
    async () => Buffer.from('A file that begins with %PDF-1.7 is a PDF.'),
    { type: 'txt' },
  ],
  ['text that begins like a bitmap', 'a.txt', async () => Buffer.from('BMW makes cars.'), { type: 'txt' }],
  ['Markdown, by its name', 'a.MD', async () => Buffer.from('# Hello'), { type: 'md' }],
  ['a script that is called a text', 'a.txt', async () => Buffer.from('#!/bin/sh\necho'), { type: 'txt' }],
] as const)('the kind of %s is recognized', async (_, name, bytes, kind) => {
  expect(await detectKind(await bytes(), name)).toEqual(kind);
});

it.each([
  ['a program named .pdf', 'setup.pdf', Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff', 'latin1')],
  ['an ELF program named .txt', 'a.txt', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0', 'latin1')],
  ['a script', 'a.pdf', Buffer.from('#!/bin/sh\nrm -rf /')],
  ['a picture', 'a.docx', Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk', 'base64')],
  ['a zip that is no Word document', 'a.docx', makeZip([{ name: 'notes.txt', data: 'Hello' }])],
  [
    'a zip that only calls a part what Word does',
    'a.docx',
    makeZip([{ name: 'word/document.xml', data: '<w:document/>' }]),
  ],
  ['a Word document of the old format', 'a.docx', sample('handbook.doc')],
  ['rich text', 'a.txt', Buffer.from('{\\rtf1\\ansi Hello}')],
  ['noise', 'a.txt', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919 + (index >> 3) * 31) % 256))],
  ['zeros', 'a.txt', Buffer.alloc(1000)],
])('the kind of %s is not accepted', async (_, name, bytes) => {
  expect(await detectKind(bytes, name)).toEqual({
    unsupported: expect.stringMatching(/^The file is not a PDF, a Word document/),
  });
});

it.each([
  ['with attachments', 'Content-Type: multipart/mixed; boundary=x', 'Nine to five'],
  ['whose text is encoded', 'Content-Type: text/plain\r\nContent-Transfer-Encoding: base64', 'TmluZSB0byBmaXZl'],
])('an email %s is not taken for a text', async (_, headers, body) => {
  const email = Buffer.from(`From: desk@example.com\r\nMIME-Version: 1.0\r\n${headers}\r\n\r\n${body}`);
  expect(await detectKind(email, 'hours.eml')).toEqual({ unsupported: expect.stringContaining('It is an email') });
});

it('an email that is plain text is a text', async () => {
  const email = Buffer.from(
    'From: desk@example.com\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nNine to five',
  );
  expect(await detectKind(email, 'hours.eml')).toEqual({ type: 'txt' });
});

it('the reason why a web archive of Safari is not accepted says how to save the page', async () => {
  const archive = Buffer.from('bplist00\xd1\x01\x02_\x10\x0fWebMainResource\0\0\0\0\xa0', 'latin1');
  expect(await detectKind(archive, 'page.webarchive')).toEqual({
    unsupported: expect.stringMatching(/web archive: save its source \(\.html\) or a PDF/),
  });
});

it('the text of a Word document has its headings, tables, lists and links, and no links back from notes', async () => {
  const text = await read(sample('handbook.docx'));
  expect(text).toEqual({
    content: expect.stringContaining('Drink\tPrice\nEspresso\t2 €\nTea\t3 €'),
    contentMD: [
      '# Handbook of the Café',
      'Guests of all ages are welcome from **nine** to *five*. Questions? See [our site](https://example.com/).',
      '## Prices',
      '| Drink | Price |\n| --- | --- |\n| Espresso | 2 € |\n| Tea | 3 € |',
      '## Rules',
      '-   No dogs\n-   No smoking',
      '1.  Order\n2.  Pay',
      'Grüße, Привет',
    ].join('\n\n'),
  });
});

it('the text of a PDF has its paragraphs, and headings for larger letters', async () => {
  const text = await read(sample('handbook.pdf'));
  expect(text).toEqual({
    content: expect.stringMatching(/^Handbook of the Café\n\nGuests of all ages are welcome from nine to five\./),
    contentMD: expect.stringMatching(
      /^# Handbook of the Café\n\nGuests [\s\S]*\n\n## Rules\n\n- No dogs\n\n- No smoking\n\n1\. Order\n\n2\. Pay\n\nGrüße, Привет$/,
    ),
  });
});

it('the text of a PDF with a page that is a picture says that the page is missing', async () => {
  const page = (contents: string) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 7 0 R>>/XObject<</X1 8 0 R>>>>/Contents ${contents} 0 R>>`;
  const pdf = pdfOfObjects([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 3/Kids[3 0 R 4 0 R 3 0 R]>>',
    page('5'),
    page('6'),
    makeStream(shown('Hello')),
    makeStream('q 9 0 0 9 0 0 cm /X1 Do Q'),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    makeStream('x', '/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8'),
  ]);
  expect(await read(pdf)).toEqual({
    content: 'Hello\n\nHello',
    contentMD: 'Hello\n\nHello',
    warnings: [
      { code: 'pictures_only', message: '1 of 3 pages has pictures and no text. Text in pictures is not read.' },
    ],
  });
});

it.each([
  ['Japanese', '90ms-RKSJ-H', 'Japan1', '営業時間は九時から', (text: string) => encode(text, 'shift_jis')],
  ['Japanese in columns', 'UniJIS-UTF16-V', 'Japan1', '土曜日は休みです', utf16],
  ['simplified Chinese', 'UniGB-UCS2-H', 'GB1', '营业时间九点到六点', utf16],
  ['simplified Chinese', 'GBK-EUC-H', 'GB1', '周六十点开门', (text: string) => encode(text, 'gbk')],
  ['traditional Chinese', 'ETenms-B5-H', 'CNS1', '星期六休息', (text: string) => encode(text, 'big5')],
  ['Korean', 'KSCms-UHC-H', 'Korea1', '토요일에는 열 시에 엽니다', (text: string) => encode(text, 'euc-kr')],
  ['Korean', 'UniKS-UTF16-H', 'Korea1', '영업 시간', utf16],
] as const)('the text of a PDF in %s is read in the encoding %s, which the file does not contain', async (...row) => {
  const [, encoding, ordering, text, encode] = row;
  const font = `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/${encoding}/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>>>]>>`;
  const pdf = pdfOfPage({
    resources: '/Font<</F1 5 0 R>>',
    contents: `BT /F1 12 Tf 50 700 Td <${encode(text).toString('hex')}> Tj ET`,
    objects: [font],
  });
  const written = text.replaceAll(' ', '');
  expect(await read(pdf)).toEqual({
    content: expect.toSatisfy((content: string) => content.replace(/\s/g, '') === written),
    contentMD: expect.any(String),
  });
});

it('the text of a PDF that only forbids printing is read', async () => {
  expect(await read(sample('restricted.pdf'))).toEqual(await read(sample('handbook.pdf')));
});

it('the text of a document keeps characters that have a meaning in Markdown', async () => {
  expect(await read(await makePdf('A *cut* costs 20_50 [euros] <now>'))).toEqual({
    content: 'A *cut* costs 20_50 [euros] <now>',
    contentMD: 'A \\*cut\\* costs 20\\_50 \\[euros\\] \\<now>',
  });
});

it('the text of a long Word document is the same as that of its parts', { tags: 'heavy' }, async () => {
  const paragraphs = Array.from({ length: 1500 }, (_, index) =>
    `Paragraph ${index} ${'of many words '.repeat(8)}`.trim(),
  );
  const text = await read(await makeDocx(...paragraphs));
  expect(text).toEqual({ content: paragraphs.join('\n\n'), contentMD: paragraphs.join('\n\n') });
});

it.each([
  ['UTF-8', Buffer.from('Grüße, Привет, 你好')],
  ['UTF-8 with a mark', Buffer.from('\ufeffGrüße, Привет, 你好')],
  ['UTF-16 with a mark', Buffer.from('\ufeffGrüße, Привет, 你好', 'utf16le')],
  ['UTF-16 of the other order with a mark', Buffer.from('\ufeffGrüße, Привет, 你好', 'utf16le').swap16()],
])('the text of a document in %s is read', async (_, bytes) => {
  expect(await read(bytes)).toEqual({ content: 'Grüße, Привет, 你好', contentMD: 'Grüße, Привет, 你好' });
});

it('the text of a document in an older encoding is read', async () => {
  const text = 'Мы работаем с понедельника по пятницу.';
  expect(await read(encode(text, 'windows-1251'))).toEqual({ content: text, contentMD: text });
});

it('the text of a document with bytes that are no text has a character in their place, and a warning', async () => {
  const lines = 'Öffnungszeiten: 9–18 Uhr.\nPreis: 15 € für alle Größen.\n';
  for (const damage of [Buffer.from([0xff]), Buffer.from('Stra\xdfe', 'latin1'), Buffer.from([0xc3])]) {
    const text = await read(Buffer.concat([Buffer.from(lines), damage]));
    expect(text).toMatchObject({
      content: expect.stringMatching(/^Öffnungszeiten: 9–18 Uhr.\nPreis: 15 € für alle Größen.\n.*\ufffd/),
      warnings: [{ code: 'undecodable_bytes' }],
    });
  }
});

it.each([
  ['with its type', '<!DOCTYPE html><html><head><title>T</title><style>p{color:red}</style></head><body>'],
  [
    'of XHTML',
    '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"><html xmlns="x"><body>',
  ],
  ['after a comment of the browser', '\ufeff<!-- saved from url=(0024)https://site.example/ -->\n<html><body>'],
  ['in Windows-1252', '<html><head><meta charset="windows-1252"></head><body>'],
])('a saved web page %s is read as a page', async (name, head) => {
  const encoding = name === 'in Windows-1252' ? 'latin1' : 'utf8';
  const page = Buffer.from(`${head}<nav><a href="/">Home</a></nav><h1>Hours</h1><p>Nine to <b>fünf</b></p>`, encoding);
  expect(await read(page, 'page.html')).toEqual({
    content: 'Hours\n\nNine to fünf',
    contentMD: '# Hours\n\nNine to **fünf**',
  });
});

const archiveHeaders = [
  'From: <Saved by a browser>',
  'Subject: =?utf-8?Q?Caf=C3=A9?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/related;',
  '\ttype="text/html";',
  '\tboundary="----mark"',
].join('\r\n');
const makeArchive = (encoding: string, body: string) =>
  Buffer.from(
    `${archiveHeaders}\r\n\r\n------mark\r\nContent-Type: text/css\r\n\r\np{}\r\n------mark\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n------mark\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n------mark--\r\n`,
    'latin1',
  );

it.each([
  ['quoted-printable', '<h1>Hours</h1><p>Nine to <b>f=C3=\r\n=BCnf</b></p>'],
  ['base64', Buffer.from('<h1>Hours</h1><p>Nine to <b>fünf</b></p>').toString('base64')],
  ['8bit', Buffer.from('<h1>Hours</h1><p>Nine to <b>fünf</b></p>').toString('latin1')],
])('a web page that is saved as one file (MHTML) in %s is read as a page', async (encoding, body) => {
  expect(await read(makeArchive(encoding, body), 'page.mht')).toEqual({
    content: 'Hours\n\nNine to fünf',
    contentMD: '# Hours\n\nNine to **fünf**',
  });
});

it.each([
  ['a page without pictures', 'text/html; charset=utf-8', '<h1>Hours</h1><p>Nine to <b>f=C3=BCnf</b></p>'],
  [
    'a message in two forms',
    'multipart/alternative; boundary=two',
    '--two\r\nContent-Type: text/plain\r\n\r\nHours\r\n--two\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<h1>Hours</h1><p>Nine to <b>fünf</b></p>\r\n--two--',
  ],
])('%s that is saved in MIME format is read as a page', async (_, type, body) => {
  const headers = `From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: quoted-printable`;
  expect(await read(Buffer.from(`${headers}\r\n\r\n${body}`), 'page.mht')).toEqual({
    content: 'Hours\n\nNine to fünf',
    contentMD: '# Hours\n\nNine to **fünf**',
  });
});

it('a frameset that is saved as one file has the text of its frames', async () => {
  const frame = (text: string) => `--f\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${text}\r\n`;
  const pages = ['<html><frameset cols="1,1"><frame><frame></frameset></html>', '<p>Hours</p>', '<html><body><p>Nine'];
  const archive = `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=f\r\n\r\n${pages.map(frame).join('')}--f--`;
  expect(await read(Buffer.from(archive), 'page.mht')).toMatchObject({ content: 'Hours\n\nNine' });
});

it('a damaged page that is saved as one file has a warning', async () => {
  expect(await read(makeArchive('quoted-printable', '<p>Nine to f=FFnf</p>'))).toMatchObject({
    content: 'Nine to f\ufffdnf',
    warnings: [{ code: 'undecodable_bytes' }],
  });
});

it.each([
  ['Markdown', 'a.md', '<html> in Markdown stays'],
  ['a text about HTML', 'a.txt', 'Write <html> first.'],
  ['Markdown about MHTML', 'a.md', makeArchive('8bit', '<p>Nine</p>').toString()],
  [
    'a text about MHTML',
    'a.txt',
    'Such a file begins like this:\nMIME-Version: 1.0\nContent-Type: multipart/related\n\n',
  ],
  ['a beginning of MHTML without a page', 'a.txt', 'MIME-Version: 1.0\nContent-Type: multipart/related\n\n<p>Nine'],
])('%s is not read as a web page', async (_, name, text) => {
  const content = text.replaceAll('\r\n', '\n');
  expect(await read(Buffer.from(text), name)).toEqual({ content, contentMD: content });
});

it.each([
  ['a locked PDF', () => sample('locked.pdf'), locked],
  ['a locked Word document', () => sample('locked.docx'), locked],
  ['a scan', scanPdf, scan],
  ['an empty Word document', () => makeDocx(''), noText],
  ['a PDF of an empty page', () => makePdf(''), noText],
  ['white space', () => Buffer.from(' \r\n\t '), { failure: 'The file has no text.' }],
  ['a PDF of which only the beginning is there', async () => (await makePdf('Hello')).subarray(0, 200), damaged],
  [
    'a Word document of which only the beginning is there',
    async () => (await makeDocx('Hello')).subarray(0, 200),
    damaged,
  ],
  [
    'a Word document without its main part',
    () => makeZip([{ name: '[Content_Types].xml', data: 'wordprocessingml.document.main+xml' }]),
    damaged,
  ],
  ['a Word document whose XML is broken', () => rawDocx('<w:p><w:r></w:p>'), damaged],
] as const)('%s has no text, and the message says why', async (_, bytes, failure) => {
  expect(await read(await bytes())).toEqual(failure);
});

describe('a document made to do harm is given up, and says why', { tags: 'heavy' }, () => {
  const paragraph = '<w:p><w:r><w:t>A</w:t></w:r></w:p>';
  // More than a document of either kind may unpack to.
  const inflatedBytes = 128 * 1024 * 1024;
  it.each([
    ['a Word document of 128 MB of spaces', () => rawDocx(Buffer.alloc(inflatedBytes, ' ')), unpacks],
    ['a Word document that declares a little and unpacks to much', () => zipLie(), damaged],
    ['a Word document of 12,000 entries', () => manyEntries(), unpacks],
    [
      'a Word document of a paragraph in 600,000 runs',
      () => rawDocx(`<w:p>${'<w:r><w:t>a</w:t></w:r>'.repeat(600_000)}</w:p>`),
      expect.objectContaining({ content: expect.stringMatching(/^a+$/), warnings: [tooMany] }),
    ],
    ['a Word document that refers 3,000 times to an address of a megabyte', () => longAddress(), tooMuch],
    [
      'a Word document of tables in tables',
      () => rawDocx('<w:tbl><w:tr><w:tc>'.repeat(25_000) + '</w:tc></w:tr></w:tbl>'.repeat(25_000)),
      tooMuch,
    ],
    [
      'a Word document with entities of entities',
      () => rawDocx(`<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>${paragraph}`),
      undefined,
    ],
    ['a PDF whose page unpacks to 128 MB', () => rawPdf(deflated(shown('A'), inflatedBytes)), unpacks],
    [
      'a PDF deflated twice',
      () => rawPdf(deflated(' ', inflatedBytes, 2), '/Filter[/FlateDecode/FlateDecode]'),
      unpacks,
    ],
    [
      'a PDF deflated three times',
      () => rawPdf(deflated(' ', inflatedBytes, 3), '/Filter[/FlateDecode/FlateDecode/FlateDecode]'),
      unpacks,
    ],
    [
      'a PDF whose page calls itself a picture',
      () => rawPdf(deflated(shown('A'), inflatedBytes), '/Subtype/Image/Filter/FlateDecode'),
      noText,
    ],
    ['a PDF of 640 MB in run lengths', () => rawPdf(runLengths(), '/Filter/RunLengthDecode'), tooMuch],
    ['a PDF whose form draws itself', () => recursiveForms(), undefined],
    [
      '10 MB that begin like a PDF',
      () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(tenMegabytes, 'stream\n')]),
      unpacks,
    ],
  ] as [string, () => Buffer, object | undefined][])(
    '%s is given up or cut, and the message says why',
    async (_, make, expected) => {
      const bytes = make();
      expect(bytes.length).toBeLessThanOrEqual(tenMegabytes + 10);
      const started = performance.now();
      const outcome = await read(bytes);
      expect(outcome).toEqual(expected ?? expect.objectContaining({}));
      if (!expected) expect('failure' in outcome || 'content' in outcome).toBe(true);
      expect(performance.now() - started).toBeLessThan(25_000);
    },
  );

  it('the document after a harmful one is read', async () => {
    expect(await read(await makePdf('Still here'))).toEqual({ content: 'Still here', contentMD: 'Still here' });
  });
});

it.each([
  ['time', 'The document was not read within 60 seconds. Try it again, or split it.'],
  ['CPU time', tooMuch.failure],
  ['memory', tooMuch.failure],
  ['crash', damaged.failure],
] as const)('a document whose reader is aborted for %s says so', async (reason, failure) => {
  const reader = { run: () => Promise.reject(new WorkerAbortedError(reason)), close: async () => {} };
  expect(await readDocument(Buffer.from('A text.'), 'txt', reader)).toEqual({ failure });
});

/** A file whose text would be longer than a string can be. */
const longAddress = () => {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const target = `https://site.example/${'a'.repeat(1024 * 1024)}`;
  const link = `<w:p><w:hyperlink xmlns:r="${office}" r:id="rId9"><w:r><w:t>A</w:t></w:r></w:hyperlink></w:p>`;
  return rawDocx(link.repeat(3000), [
    {
      name: 'word/_rels/document.xml.rels',
      data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="${office}/hyperlink" Target="${target}" TargetMode="External"/></Relationships>`,
    },
  ]);
};

/** A file that is valid except for its declarations. */
const zipLie = () => {
  const styles = Buffer.alloc(50 * 1024 * 1024, ' ');
  styles.write('<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">');
  styles.write('</w:styles>', styles.length - 11);
  return rawDocx('<w:p><w:r><w:t>A</w:t></w:r></w:p>', [{ name: 'word/styles.xml', data: styles, declares: 1000 }]);
};

const manyEntries = () =>
  makeZip([
    { name: '[Content_Types].xml', data: 'wordprocessingml.document.main+xml' },
    ...Array.from({ length: 12_000 }, (_, index) => ({ name: `word/${index}`, data: '' })),
  ]);

/** Two bytes each for 128 spaces. */
const runLengths = () => {
  const data = Buffer.alloc(tenMegabytes - 1000, ' ');
  for (let at = 0; at < data.length; at += 2) data[at] = 129;
  return data;
};

/** Forms that each draw the next one twenty times. */
const recursiveForms = () => {
  const forms = Array.from({ length: 12 }, (_, index) => {
    const content = deflateSync(`/X${index + 1} Do\n`.repeat(20));
    return Buffer.concat([
      Buffer.from(
        `${index + 10} 0 obj\n<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X${index + 1} ${index + 11} 0 R>>>>/Filter/FlateDecode/Length ${content.length}>>\nstream\n`,
      ),
      content,
      Buffer.from('\nendstream\nendobj\n'),
    ]);
  });
  const pdf = rawPdf(deflateSync('/X0 Do '), '/Filter/FlateDecode').toString('latin1');
  return Buffer.concat([
    Buffer.from(
      pdf.replace('/Resources<<', '/Resources<</XObject<</X0 10 0 R>>').replace(/trailer[\s\S]*$/, ''),
      'latin1',
    ),
    ...forms,
    Buffer.from('trailer\n<</Size 30/Root 1 0 R>>\n%%EOF'),
  ]);
};
/** Writes text in UTF-16 of the order of PDF. */
function utf16(text: string) {
  return Buffer.from(text, 'utf16le').swap16();
}
