import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readDocument } from '../../functions/extraction/document-texts.ts';
import { makeStream, pdfOfPage } from '../support/documents.ts';

const read = (pdf: Buffer) => readDocument(pdf, 'pdf');
const helvetica = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';
const at = (x: number, y: number, text: string) => `BT /F1 12 Tf ${x} ${y} Td (${text}) Tj ET\n`;
const rectangle = (x: number, y: number) => `/Rect[${x} ${y - 4} ${x + 150} ${y + 14}]`;

/** A page with a form. Its annotations are objects from 6 on. */
const form = (contents: string, annotations: string[], more = '') => {
  const references = annotations.map((_, index) => `${index + 6} 0 R`).join(' ');
  return pdfOfPage({
    contents,
    resources: '/Font<</F1 5 0 R>>',
    entries: `/Annots[${references}]`,
    catalog: `/AcroForm<</Fields[${references}]/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>${more}>>`,
    objects: [helvetica, ...annotations],
  });
};
const field = (type: string, x: number, y: number, entries: string) =>
  `<</Type/Annot/Subtype/Widget/FT/${type}/T(${type}${x}${y})/F 4${rectangle(x, y)}${entries}>>`;

it('the values of the filled fields of a form are beside their labels, in the order of the page', async () => {
  const contents =
    at(60, 780, 'Price of a haircut:') +
    at(60, 760, 'Name: ____________ \\(please print\\)') +
    at(60, 740, 'Day:') +
    at(60, 720, 'Total:') +
    at(60, 700, 'Parking:') +
    at(60, 680, 'Card:') +
    at(60, 660, 'Password:');
  const onOff = '/AP<</N<</Yes 12 0 R/Off 12 0 R>>>>';
  const pdf = form(contents, [
    field('Tx', 130, 720, '/V(90.00 EUR)/Ff 1'),
    field('Ch', 100, 740, '/V(mo)/Opt[[(mo)(Monday)][(tu)(Tuesday)]]'),
    field('Tx', 180, 780, '/V(49.00 EUR)'),
    field('Tx', 100, 760, '/V(Ada)'),
    field('Btn', 120, 700, `/V/Yes/AS/Yes${onOff}`),
    field('Btn', 120, 680, `/V/Off/AS/Off${onOff}`),
    makeStream('', '/Type/XObject/Subtype/Form/BBox[0 0 9 9]'),
    field('Tx', 120, 660, '/V(secret)/Ff 8192'),
    field('Tx', 300, 780, '/F 2/V(hidden)').replace('/F 4', ''),
  ]);
  expect(await read(pdf)).toMatchObject({
    content: [
      'Price of a haircut: 49.00 EUR',
      'Name: ____________ (please print) Ada',
      'Day: Monday',
      'Total: 90.00 EUR',
      'Parking: ☑',
      'Card:',
      'Password:',
    ].join('\n'),
  });
});

it('a form that has nothing but filled fields has their values as its text', async () => {
  const pdf = form('', [field('Tx', 60, 700, '/V(Tuesday)'), field('Tx', 60, 780, '/V(Open on\\nMonday)/Ff 4096')]);
  expect(await read(pdf)).toMatchObject({ content: 'Open on\nMonday\n\nTuesday' });
});

it('the text that is typed on a page is read between the lines above and below it', async () => {
  const note = (y: number, entries: string) =>
    `<</Type/Annot/Subtype/FreeText/F 4${rectangle(60, y)}/DA(/F1 12 Tf)${entries}>>`;
  const pdf = form(at(60, 780, 'Opening hours') + at(60, 600, 'See you soon'), [
    note(700, '/Contents(Closed on 24 December)'),
    note(650, '/Contents(Old note)').replace('/F 4', '/F 2'),
    `<</Type/Annot/Subtype/Text/F 4${rectangle(60, 640)}/Contents(A comment of a reviewer)>>`,
  ]);
  expect(await read(pdf)).toMatchObject({ content: 'Opening hours\n\nClosed on 24 December\n\nSee you soon' });
});

it('the elements of a PDF that show something and are not read are a warning', async () => {
  const pdf = form(at(60, 780, 'Order'), [
    field('Btn', 60, 700, '/Ff 65536/MK<</CA(Send)>>'),
    field('Ch', 60, 740, '/V(Monday)/Opt[(Monday)(Tuesday)]'),
    `<</Type/Annot/Subtype/Stamp/F 4${rectangle(60, 600)}>>`,
    `<</Type/Annot/Subtype/Watermark/F 4${rectangle(60, 500)}>>`,
    `<</Type/Annot/Subtype/Stamp/F 2${rectangle(60, 600)}>>`,
  ]);
  expect(await read(pdf)).toMatchObject({
    content: 'Order\n\nMonday',
    warnings: [
      {
        code: 'ignored_elements',
        message:
          'The document has elements that are not read: stamps (1), watermarks (1), buttons (1), lists of which only the chosen entries are read (1).',
      },
    ],
  });
});

