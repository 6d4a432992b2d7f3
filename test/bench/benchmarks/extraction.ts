import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { deflated, docxOf, rawDocx, rawPdf, shown, zipOf } from '../../support/documents.ts';
import type { Figure, Row } from '../benchmark.ts';

const tenMegabytes = 10 * 1024 * 1024;
const mostMilliseconds = 3000;
const mostMegabytes = 256;

/** Words nobody has seen, so that they deflate as prose does; the same in every run. */
const prose = (characters: number): string => {
  let state = 1;
  const next = (most: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % most;
  };
  const words = Array.from({ length: 5000 }, () =>
    Array.from({ length: 2 + next(8) }, () => String.fromCharCode(97 + next(26))).join(''),
  );
  const parts: string[] = [];
  for (let length = 0; length < characters; length += 6.5) parts.push(words[next(words.length)] as string);
  return parts.join(' ');
};

const proseLines = (characters: number) => prose(characters).match(/.{1,90}(?: |$)/g) ?? [];

/** A PDF of as many full pages as fit in so many bytes. */
export const densePdf = (bytes: number): Buffer<ArrayBuffer> => {
  const lines = proseLines(400_000);
  const objects: Buffer[] = [];
  const kids: string[] = [];
  let size = 0;
  for (let page = 0; size < bytes - 20_000; page++) {
    const text = Array.from({ length: 60 }, (_, line) => `(${lines[(page * 37 + line * 11) % lines.length]}) Tj T*`);
    const content = deflateSync(`BT /F1 10 Tf 12 TL 50 780 Td ${text.join('\n')} ET`);
    const [stream, leaf] = [page * 2 + 10, page * 2 + 11];
    const object = Buffer.concat([
      Buffer.from(`${stream} 0 obj\n<</Filter/FlateDecode/Length ${content.length}>>\nstream\n`),
      content,
      Buffer.from(
        `\nendstream\nendobj\n${leaf} 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents ${stream} 0 R>>\nendobj\n`,
      ),
    ]);
    objects.push(object);
    kids.push(`${leaf} 0 R`);
    size += object.length + 10;
  }
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count ${kids.length}/Kids[${kids.join(' ')}]>>\nendobj\n5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n`,
    ),
    ...objects,
    Buffer.from(`trailer\n<</Size ${kids.length * 2 + 12}/Root 1 0 R>>\n%%EOF`),
  ]);
};

const runLengths = () => {
  const data = Buffer.alloc(tenMegabytes - 1000, 0x20);
  for (let at = 0; at < data.length; at += 2) data[at] = 129;
  return data;
};

const cyrillic = () =>
  Buffer.from(Buffer.from(prose(tenMegabytes).slice(0, tenMegabytes)).map((byte) => (byte === 32 ? 32 : byte + 0x80)));

const worst: [string, () => Uint8Array | Promise<Uint8Array>][] = [
  ['PDF, 300 full pages', () => densePdf(1_000_000)],
  ['PDF, 10 MB of full pages', () => densePdf(tenMegabytes)],
  ['PDF whose page unpacks to 1 GB', () => rawPdf(deflated(shown('A'), 1024 ** 3))],
  ['PDF deflated twice', () => rawPdf(deflated(' ', 1024 ** 3, 2), '/Filter[/FlateDecode/FlateDecode]')],
  ['PDF of 640 MB in run lengths', () => rawPdf(runLengths(), '/Filter/RunLengthDecode')],
  [
    'PDF of a million beginnings of objects',
    () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(tenMegabytes - 9, '1 0 obj\n')]),
  ],
  ['Word, 200 full pages', () => docxOf(...(prose(600_000).match(/.{1,600}(?: |$)/g) ?? []))],
  ['Word, 10 MB of text', () => docxOf(...(prose(24_000_000).match(/.{1,600}(?: |$)/g) ?? []))],
  ['Word of 1 GB of spaces', () => rawDocx(Buffer.alloc(1024 ** 3 / 2, ' '))],
  [
    'Word of 65,000 entries',
    () =>
      zipOf([
        { name: '[Content_Types].xml', data: 'wordprocessingml.document.main+xml' },
        ...Array.from({ length: 60_000 }, (_, index) => ({ name: `word/${index}`, data: '' })),
      ]),
  ],
  ['Text, 10 MB of ASCII', () => Buffer.from(prose(tenMegabytes).slice(0, tenMegabytes))],
  ['Text, 10 MB of an old encoding', cyrillic],
];

type Extraction = { milliseconds: number; processorMilliseconds: number; megabytes: number; outcome: string };

/** The time of a processor and the memory that the worst documents take, each in a process of its own, as on Lambda. */
export const extraction: Row = {
  name: 'extraction',
  title: 'Extracting the text of the worst documents there are',

  async measure(_world, say) {
    const folder = mkdtempSync(join(tmpdir(), 'voice-agents-bench-'));
    const figures: Figure[] = [];
    try {
      for (const [what, make] of worst) {
        say(what);
        const file = join(folder, 'document');
        writeFileSync(file, await make());
        const script = join(import.meta.dirname, '..', 'extract.ts');
        const { stdout } = await promisify(execFile)(process.execPath, [script, file]);
        const { milliseconds, processorMilliseconds, megabytes, outcome } = JSON.parse(stdout) as Extraction;
        figures.push(
          {
            what,
            ours: { value: processorMilliseconds, unit: 'ms' },
            note: `${Math.round(milliseconds).toLocaleString('en')} ms on the clock; ${outcome}`,
            target: {
              text: `≤ ${mostMilliseconds.toLocaleString('en')} ms`,
              reached: processorMilliseconds <= mostMilliseconds,
            },
          },
          {
            what: `${what}: resident at most`,
            ours: { value: megabytes, unit: 'MB' },
            target: { text: `≤ ${mostMegabytes} MB`, reached: megabytes <= mostMegabytes },
          },
        );
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    return figures;
  },
};
