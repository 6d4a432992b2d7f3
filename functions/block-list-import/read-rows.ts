import { setImmediate as nextLoop } from 'node:timers/promises';
import { comparableColumn, type ImportColumns } from '../domain/block-list-imports.ts';
import { unprotectText } from '../domain/csv.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { limits } from '../domain/limits.ts';
import { normalizePhoneNumber } from '../domain/phone-numbers.ts';
import { cut } from '../domain/text.ts';
import { decodeSheet, isUnreadable, NotTextError, showUnreadable } from '../sheets/decode-sheet.ts';
import { readSheet, SheetError, type SheetRow } from '../sheets/read-sheet.ts';
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
  const { lines, whole } = await peek(texts);
  const [firstLine = ''] = lines;
  if (firstLine.startsWith('%PDF-')) throw notText();
  if (columns) return yield* rowsBelowHeadings(csvRows(whole, detectSeparator(...lines)), columns);
  const found = detectSeparator(firstLine);
  const headings = found.isNamed ? undefined : readHeadings(firstLine.split(found.separator));
  if (found.isNamed || headings) yield* rowsWithNames(csvRows(whole, found), headings ?? ['number']);
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

/** Reads the first lines, from one that is not empty on, as far as they are within the first 64 KB. `whole` is the text including them. */
const peek = async (texts: AsyncGenerator<string>) => {
  const read: string[] = [];
  let start = '';
  let length = 0;
  for (let piece = await texts.next(); !piece.done; piece = await texts.next()) {
    read.push(piece.value);
    length += piece.value.length;
    start = (start + piece.value).trimStart();
    if (length > maxRowLength) break;
  }
  async function* whole() {
    yield* read;
    yield* texts;
  }
  return { lines: start.split(/[\r\n]+/, limits.importHeadingLines), whole: whole() };
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

/** Returns the headings in the cells of a row, with the names that an import expects for the given columns. */
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
      `The file has ${length === 0 ? 'no column' : 'several columns'} "${cut(column, 50)}". Its headings seem to be: ${found.join(', ')}.${advice}`,
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

/** Yields the rows of a sheet. */
async function* csvRows(
  texts: AsyncGenerator<string>,
  found: ReturnType<typeof detectSeparator>,
): AsyncGenerator<SheetRow> {
  try {
    yield* readSheet(withBoundedLines(texts), { ...found, maxRowBytes: maxRowLength });
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    if (error.code === 'CSV_MAX_RECORD_SIZE') throw tooLong(error.line);
    throw new ImportError(`The file is not valid CSV at line ${error.line}: ${error.message}.`);
  }
}

/** Yields the rows below a header with the names that an import expects, or all rows when there is none: `fallback` are the headings then. */
async function* rowsWithNames(rows: AsyncGenerator<SheetRow>, fallback: string[]): AsyncGenerator<FileRow> {
  let headings: string[] | undefined;
  for await (const { line, cells } of rows) {
    const header = headings ? undefined : readHeadings(cells);
    headings ??= header ?? fallback;
    if (!header) yield toFileRow(line, cells, headings);
  }
}

/** Yields the rows below the headings, which are the first row with all of the named columns: a title may be above them. */
async function* rowsBelowHeadings(rows: AsyncGenerator<SheetRow>, columns: ImportColumns): AsyncGenerator<FileRow> {
  const wanted = Object.values(columns).map(comparableColumn);
  const above: string[][] = [];
  let headings: string[] | undefined;
  for await (const { line, cells } of rows) {
    if (headings) yield toFileRow(line, cells, headings);
    else {
      const names = new Set(cells.map(comparableColumn));
      if (wanted.every((name) => names.has(name))) headings = headingsOfColumns(cells, columns);
      else if (above.push(cells) === limits.importHeadingLines) break;
    }
  }
  // No row has them: the row with the most texts most likely has the headings.
  if (!headings && above[0]) headingsOfColumns(above.reduce(chooseFuller), columns);
}

const countTexts = (cells: string[]) => cells.filter((cell) => cell.trim() !== '').length;
const chooseFuller = (one: string[], other: string[]) => (countTexts(other) > countTexts(one) ? other : one);

const toFileRow = (line: number, cells: string[], columns: string[]): FileRow => {
  const [number = '', reason, expiresAt] = columnNames.map((name) => cells[columns.indexOf(name)]);
  const hasMore = cells.some((cell, index) => cell !== '' && !columns[index]);
  return { line, number, reason: reason && unprotectText(reason), expiresAt, ...(hasMore && { hasMore }) };
};

const tooLong = (line: number) =>
  new ImportError(`Line ${line} of the file is longer than ${formatLimit('importLineBytes')}.`);
