import { readFile } from 'node:fs/promises';
import type { PDFDocumentProxy } from 'pdfjs-dist';

/** Opens a PDF, reads it and closes it again, which frees its memory. */
export const withPdf = async <Result>(
  data: Uint8Array,
  read: (pdf: PDFDocumentProxy) => Promise<Result>,
): Promise<Result> => {
  const { getDocument, PDFWorker, WorkerMessageHandler } = await loadPdfjs();
  // Timers run between the messages of a channel. Without one, the library's parser never lets them run.
  const { port1, port2 } = new MessageChannel();
  WorkerMessageHandler.initializeFromPort(port2);
  const worker = PDFWorker.create({ port: port1 as unknown as Worker, verbosity: 0 });
  const task = getDocument({
    worker,
    data,
    verbosity: 0,
    useSystemFonts: false,
    useWorkerFetch: false,
    BinaryDataFactory: PackageData,
  });
  try {
    return await read(await task.promise);
  } finally {
    await task.destroy();
    worker.destroy();
    port1.close();
  }
};

/** Returns the numbers of the operators that show pictures and paths. */
export const drawingOperators = async () => {
  const { OPS } = await loadPdfjs();
  return {
    pictures: [OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject],
    paths: [OPS.constructPath],
  };
};

/** The library's folders with the encodings of East Asian fonts and with the fonts that a PDF need not contain. */
const folders: Record<string, string> = { cMapUrl: 'cmaps', standardFontDataUrl: 'standard_fonts' };

/** Reads a data file of the library when a document needs it. */
class PackageData {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const path = import.meta.resolve(`pdfjs-dist/${folders[kind]}/${filename}`);
    return new Uint8Array(await readFile(new URL(path)));
  }
}

const loadPdfjs = async () => {
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
