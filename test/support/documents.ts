import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** Returns a document that a word processor or a PDF writer made. */
export const sample = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'samples', name));

/** A PDF of one page for each text, with lines of 14 points. */
export const makePdf = async (...pages: string[]): Promise<Buffer> => {
  const fixed = 3;
  const bodies = pages.flatMap((text, page) => {
    const lines = text.replace(/[\\()]/g, '\\$&').split('\n');
    const stream = `BT /F1 11 Tf 14 TL 50 700 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
    const contents = fixed + 2 * page + 2;
    return [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents ${contents} 0 R>>`,
      `<</Length ${stream.length}>>\nstream\n${stream}\nendstream`,
    ];
  });
  const kids = pages.map((_, page) => `${fixed + 2 * page + 1} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...bodies,
  ];
  return pdfOfObjects(objects);
};

/** A PDF of these objects, numbered from 1. The first is the catalog. */
export const pdfOfObjects = (objects: string[]): Buffer => {
  let pdf = '%PDF-1.5\n';
  const offsets = objects.map((body, index) => {
    const offset = pdf.length;
    pdf += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${pdf}${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF`, 'latin1');
};

/** The stream of a PDF, with more entries of its dictionary. */
export const makeStream = (content: string, entries = '') =>
  `<<${entries}/Length ${content.length}>>\nstream\n${content}\nendstream`;

/** A PDF of one page, which is object 3, with these contents, resources and other entries. `objects` are numbered from 5. */
export const pdfOfPage = (page: {
  contents?: string;
  resources?: string;
  entries?: string;
  catalog?: string;
  objects?: string[];
}): Buffer => {
  const { contents = '', resources = '', entries = '', catalog = '', objects = [] } = page;
  return pdfOfObjects([
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<${resources}>>/Contents 4 0 R${entries}>>`,
    makeStream(contents),
    ...objects,
  ]);
};

/** A PDF whose only page is a picture. */
export const scanPdf = async (): Promise<Buffer> =>
  rawPdf(Buffer.from('q 500 0 0 700 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x\nEI Q'), '');

/** A PDF of one page whose content is exactly this stream. */
export const rawPdf = (stream: Buffer, dictionary = '/Filter/FlateDecode'): Buffer => {
  const head = Buffer.from(
    `%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n` +
      `3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>\nendobj\n` +
      `5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n` +
      `4 0 obj\n<<${dictionary}/Length ${stream.length}>>\nstream\n`,
  );
  const tail = Buffer.from('\nendstream\nendobj\ntrailer\n<</Size 6/Root 1 0 R>>\n%%EOF');
  return Buffer.concat([head, stream, tail]);
};

/** Returns the PDF operators that show a text on a page. */
export const shown = (text: string) => `BT /F1 11 Tf 50 700 Td (${text}) Tj ET\n`;

/** Data that inflates to this many bytes of a repeated text, deflated `times` times. */
export const deflated = (text: string, bytes: number, times = 1): Buffer => {
  let data = Buffer.alloc(bytes, text);
  for (let time = 0; time < times; time++) data = deflateSync(data, { level: 9 });
  return data;
};

/** A Word document of these paragraphs. */
export const makeDocx = async (...paragraphs: string[]): Promise<Buffer> =>
  rawDocx(paragraphs.map((text) => `<w:p><w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`).join(''));

const escapeXml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

const contentTypes =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const relationships =
  '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>';

/** A minimal Word document, with this XML between the tags of its body. */
export const rawDocx = (body: string | Buffer, more: ZipEntry[] = []): Buffer =>
  makeZip([
    { name: '[Content_Types].xml', data: contentTypes },
    { name: '_rels/.rels', data: relationships },
    {
      name: 'word/document.xml',
      data: Buffer.concat([
        Buffer.from(
          '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>',
        ),
        Buffer.from(body),
        Buffer.from('</w:body></w:document>'),
      ]),
    },
    ...more,
  ]);

export type ZipEntry = { name: string; data: string | Buffer; declares?: number };

/** A zip archive, deflated; an entry may declare another size than it has. */
export const makeZip = (entries: ZipEntry[]): Buffer => {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, data, declares } of entries) {
    const bytes = Buffer.from(data);
    const packed = deflateRawSync(bytes, { level: 9 });
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(crc32(bytes), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(declares ?? bytes.length, 18);
    header.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), header, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), header, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end]);
};

/** A PDF that is too large for a request with files. */
export const largePdf = async (text: string) => Buffer.concat([await makePdf(text), Buffer.alloc(5_000_000, '\n')]);
