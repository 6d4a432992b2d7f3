import { describe, expect, it } from 'vitest';
import { readRows } from '../../functions/block-list-import/read-rows.ts';
import { limits } from '../../functions/domain/limits.ts';
import { pagesText, proseText } from '../../functions/domain/sources.ts';
import { detectKind } from '../../functions/extraction/document-kind.ts';
import { readDocument } from '../../functions/extraction/document-texts.ts';
import { detectFormat } from '../../functions/extraction/file-formats.ts';
import { pageReader } from '../../functions/extraction/page.ts';
import { buildIndex } from '../../functions/search/source-index.ts';
import { type HostileFile, hostileFiles } from '../support/hostile-files.ts';
import { longestTurn } from '../support/longest-turn.ts';

/**
 * A worker that reads a file ends after 60 seconds, and so does one that indexes its text. Until then nobody else waits: a turn
 * of the process that has the workers takes less than a second.
 */
const bounds = { seconds: 130, turnMilliseconds: 1000 };

/** Reads a document as the job does, and indexes its text. */
const readAndIndex = async (bytes: Buffer, name: string) => {
  const kind = await detectKind(bytes, name, detectFormat);
  if (!('type' in kind)) return;
  const text = await readDocument(bytes, kind.type);
  if ('failure' in text) return;
  const { content, contentMD } = { content: proseText(text.content), contentMD: proseText(text.contentMD) };
  await buildIndex('document', content.whole, contentMD.whole, 'en').catch(expected);
};

/** Reads a page as a crawl does, and indexes its text. */
const readPage = async (bytes: Buffer) => {
  const received = { bytes, contentType: 'text/html; charset=utf-8', url: 'https://example.com/' };
  const page = await pageReader.run(received).catch(expected);
  if (!page || 'failure' in page) return;
  const pages = pagesText([{ url: 'https://example.com/', title: page.title, text: page.text }]);
  await buildIndex('website', pages.whole, page.markdown, 'en').catch(expected);
};

/** Reads the rows of an import in pieces as small as those of the job. */
const readImport = async (bytes: Buffer) => {
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += 16 * 1024) yield bytes.subarray(at, at + 16 * 1024);
  };
  try {
    for await (const _ of readRows(pieces()));
  } catch (error) {
    expected(error);
  }
};

/** The errors that may end the reading of a file: its deadline, memory or depth, or a sentence for its owner. */
const expected = (error: Error | unknown): undefined => {
  const { name } = error as Error;
  if (!['WorkerAbortedError', 'IndexingError', 'RangeError', 'ImportError'].includes(name)) throw error;
};

const readers: Record<keyof typeof hostileFiles, (bytes: Buffer) => Promise<void>> = {
  md: (bytes) => readAndIndex(bytes, 'a.md'),
  txt: (bytes) => readAndIndex(bytes, 'a.txt'),
  docx: (bytes) => readAndIndex(bytes, 'a.docx'),
  pdf: (bytes) => readAndIndex(bytes, 'a.pdf'),
  html: readPage,
  import: readImport,
};

/** Runs work, and returns its seconds and the longest turn of this thread's event loop in milliseconds of CPU. */
const measured = async (work: () => Promise<void>) => {
  const started = performance.now();
  const running = work();
  const turnMilliseconds = await longestTurn(running);
  await running;
  return { seconds: (performance.now() - started) / 1000, turnMilliseconds };
};

/** Reads a file, and returns what was slow. */
const measureSlowdown = async (kind: keyof typeof hostileFiles, { name, bytes }: HostileFile, length: number) => {
  const file = bytes(length);
  const { seconds, turnMilliseconds } = await measured(() => readers[kind](file));
  if (seconds <= bounds.seconds && turnMilliseconds <= bounds.turnMilliseconds) return [];
  return [`${name}: ${seconds} s, a turn of ${turnMilliseconds} ms`];
};

describe.each(Object.keys(hostileFiles) as (keyof typeof hostileFiles)[])('hostile files: %s', (kind) => {
  const files = hostileFiles[kind];

  it(`a hostile file (${kind}) does not delay other work`, async () => {
    for (const file of files.slice(0, 2)) expect(await measureSlowdown(kind, file, 100_000)).toEqual([]);
  });

  it.each(files.map((file) => [file.name, file] as const))(
    `a hostile file of 10 MB (${kind}: %s) is done within its deadline, and delays nobody else`,
    { tags: 'heavy' },
    async (_, file) => {
      expect(await measureSlowdown(kind, file, kind === 'html' ? limits.pageBytes : limits.fileBytes)).toEqual([]);
    },
  );
});