it('files that are attached to a PDF are a warning, and those that are encrypted one of their own', async () => {
  const file = (number: number) => `<</Type/Filespec/F(${number}.pdf)/UF(${number}.pdf)/EF<</F ${number} 0 R>>>>`;
  const pdf = pdfOfPage({
    contents: at(60, 780, 'This document is protected.'),
    resources: '/Font<</F1 5 0 R>>',
    catalog: `/Names<</EmbeddedFiles<</Names[(a)${file(6)}(b)${file(7)}]>>>>`,
    objects: [
      helvetica,
      makeStream('%PDF-1.7 trailer<</Encrypt 9 0 R>>', '/Type/EmbeddedFile'),
      makeStream('%PDF-1.7 trailer<</Root 1 0 R>>', '/Type/EmbeddedFile'),
    ],
  });
  expect(await read(pdf)).toMatchObject({
    content: 'This document is protected.',
    warnings: [
      { code: 'encrypted_part', message: 'Files that are attached to the document are encrypted: 1.' },
      { code: 'ignored_elements', message: 'The document has elements that are not read: attached files (2).' },
    ],
  });
});

/** A font whose codes are the letters of a text, in their order. */
const makeFont = (text: string) => {
  const hex = (n: number) => n.toString(16).padStart(4, '0');
  const letters = [...text].map((letter, index) => `<${hex(index + 1).slice(2)}> <${hex(letter.charCodeAt(0))}>`);
  const map = `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${letters.length} beginbfchar ${letters.join(' ')} endbfchar endcmap`;
  return [
    `<</Type/Font/Subtype/Type1/BaseFont/Any/FirstChar 1/LastChar ${letters.length}/Widths[${letters.map(() => 500).join(' ')}]/ToUnicode 6 0 R>>`,
    makeStream(map),
  ];
};
const placeText = (x: number, text: string, all: string) =>
  `BT /F1 12 Tf ${x} 700 Td <${[...text].map((letter) => (all.indexOf(letter) + 1).toString(16).padStart(2, '0')).join('')}> Tj ET\n`;

it.each([
  ['Hebrew', 'פתוח', 'ביום', 'שני'],
  ['Arabic', 'مفتوح', 'يوم', 'الاثنين'],
])('the words of a line in %s are in logical order, whatever order the file draws them in', async (_, ...words) => {
  const all = [...new Set([...words.join(''), ...'9:30AB '])].join('');
  const [first = '', second = '', third = ''] = words;
  // On the page, the first word is at the right. Letters are drawn from left to right, as fonts place them.
  const visual = (word: string) => [...word].reverse().join('');
  const drawn: [number, string][] = [
    [400, `${visual(first)}`],
    [350, `${visual(second)}`],
    [300, `${visual(third)}`],
    [240, '9:30'],
    [270, 'AB'],
  ];
  for (const order of [drawn, drawn.toSorted(([a], [b]) => a - b)]) {
    const pdf = pdfOfPage({
      contents: order.map(([x, text]) => placeText(x, text, all)).join(''),
      resources: '/Font<</F1 5 0 R>>',
      objects: makeFont(all),
    });
    const text = await read(pdf);
    expect('content' in text && text.content.split(/\s+/)).toEqual([first, second, third, '9:30', 'AB']);
  }
});

it('a comment about streams behind a picture does not end the text', async () => {
  const picture = makeStream(
    'x',
    '/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray',
  );
  const pdf = pdfOfPage({
    contents: '',
    resources: '/Font<</F1 5 0 R>>',
    entries: '/Contents 7 0 R',
    objects: [helvetica, `${picture}\nendobj\n% The stream of the page:`, makeStream(at(60, 780, 'Price list'))],
  });
  expect(await read(pdf)).toMatchObject({ content: 'Price list' });
});

it('the letters of a PDF that are no known characters are left out, and counted', async () => {
  const contents = `${at(60, 780, 'Price list')}BT /F2 12 Tf 60 700 Td <000100020003> Tj ET`;
  const descendant =
    '<</Type/Font/Subtype/CIDFontType2/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>';
  const pdf = pdfOfPage({
    contents,
    resources: '/Font<</F1 5 0 R/F2 6 0 R>>',
    objects: [
      helvetica,
      `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[${descendant}]>>`,
    ],
  });
  expect(await read(pdf)).toEqual({
    content: 'Price list',
    contentMD: 'Price list',
    warnings: [{ code: 'unmapped_letters', message: 'The document has letters that are not known characters: 3.' }],
  });
});

