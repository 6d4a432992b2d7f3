import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import { Document, Packer, Paragraph, TextRun } from 'docx';
import { PDFDocument, StandardFonts } from 'pdf-lib';

/** Documents that word processors and writers of PDF made. */
export const sample = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'samples', name));

/** A PDF of one page for each text. */
export const pdfOf = async (...pages: string[]): Promise<Buffer> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (const text of pages) pdf.addPage().drawText(text, { x: 50, y: 700, size: 11, lineHeight: 14, font });
  return Buffer.from(await pdf.save());
};

/** A PDF whose only page is a picture. */
export const scanPdf = async (): Promise<Buffer> => {
  const pdf = await PDFDocument.create();
  const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  pdf.addPage().drawImage(await pdf.embedPng(Buffer.from(dot, 'base64')), { x: 0, y: 0, width: 500, height: 700 });
  return Buffer.from(await pdf.save());
};

/** A PDF of one page whose content is this stream, as it is. */
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

/** What shows a text on a page. */
export const shown = (text: string) => `BT /F1 11 Tf 50 700 Td (${text}) Tj ET\n`;

/** Data that inflates to so many bytes of this text over and over, deflated as often as is said. */
export const deflated = (text: string, bytes: number, times = 1): Buffer => {
  let data = Buffer.alloc(bytes, text);
  for (let time = 0; time < times; time++) data = deflateSync(data, { level: 9 });
  return data;
};

export const docxOf = async (...paragraphs: string[]): Promise<Buffer> =>
  Buffer.from(
    await Packer.toBuffer(
      new Document({
        sections: [{ children: paragraphs.map((text) => new Paragraph({ children: [new TextRun(text)] })) }],
      }),
    ),
  );

const contentTypes =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const relationships =
  '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>';

/** A Word document of the least there can be, with this XML between the tags of its body. */
export const rawDocx = (body: string | Buffer, more: ZipEntry[] = []): Buffer =>
  zipOf([
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
export const zipOf = (entries: ZipEntry[]): Buffer => {
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
