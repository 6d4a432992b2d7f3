import { setImmediate as nextLoop } from 'node:timers/promises';
import { comparableColumn, type ImportColumns } from '../domain/block-list-imports.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { limits } from '../domain/limits.ts';
import { normalizePhoneNumber } from '../domain/phone-numbers.ts';
import { cut } from '../domain/text.ts';
import { decodeSheet, isUnreadable, NotTextError, showUnreadable } from '../sheets/decode-sheet.ts';
import { readSheet, SheetError } from '../sheets/read-sheet.ts';
import { detectSeparator } from '../sheets/separator.ts';

/** A row of a file, as written. `line` counts from 1. `hasMore`: the row has a cell without a heading. */
export type FileRow = {
  line: number;
  number: string;
  reason?: string;
  expiresAt?: string;
  hasMore?: boolean;
};

/** Thrown when a file cannot be imported. The message is a sentence for the person who uploaded it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Maximum length of a line in UTF-16 units, and of a CSV record in bytes. */
const maxRowLength = limits.importLineBytes;

/** Yields the rows of a text or CSV file without empty lines. Throws an `ImportError` for other files. */
export async function* readRows(pieces: AsyncIterable<Uint8Array>, columns?: ImportColumns): AsyncGenerator<FileRow> {
  const texts = decode(pieces);
  const { firstLine, whole } = await peek(texts);
  if (firstLine.startsWith('%PDF-')) throw notText();
  const found = detectSeparator(firstLine);
  if (columns) return yield* csvRows(whole, found, [], (cells) => headingsOfColumns(cells, columns));
  const headings = found.isNamed ? undefined : readHeadings(firstLine.split(found.separator));
  if (found.isNamed || headings) yield* csvRows(whole, found, headings ?? ['number'], readHeadings);
  else yield* textRows(whole);
}

async function* decode(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  try {
    for await (const text of decodeSheet(pieces)) {
      yield text;
      // Parsing thousands of short rows takes long. Other work continues before the next piece.
      await nextLoop();
    }
  } catch (error) {
    throw error instanceof NotTextError ? notText() : error;
  }
}

const notText = () =>
  new ImportError('The file is not text in UTF-8 or UTF-16. Save it as CSV in UTF-8, and import it again.');

/** Reads the first line that is not empty, as far as it is within the first 64 KB. `whole` is the text including it. */
const peek = async (texts: AsyncGenerator<string>) => {
  const read: string[] = [];
  let start = '';
  let length = 0;
  for (let piece = await texts.next(); !piece.done; piece = await texts.next()) {
    read.push(piece.value);
    length += piece.value.length;
    start = (start + piece.value).trimStart();
    if (/[\r\n]/.test(start) || length > maxRowLength) break;
  }
  async function* whole() {
    yield* read;
    yield* texts;
  }
  return { firstLine: start.split(/[\r\n]/, 1)[0] ?? '', whole: whole() };
};

const columnNames = ['number', 'reason', 'expiresat'];

/** Returns the headings in the cells of the first row; undefined when the file has no header. */
const readHeadings = (cells: string[]): string[] | undefined => {
  const headings = cells.map((cell) => comparableColumn(cell).replace(/^"(.*)"$/, '$1'));
  if (headings.includes('number')) {
    // A misspelled column must not block a number forever.
    const unknown = headings.find((heading) => heading !== '' && !columnNames.includes(heading));
    if (unknown !== undefined) {
      throw new ImportError(
        `The file has a column "${cut(showUnreadable(unknown), 50)}". Its columns can be number, reason and expiresAt: rename or remove the others.`,
      );
    }
    const repeated = headings.find((heading, index) => heading !== '' && headings.indexOf(heading) !== index);
    if (repeated !== undefined) {
      throw new ImportError(`The file has several columns "${repeated}". Put each number in a row of its own.`);
    }
    return headings;
  }
  if (headings.filter((heading) => heading !== '').length > 1 && normalizePhoneNumber(cells.join(' ')) === undefined) {
    throw new ImportError('The first line of the file has several columns, and none is named "number".');
  }
  return undefined;
};

/** Returns the headings in the cells of the first row, with the names that an import expects for the given columns. */
const headingsOfColumns = (cells: string[], columns: ImportColumns): string[] => {
  const names = new Map(
    Object.entries(columns).map(([name, column]) => [comparableColumn(column), name.toLowerCase()]),
  );
  const headings = cells.map((cell) => names.get(comparableColumn(cell)) ?? (cell.trim() && 'ignored'));
  for (const [name, column] of Object.entries(columns)) {
    const { length } = headings.filter((heading) => heading === name.toLowerCase());
    if (length === 1) continue;
    const found = cells.map((cell) => JSON.stringify(cut(showUnreadable(cell.trim()), 50))).slice(0, 20);
    const advice = cells.some(isUnreadable)
      ? ' That row is not in UTF-8: save the file in UTF-8, and import it again.'
      : '';
    throw new ImportError(
      `The file has ${length === 0 ? 'no column' : 'several columns'} "${cut(column, 50)}". Its first row has: ${found.join(', ')}.${advice}`,
    );
  }
  return headings;
};

async function* textRows(texts: AsyncGenerator<string>): AsyncGenerator<FileRow> {
  let line = 0;
  let rest = '';
  for await (const text of texts) {
    // A carriage return at the end may be half of a line break.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() as string;
    if (rest.length > maxRowLength) throw tooLong(line + lines.length + 1);
    for (const number of lines) {
      line += 1;
      if (number.length > maxRowLength) throw tooLong(line);
      if (number.trim() !== '') yield { line, number };
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, number: rest.replace(/\r$/, '') };
}

/** Throws at a line that only has separators, because the parser counts only the bytes of cells. */
async function* withBoundedLines(texts: AsyncGenerator<string>): AsyncGenerator<string> {
  let length = 0;
  for await (const text of texts) {
    const lineEnd = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
    length = lineEnd === -1 ? length + text.length : text.length - lineEnd - 1;
    // The parser reports the line with a long cell earlier.
    if (length > 2 * maxRowLength)
      throw new ImportError(`A line of the file is longer than ${formatLimit('importLineBytes')}.`);
    yield text;
  }
}

/** Yields the rows below the header, or all rows when there is none: `fallback` are the headings until then. */
async function* csvRows(
  texts: AsyncGenerator<string>,
  found: ReturnType<typeof detectSeparator>,
  fallback: string[],
  readHeader: (cells: string[]) => string[] | undefined,
): AsyncGenerator<FileRow> {
  let columns = fallback;
  let isFirst = true;
  try {
    for await (const { line, cells } of readSheet(withBoundedLines(texts), { ...found, maxRowBytes: maxRowLength })) {
      const header = isFirst ? readHeader(cells) : undefined;
      isFirst = false;
      if (header) columns = header;
      else yield toFileRow(line, cells, columns);
    }
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    if (error.code === 'CSV_MAX_RECORD_SIZE') throw tooLong(error.line);
    throw new ImportError(`The file is not valid CSV at line ${error.line}: ${error.message}.`);
  }
}

const toFileRow = (line: number, cells: string[], columns: string[]): FileRow => {
  const [number = '', reason, expiresAt] = columnNames.map((name) => cells[columns.indexOf(name)]);
  const hasMore = cells.some((cell, index) => cell !== '' && !columns[index]);
  return { line, number, reason, expiresAt, ...(hasMore && { hasMore }) };
};

const tooLong = (line: number) =>
  new ImportError(`Line ${line} of the file is longer than ${formatLimit('importLineBytes')}.`);