/** A composite font that tells no characters. Its descendant has these entries. */
const compositeFont = (entries: string, encoding = 'Identity-H') => {
  const descendant = `<</Type/Font/Subtype/CIDFontType2/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>${entries}>>`;
  return `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/${encoding}/DescendantFonts[${descendant}]>>`;
};
/** A simple font whose glyphs have these names from the code of a letter on. */
const namedFont = (names: string, from = 'A', entries = '') =>
  `<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Any/Encoding<</Differences[${from.charCodeAt(0)} ${names}]>>${entries}>>`;

it('a letter that a font maps to no character is left out, and counted', async () => {
  const pdf = pdfOfPage({
    contents: placeText(60, 'A\0B', 'AB\0'),
    resources: '/Font<</F1 5 0 R>>',
    objects: makeFont('AB\0'),
  });
  expect(await read(pdf)).toMatchObject({
    content: 'AB',
    warnings: [{ code: 'unmapped_letters', message: 'The document has letters that are not known characters: 1.' }],
  });
});

it.each([
  ['codes that are the numbers of glyphs', compositeFont('/BaseFont/Any'), '<002400250026>', '$%&', 3],
  ['numbers for the names of its glyphs', namedFont('/g0024 /g0025'), '(AB)', '$%', 2],
  ['names of glyphs that are numbers with a word', namedFont('/cid:7 /index8 /C'), '(ABC)', 'ABC', 2],
])('the letters of a font with %s have a warning', async (_, font, shown, content, count) => {
  const pdf = pdfOfPage({
    contents: `BT /F1 12 Tf 60 700 Td ${shown} Tj ET`,
    resources: '/Font<</F1 5 0 R>>',
    objects: [font],
  });
  const message = `The document has letters with numbers in place of characters: ${count}. They can be read as other letters.`;
  expect(await read(pdf)).toMatchObject({ content, warnings: [{ code: 'unmapped_letters', message }] });
});

it.each([
  ['the codes of its letters', namedFont('/c65 /g42'), '(AB)', 'AB'],
  ['the numbers of characters', namedFont('/uni0052 /u0053'), '(AB)', 'RS'],
  ['numbers, and a table of characters', namedFont('/g3 /g4', '\x01', '/ToUnicode 6 0 R'), '<0102>', 'XY'],
])('a font whose glyphs are named by %s has no warning', async (_, font, shown, content) => {
  const pdf = pdfOfPage({
    contents: `BT /F1 12 Tf 60 700 Td ${shown} Tj ET`,
    resources: '/Font<</F1 5 0 R>>',
    objects: [font, ...makeFont('XY').slice(1)],
  });
  expect(await read(pdf)).toEqual({ content, contentMD: content });
});

/** The numbers of the glyphs of a text in the usual order of Windows. */
const toGlyphs = (text: string) => [...text].map((letter) => otherGlyphs[letter] ?? letter.charCodeAt(0) - 29);
const otherGlyphs: Record<string, number> = { é: 112, '‘': 181, '’': 182, '€': 188 };
const drawnFont = `<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[0.001 0 0 0.001 0 0]/CharProcs<<>>/Encoding<</Differences[]>>/FirstChar 3/LastChar 255/Widths[${'500 '.repeat(253)}]>>`;

it.each([
  ['one byte', drawnFont, 2, 'Opening hours: 9-17, café on Monday', 27],
  ['one byte, and capitals alone', drawnFont, 2, 'LINE UP, DOOR 42', 12],
  ['two bytes', compositeFont('/BaseFont/Any'), 4, 'Monday’s ‘menu’: 12 €', 13],
])('numbers of glyphs of %s are read as letters, and have a warning', async (_, font, digits, text, count) => {
  const shown = toGlyphs(text).map((glyph) => glyph.toString(16).padStart(digits, '0'));
  const pdf = pdfOfPage({
    contents: `BT /F1 12 Tf 60 700 Td <${shown.join('')}> Tj ET`,
    resources: '/Font<</F1 5 0 R>>',
    objects: [font],
  });
  const message = `The document has letters with numbers in place of characters: ${count}. They can be read as other letters.`;
  const warnings = [{ code: 'unmapped_letters', message }];
  expect(await read(pdf)).toEqual({ content: text, contentMD: text, warnings });
});

it('letters that a font maps to characters stay, although its space has the number of a glyph', async () => {
  const text = 'NR\x0312,20\x03ON\x032';
  const pdf = pdfOfPage({
    contents: placeText(60, text, text),
    resources: '/Font<</F1 5 0 R>>',
    objects: makeFont(text),
  });
  expect(await read(pdf)).toMatchObject({
    content: 'NR12,20ON2',
    warnings: [{ code: 'unmapped_letters', message: 'The document has letters that are not known characters: 3.' }],
  });
});

