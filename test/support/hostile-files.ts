import { deflated, rawDocx, rawPdf, shown } from './documents.ts';
import { worstTexts } from './worst-cases.ts';

/** A file that is expensive to read completely. */
export type HostileFile = { name: string; bytes(length: number): Buffer };

const repeated = (text: string) => (length: number) => text.repeat(Math.max(1, Math.floor(length / text.length)));
const nested = (open: string, close: string) => (length: number) => {
  const depth = Math.floor(length / (open.length + close.length));
  return open.repeat(depth) + close.repeat(depth);
};

/** Texts that are expensive to parse as Markdown. */
const markdown: Record<string, (length: number) => string> = {
  ...worstTexts,
  'a heading of blanks': (length) => `# x${' '.repeat(length - 4)}x\n`,
  'a heading of signs': (length) => `# ${'# '.repeat(length / 2 - 2)}x\n`,
  headings: repeated('# x\n'),
  'open links': repeated('[a]('),
  'open images': repeated('![['),
  emphasis: repeated('_a *b '),
  'a row of a table': (length) => `${'|a'.repeat(length / 2 - 4)}|\n|-|\n`,
  'rows of a table': repeated('|a|b|\n|-|-|\n'),
  quotes: repeated('> '),
  lists: (length) => Array.from({ length: Math.sqrt(length / 2) }, (_, n) => `${' '.repeat(n)}- a\n`).join(''),
  fences: repeated('```\na\n'),
  'line breaks': repeated('\r\n'),
  'blank lines': repeated(' \t\n'),
};

const html: Record<string, (length: number) => string> = {
  ...Object.fromEntries(
    Object.entries(markdown).map(([name, text]) => [name, (length) => `<pre>${text(length)}</pre>`]),
  ),
  'nested blocks': nested('<div>', '</div>'),
  'nested formatting': nested('<b><i>', '</i></b>'),
  'formatting that is not closed': repeated('<b><p>'),
  'nested tables': nested('<table><tr><td>', '</td></tr></table>'),
  'a row of a table of cells': (length) => `<table><tr>${'<td>a'.repeat(length / 5)}</table>`,
  attributes: (length) => `<a ${Array.from({ length: length / 12 }, (_, n) => `a${n}="x"`).join(' ')}>x</a>`,
  'links of a page': (length) => Array.from({ length: length / 24 }, (_, n) => `<a href="/${n}">x</a>`).join(''),
  'a tag without an end': (length) => `<a ${'x '.repeat(length / 2)}`,
  'comments without an end': repeated('<!--'),
  entities: repeated('&lt;&#'),
};

const docx: Record<string, (length: number) => string> = {
  'paragraphs of a document': repeated('<w:p><w:r><w:t>a</w:t></w:r></w:p>'),
  'runs of a paragraph': (length) => `<w:p>${repeated('<w:r><w:t>a</w:t></w:r>')(length)}</w:p>`,
  'tables in tables': nested('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>'),
  'cells of a row': (length) => `<w:tbl><w:tr>${repeated('<w:tc><w:p/></w:tc>')(length)}</w:tr></w:tbl>`,
  'nested elements': nested('<w:sdt><w:sdtContent>', '</w:sdtContent></w:sdt>'),
  'attributes of an element': (length) =>
    `<w:p ${Array.from({ length: length / 12 }, (_, n) => `a${n}="x"`).join(' ')}/>`,
  'entities of XML': (length) => `<w:p><w:r><w:t>${'&amp;'.repeat(length / 5)}</w:t></w:r></w:p>`,
  'elements without an end': repeated('<w:p>'),
};

const pdf: Record<string, (length: number) => Buffer> = {
  'a page of texts': (length) => rawPdf(deflated(shown('a'), length)),
  'a page of one text': (length) => rawPdf(deflated(shown('a '.repeat(length / 2)), length)),
  'nested states': (length) => rawPdf(deflated('q ', length)),
  'nested arrays of a page': (length) => rawPdf(deflated('[', length)),
  'nested dictionaries of a page': (length) => rawPdf(deflated('<<', length)),
  'objects without an end': (length) => Buffer.concat([Buffer.from('%PDF-1.5\n'), Buffer.alloc(length, '1 0 obj\n')]),
  'dictionaries without an end': (length) => Buffer.concat([Buffer.from('%PDF-1.5\n'), Buffer.alloc(length, '<<')]),
  'numbers without an end': (length) => Buffer.concat([Buffer.from('%PDF-1.5\n1 0 obj\n'), Buffer.alloc(length, '1')]),
  'a file that unpacks to a hundred times its size': (length) => rawPdf(deflated(' ', 20 * length)),
};

const makeRows = (text: (length: number) => string) => (length: number) =>
  `number,reason\n+14155550100,${text(length)}\n`;
const imports: Record<string, (length: number) => string> = {
  ...worstTexts,
  ...Object.fromEntries(Object.entries(worstTexts).map(([name, text]) => [`a record of ${name}`, makeRows(text)])),
  'a header of columns': (length) => `number${repeated(',a')(length)}\n`,
  'a header of quotes': (length) => `number,${repeated('"')(length)}\n`,
  'blanks before the first line': (length) => `${repeated(' ')(length)}\n+14155550100\n`,
  'line breaks before the first line': (length) => `${repeated('\r\n')(length)}+14155550100\n`,
  quotes: makeRows(repeated('"')),
  'a quote that is not closed': makeRows((length) => `"${'a\n'.repeat(length / 2)}`),
  'separators in a row': makeRows(repeated(',')),
  'rows without numbers': (length) => `number\n${repeated('x\n')(length)}`,
  'carriage returns': repeated('\r'),
  'rows of digits': repeated(`${'1'.repeat(1000)}\n`),
};

const makeFiles = (
  texts: Record<string, (length: number) => string>,
  toBytes: (text: string) => Buffer = Buffer.from,
) => Object.entries(texts).map(([name, text]): HostileFile => ({ name, bytes: (length) => toBytes(text(length)) }));

/** Hostile files of each kind. */
export const hostileFiles = {
  md: makeFiles(markdown),
  txt: makeFiles(worstTexts),
  html: makeFiles(html),
  docx: makeFiles(docx, (text) => rawDocx(text)),
  pdf: Object.entries(pdf).map(([name, bytes]): HostileFile => ({ name, bytes })),
  import: makeFiles(imports),
};
