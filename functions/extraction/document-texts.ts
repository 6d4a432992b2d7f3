import type { DocumentType } from '../domain/documents.ts';
import type { SourceWarning } from '../domain/sources.ts';
import { joinParts, type LongDocument } from './long-text.ts';
import { maxCpuSeconds } from './reading-budget.ts';
import { runInWorker, WorkerAbortedError } from './sandboxed-worker.ts';

/** The text of a document, the same as Markdown, and what is missing in both; or the reason in a sentence why there is none. */
export type DocumentText = { content: string; contentMD: string; warnings?: SourceWarning[] } | { failure: string };

/** Reads an untrusted document in a sandboxed worker. Its bytes are transferred and cannot be used afterwards. */
export const readDocument = async (
  bytes: Uint8Array,
  type: DocumentType,
  reader: Pick<typeof documentReader, 'run' | 'close'> = documentReader,
): Promise<DocumentText> => {
  try {
    // Bytes that do not share their buffer are transferred instead of copied.
    const transfer = bytes.length === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];
    const parts = await reader.run({ bytes, type }, transfer);
    // Decoding a long text takes as much memory again, so the worker's is released first.
    if (parts.content.length > maxPartsInMemory) await reader.close();
    const content = joinParts(parts.content);
    const { warnings = [] } = parts;
    if (content.trim() === '') {
      return { failure: [withoutText[type], ...warnings.map(({ message }) => message)].join(' ') };
    }
    const contentMD = parts.contentMD ? joinParts(parts.contentMD) : content;
    return { content, contentMD, ...(warnings.length > 0 && { warnings }) };
  } catch (error) {
    return { failure: describeFailure(error as Error) };
  }
};

const describeFailure = (error: Error): string => {
  if (error instanceof WorkerAbortedError) return abortions[error.reason];
  return failures[error.name] ?? failures[error.message] ?? failures.broken;
};

type Reader = (bytes: Buffer) => Parts | Promise<Parts>;

const loadTextReader = async (isMarkdown: boolean): Promise<Reader> => {
  const { readText } = await import('./plain-text.ts');
  return (bytes) => {
    const { content, contentMD, warnings } = readText(bytes, isMarkdown);
    const isSame = contentMD === content;
    return { content: [Buffer.from(content)], contentMD: isSame ? undefined : [Buffer.from(contentMD)], warnings };
  };
};

/** The libraries, each of which is loaded only in the worker and on demand. */
const loaders: Record<DocumentType, () => Promise<Reader>> = {
  pdf: async () => {
    const readPdf = await (await import('./pdf.ts')).loadPdfReader();
    return async (bytes) => takeParts(await readPdf(bytes));
  },
  docx: async () => {
    const { readDocx } = await import('./docx.ts');
    return async (bytes) => takeParts(await readDocx(bytes));
  },
  txt: () => loadTextReader(false),
  md: () => loadTextReader(true),
};

const timeoutSeconds = 60;

const documentReader = runInWorker(
  'readDocument',
  import.meta.url,
  async ({ bytes, type }: { bytes: Uint8Array; type: DocumentType }, begin): Promise<Parts> => {
    const read = await loaders[type]();
    begin();
    return await read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  },
  {
    timeoutSeconds,
    cpuSeconds: ({ bytes }) => maxCpuSeconds(bytes.length),
    heapMegabytes: 288,
    bufferMegabytes: 96,
    threads: 4,
  },
);

/** Parts are a quarter of a megabyte each. */
const maxPartsInMemory = 8;

/** Without `contentMD`, the text is its own Markdown. */
type Parts = { content: Uint8Array[]; contentMD?: Uint8Array[]; warnings?: SourceWarning[] };

const takeParts = ({ content, contentMD, warnings }: LongDocument): Parts => ({
  content: content.parts,
  contentMD: contentMD.parts,
  warnings,
});

const tooMuch = 'The document is too large or too complicated to be read.';
const tooSlow = `The document was not read within ${timeoutSeconds} seconds. Try it again, or split it.`;
const failures: Record<string, string> & { broken: string } = {
  broken: 'The file is damaged: it cannot be read as what it begins like.',
  // What V8 says when a text outgrows a string, and elements nest too deep.
  'Invalid string length': tooMuch,
  'Maximum call stack size exceeded': tooMuch,
  DecompressionLimitError: 'The file unpacks to far more than it should, and was not read.',
  PasswordProtectedError: 'The document is protected with a password. Upload it without one.',
  PasswordException: 'The document is protected with a password. Upload it without one.',
};
const abortions = { time: tooSlow, 'CPU time': tooMuch, memory: tooMuch, crash: failures.broken };
const withoutText: Record<DocumentType, string> = {
  pdf: 'The document has no text.',
  docx: 'The document has no text.',
  txt: 'The file has no text.',
  md: 'The file has no text.',
};