it('a font that cannot be read has a warning', async () => {
  const pdf = pdfOfPage({
    contents: `${at(60, 780, 'Price list')}BT /F2 12 Tf 60 700 Td <0024> Tj ET`,
    resources: '/Font<</F1 5 0 R/F2 6 0 R>>',
    objects: [helvetica, compositeFont('', 'V')],
  });
  expect(await read(pdf)).toMatchObject({
    content: 'Price list',
    warnings: [
      { code: 'unmapped_letters', message: 'The document has fonts that cannot be read. Their letters are left out.' },
    ],
  });
});

it.each<[string, { contents: string; stream?: (data: Buffer) => Buffer }]>([
  ['a form that the page does not have', { contents: `${at(60, 780, 'Price list')}/Missing Do` }],
  ['content whose compressed data end early', { contents: '', stream: (data) => data.subarray(0, -20) }],
])('a page with %s has a warning', async (_, { contents, stream }) => {
  const lines = Array.from({ length: 40 }, (_, index) =>
    at(60, 780 - index * 15, `Price list ${index} ${index * 7919}`),
  );
  const cut = stream?.(deflateSync(lines.join(''))).toString('latin1') ?? '';
  const pdf = pdfOfPage({
    contents,
    resources: '/Font<</F1 5 0 R>>',
    entries: stream ? '/Contents 6 0 R' : '',
    objects: [helvetica, makeStream(cut, '/Filter/FlateDecode')],
  });
  expect(await read(pdf)).toMatchObject({
    content: expect.stringContaining('Price list'),
    warnings: [{ code: 'cut', message: 'The page has parts that cannot be read. Text in them can be missing.' }],
  });
});

it('the letters of a page beside its crop box are not in the text, and have a warning', async () => {
  const contents = at(60, 780, 'Price list') + at(60, 20, 'Sheet 4');
  const page = { contents, resources: '/Font<</F1 5 0 R>>', objects: [helvetica] };
  const message = 'The document has letters in parts of pages that are not shown: 6. They are left out.';
  expect(await read(pdfOfPage({ ...page, entries: '/CropBox[0 100 595 842]' }))).toMatchObject({
    content: 'Price list',
    warnings: [{ code: 'ignored_elements', message }],
  });
  expect(await read(pdfOfPage({ ...page, entries: '/CropBox [0 0 595.0 842]' }))).not.toHaveProperty('warnings');
});

const xfaForm = (...fields: string[]) =>
  `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.0/"><subform name="form" layout="tb"><pageSet><pageArea><contentArea w="500pt" h="700pt"/><medium short="595pt" long="842pt"/></pageArea></pageSet>${fields.join('')}</subform></template><xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form><price>49.00 EUR</price></form></xfa:data></xfa:datasets></xdp:xdp>`;
const xfaField = (name: string, label: string, ui: string, value = '') =>
  `<field name="${name}" w="300pt" h="20pt"><caption><value><text>${label}</text></value></caption><ui>${ui}</ui>${value}</field>`;
const xfaPdf = (xfa: string) =>
  pdfOfPage({
    contents: at(60, 780, 'Please wait ...'),
    resources: '/Font<</F1 5 0 R>>',
    catalog: '/NeedsRendering true/AcroForm<</Fields[]/DR<</Font<</F1 5 0 R>>>>/XFA 6 0 R>>',
    objects: [helvetica, makeStream(xfa)],
  });

it('the texts and the values of a form that is only in XFA are read', async () => {
  const form = xfaForm(
    '<draw w="300pt" h="20pt"><value><text>Salon Ada</text></value></draw>',
    xfaField('price', 'Price of a haircut:', '<textEdit/>'),
    xfaField('note', 'Note:', '<textEdit multiLine="1"/>', '<value><text>Closed on Monday</text></value>'),
    xfaField(
      'cards',
      'Cards:',
      '<checkButton/>',
      '<value><text>1</text></value><items><text>1</text><text>0</text></items>',
    ),
  );
  expect(await read(xfaPdf(form))).toMatchObject({
    content: 'Salon Ada\n\nPrice of a haircut: 49.00 EUR\n\nNote: Closed on Monday\n\nCards: ☑',
  });
});

it('a form in XFA that cannot be read has a warning', async () => {
  expect(await read(xfaPdf('<template xmlns="http://www.xfa.org/schema/xfa-template/3.0/"/>'))).toMatchObject({
    content: 'Please wait ...',
    warnings: [{ code: 'ignored_elements', message: 'The document has elements that are not read: XFA forms (1).' }],
  });
});

it('a form of which XFA is a part has no warning', async () => {
  const xfa = '/XFA[(template)6 0 R]';
  const both = form(at(60, 780, 'Total:'), [field('Tx', 120, 780, '/V(49.00)')], xfa);
  expect(await read(both)).toEqual({ content: 'Total: 49.00', contentMD: 'Total: 49.00' });
});
