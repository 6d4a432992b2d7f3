import { readFile } from 'node:fs/promises';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { ReadingBudget } from './reading-budget.ts';

/** What the library could not read up to now: fonts, and parts of pages. It leaves out their text and only reports it. */
export type Unreadable = { fonts: number; parts: number };

/** The library's reports of what it leaves out. */
const reports: Record<keyof Unreadable, RegExp> = {
  fonts: /^Warning: loadFont - /,
  parts:
    /^Warning: (getTextContent - ignoring (errors|XObject(?!.* circular))|getContentStream - ignoring|ensureStateFont|XFA - an error)|^Info: .* in flate stream$/,
};

/** Opens a PDF, or the form in XFA that is in it, reads it and closes it again, which frees its memory. */
export const withPdf = async <Result>(
  data: Uint8Array,
  { isForm, budget }: { isForm: boolean; budget: ReadingBudget },
  read: (pdf: PDFDocumentProxy, unreadable: Unreadable) => Promise<Result>,
): Promise<Result> => {
  const { getDocument, PDFWorker, VerbosityLevel, WorkerMessageHandler } = await loadPdfjs();
  // Timers run between the messages of a channel. Without one, the library's parser never lets them run.
  const { port1, port2 } = new MessageChannel();
  WorkerMessageHandler.initializeFromPort(port2);
  const worker = PDFWorker.create({ port: port1 as unknown as Worker, verbosity: VerbosityLevel.INFOS });
  const task = getDocument({
    worker,
    data,
    verbosity: VerbosityLevel.INFOS,
    fontExtraProperties: true,
    enableXfa: isForm,
    useSystemFonts: false,
    useWorkerFetch: false,
    BinaryDataFactory: PackageData,
  });
  const unreadable: Unreadable = { fonts: 0, parts: 0 };
  const { now } = Date;
  // Between the operators of a page that draws without text, the library asks the time and nothing else: it sends nothing that could
  // be canceled, and lets no message arrive. Without this, such a file ends with its thread, and its text is lost.
  Date.now = () => {
    if (budget.isOver()) throw new Error('The budget is spent.');
    return now();
  };
  console.info = console.warn = (message) => {
    if (reports.fonts.test(message)) unreadable.fonts++;
    if (reports.parts.test(message)) unreadable.parts++;
  };
  try {
    return await read(await task.promise, unreadable);
  } finally {
    await task.destroy();
    worker.destroy();
    port1.close();
    Date.now = now;
  }
};

/** Returns the numbers of the operators of a page. */
export const loadOperators = async () => (await loadPdfjs()).OPS;

/** The library's folders with the encodings of East Asian fonts and with the fonts that a PDF need not contain. */
const folders: Record<string, string> = { cMapUrl: 'cmaps', standardFontDataUrl: 'standard_fonts' };

/** Reads a data file of the library when a document needs it. */
class PackageData {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const path = import.meta.resolve(`pdfjs-dist/${folders[kind]}/${filename}`);
    return new Uint8Array(await readFile(new URL(path)));
  }
}

export const loadPdfjs = async () => {
  const { warn } = console;
  // The library warns that it has no canvas, which only drawing needs.
  console.warn = () => {};
  try {
    const [pdfjs, parser] = await Promise.all([
      import('pdfjs-dist/legacy/build/pdf.mjs'),
      // @ts-expect-error the library has no types for its parser, which would run in a worker of its own
      import('pdfjs-dist/legacy/build/pdf.worker.mjs'),
    ]);
    return { ...pdfjs, ...parser };
  } finally {
    console.warn = warn;
  }
};
