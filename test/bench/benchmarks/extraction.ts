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
/** What a character of a long document takes of one of the ordinary document before it, at most. */
const mostOfOrdinary = 1.2;
const mostMegabytes = 256;
/** The text of a long document is there twice, plain and as Markdown: as the worker's bytes, and as strings. */
const bytesOfCharacter = 4;

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

type Document = {
  what: string;
  /** A long document is held against the ordinary one before it, by the time of a character. */
  kind: 'ordinary' | 'long' | 'hostile';
  make: () => Uint8Array | Promise<Uint8Array>;
};

const documents: Document[] = [
  { what: 'PDF, 300 full pages', kind: 'ordinary', make: () => densePdf(1_000_000) },
  { what: 'PDF, 10 MB of full pages', kind: 'long', make: () => densePdf(tenMegabytes) },
  { what: 'PDF whose page unpacks to 1 GB', kind: 'hostile', make: () => rawPdf(deflated(shown('A'), 1024 ** 3)) },
  {
    what: 'PDF deflated twice',
    kind: 'hostile',
    make: () => rawPdf(deflated(' ', 1024 ** 3, 2), '/Filter[/FlateDecode/FlateDecode]'),
  },
  {
    what: 'PDF of 640 MB in run lengths',
    kind: 'hostile',
    make: () => rawPdf(runLengths(), '/Filter/RunLengthDecode'),
  },
  {
    what: 'PDF of a million beginnings of objects',
    kind: 'hostile',
    make: () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(tenMegabytes - 9, '1 0 obj\n')]),
  },
  {
    what: 'Word, 200 full pages',
    kind: 'ordinary',
    make: () => docxOf(...(prose(600_000).match(/.{1,600}(?: |$)/g) ?? [])),
  },
  {
    what: 'Word, 10 MB of text',
    kind: 'long',
    make: () => docxOf(...(prose(24_000_000).match(/.{1,600}(?: |$)/g) ?? [])),
  },
  { what: 'Word of 1 GB of spaces', kind: 'hostile', make: () => rawDocx(Buffer.alloc(1024 ** 3 / 2, ' ')) },
  {
    what: 'Word of 60,000 entries',
    kind: 'hostile',
    make: () =>
      zipOf([
        { name: '[Content_Types].xml', data: 'wordprocessingml.document.main+xml' },
        ...Array.from({ length: 60_000 }, (_, index) => ({ name: `word/${index}`, data: '' })),
      ]),
  },
  {
    what: 'Text, 10 MB of ASCII',
    kind: 'hostile',
    make: () => Buffer.from(prose(tenMegabytes).slice(0, tenMegabytes)),
  },
  { what: 'Text, 10 MB of an old encoding', kind: 'hostile', make: cyrillic },
];

type Extraction = {
  milliseconds: number;
  processorMilliseconds: number;
  megabytes: number;
  failure?: string;
  characters?: number;
};

const extract = async (bytes: Uint8Array): Promise<Extraction> => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-bench-'));
  try {
    const file = join(folder, 'document');
    writeFileSync(file, bytes);
    const script = join(import.meta.dirname, '..', 'extract.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script, file]);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const ofMillionCharacters = ({ processorMilliseconds, characters = 0 }: Extraction) =>
  processorMilliseconds / (characters / 1e6);

type Taken = Document & Extraction;

const timeOf = (document: Taken, ordinary: Taken): Figure => {
  const { what, kind, milliseconds, processorMilliseconds, characters, failure } = document;
  const outcome = failure ?? `${characters?.toLocaleString('en')} characters`;
  const note = `${Math.round(milliseconds).toLocaleString('en')} ms on the clock; ${outcome}`;
  if (kind !== 'long') {
    const reached = processorMilliseconds <= mostMilliseconds;
    const target = { text: `≤ ${mostMilliseconds.toLocaleString('en')} ms`, reached };
    return { what, ours: { value: processorMilliseconds, unit: 'ms' }, target, note };
  }
  const [value, expected] = [ofMillionCharacters(document), ofMillionCharacters(ordinary)];
  const ratio = value / expected;
  return {
    what: `${what}: a million characters`,
    ours: { value, unit: 'ms' },
    against: { what: ordinary.what, quantity: { value: expected, unit: 'ms' }, ratio },
    target: { text: `≤ ${mostOfOrdinary}×`, reached: ratio <= mostOfOrdinary },
    note,
  };
};

const memoryOf = ({ what, kind, megabytes, characters = 0 }: Taken): Figure => {
  const most = mostMegabytes + (kind === 'long' ? Math.round((bytesOfCharacter * characters) / 1024 ** 2) : 0);
  return {
    what: `${what}: resident at most`,
    ours: { value: megabytes, unit: 'MB' },
    target: { text: `≤ ${most} MB`, reached: megabytes <= most },
  };
};

/** The time of a processor and the memory that documents take, each in a process of its own, as on Lambda. */
export const extraction: Row = {
  name: 'extraction',
  title: 'Extracting the text of ordinary documents, and of the worst there are',

  async measure(_world, say) {
    const figures: Figure[] = [];
    let ordinary: Taken | undefined;
    for (const document of documents) {
      say(document.what);
      const taken = { ...document, ...(await extract(await document.make())) };
      if (!ordinary || document.kind === 'ordinary') ordinary = taken;
      figures.push(timeOf(taken, ordinary), memoryOf(taken));
    }
    return figures;
  },
};
