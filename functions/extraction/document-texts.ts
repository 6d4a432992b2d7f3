import type { DocumentType } from '../domain/documents.ts';
import { joined, type LongText } from './long-text.ts';
import { runInWorker, WorkerAbortedError } from './sandboxed-worker.ts';

/** The text of a document, and the same as Markdown; or, in a sentence, why there is none. */
export type DocumentText = { content: string; contentMD: string } | { failure: string };

/** Reads a document that a stranger made, whose bytes are handed over for good, in a thread that is ended when it takes too much of anything. */
export const readDocument = async (bytes: Uint8Array, type: DocumentType): Promise<DocumentText> => {
  try {
    // Bytes that have a buffer to themselves go over without being copied.
    const transfer = bytes.length === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];
    const parts = await reading.run({ bytes, type }, transfer);
    // What a long text took in the thread is given back before it is put together, which takes as much again.
    if (parts.content.length > fewParts) await reading.close();
    const content = joined(parts.content);
    if (content.trim() === '') return { failure: withoutText[type] };
    return { content, contentMD: parts.contentMD ? joined(parts.contentMD) : content };
  } catch (error) {
    const { name, reason } = error as Error & { reason?: string };
    return { failure: failures[error instanceof WorkerAbortedError ? `given up: ${reason}` : name] ?? failures.broken };
  }
};

/** The library is loaded in the thread alone, and only the one that is needed. */
const reading = runInWorker(
  'read a document',
  import.meta.url,
  async ({ bytes, type }: { bytes: Uint8Array; type: DocumentType }): Promise<Parts> => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (type === 'pdf') return partsOf(await (await import('./pdf.ts')).readPdf(buffer));
    if (type === 'docx') return partsOf(await (await import('./docx.ts')).readDocx(buffer));
    return { content: [Buffer.from((await import('./plain-text.ts')).decodeText(buffer))] };
  },
  { seconds: 60, heapMegabytes: 96, bufferMegabytes: 96 },
);

/** Of a quarter of a megabyte each. */
const fewParts = 8;

/** Plain text is its own Markdown. */
type Parts = { content: Uint8Array[]; contentMD?: Uint8Array[] };

const partsOf = ({ content, contentMD }: { content: LongText; contentMD: LongText }): Parts => ({
  content: content.parts,
  contentMD: contentMD.parts,
});

const tooMuch = 'The document is too large or too complicated to be read.';
const failures: Record<string, string> & { broken: string } = {
  broken: 'The file is damaged: it cannot be read as what it begins like.',
  'given up: time': tooMuch,
  'given up: memory': tooMuch,
  DecompressionLimitError: 'The file unpacks to far more than it should, and was not read.',
  PasswordProtectedError: 'The document is protected with a password. Upload it without one.',
  PasswordException: 'The document is protected with a password. Upload it without one.',
};
const withoutText: Record<DocumentType, string> = {
  pdf: 'The document has no text: it may be a scan, whose pages are pictures.',
  docx: 'The document has no text.',
  txt: 'The file has no text.',
  md: 'The file has no text.',
};
