import { Readable } from 'node:stream';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { normalizePhoneNumber } from '../domain/phone-numbers.ts';
import { cut } from '../domain/text.ts';

/** A row of a file, as written. `line` counts from 1. */
export type FileRow = { line: number; number: string; reason?: string | undefined; expiresAt?: string | undefined };

/** Thrown when a file cannot be imported. The message is a sentence for the person who uploaded it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Maximum length of a line in UTF-16 units, and of a CSV record in bytes. */
const maxRowLength = 64 * 1024;

/**
 * Yields the rows of a text file with one number a line, or of a CSV file whose header names `number`. Skips empty lines.
 * Throws an `ImportError` when the file is not UTF-8 text, or its rows cannot be separated.
 */
export async function* readRows(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<FileRow> {
  const texts = decode(pieces);
  const { firstLine, whole } = await peek(texts);
  const columns = columnsOf(firstLine);
  if (columns) yield* csvRows(whole, columns);
  else yield* textRows(whole);
}

async function* decode(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (bytes?: Uint8Array) => {
    try {
      // UTF-16 without a byte-order mark is full of zeros, which are valid UTF-8.
      const text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
      if (!text.includes('\0')) return text;
    } catch {
      // The error below describes both.
    }
    throw new ImportError('The file is not text in UTF-8. Save it in that encoding, and import it again.');
  };
  for await (const piece of pieces) {
    yield decoded(piece);
    // Parsing thousands of short rows takes long. Other work continues before the next piece.
    await nextLoop();
  }
  yield decoded();
}

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

type Columns = { delimiter: string; number: number; reason: number; expiresAt: number };

const columnNames = ['number', 'reason', 'expiresat'];

/** Returns the columns that the first line names; undefined when the file has no header. */
const columnsOf = (firstLine: string): Columns | undefined => {
  const delimiter = [',', ';', '\t'].find((one) => firstLine.includes(one)) ?? ',';
  const names = firstLine.split(delimiter).map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
  const [number, reason, expiresAt] = columnNames.map((name) => names.indexOf(name));
  if (number !== -1) {
    // A misspelled column must not block a number forever.
    const unknown = names.find((name) => name !== '' && !columnNames.includes(name));
    if (unknown !== undefined) {
      throw new ImportError(
        `The file has a column "${cut(unknown, 50)}". Its columns can be number, reason and expiresAt: rename or remove the others.`,
      );
    }
    return { delimiter, number, reason, expiresAt } as Columns;
  }
  if (names.length > 1 && normalizePhoneNumber(firstLine) === undefined) {
    throw new ImportError('The first line of the file has several columns, and none is named "number".');
  }
  return undefined;
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
    if (length > 2 * maxRowLength) throw new ImportError('A line of the file is longer than 64 KB.');
    yield text;
  }
}

type Parsed = { record: string[]; info: { lines: number } };

async function* csvRows(texts: AsyncGenerator<string>, columns: Columns): AsyncGenerator<FileRow> {
  const parser = parse({
    delimiter: columns.delimiter,
    info: true,
    max_record_size: maxRowLength,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  const source = Readable.from(withBoundedLines(texts), { objectMode: true });
  source.on('error', (error) => parser.destroy(error)).pipe(parser);
  // The parser counts a line break of two characters within quotes as two lines.
  let countedTwice = 0;
  let isHeader = true;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const text = record.join('\0');
      const line = info.lines - countedTwice - (text.match(/[\r\n]/g)?.length ?? 0);
      countedTwice += text.match(/\r\n/g)?.length ?? 0;
      if (isHeader) isHeader = false;
      else {
        const { number, reason, expiresAt } = columns;
        yield { line, number: record[number] ?? '', reason: record[reason], expiresAt: record[expiresAt] };
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const at = Number(error.lines) - countedTwice;
    if (error.code === 'CSV_MAX_RECORD_SIZE') throw tooLong(at);
    throw new ImportError(`The file is not valid CSV at line ${at}: ${describe(error)}.`);
  } finally {
    source.destroy();
  }
}

const describe = ({ code }: CsvError) =>
  code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is not closed' : 'there is text after a closing quote';

const tooLong = (line: number) => new ImportError(`Line ${line} of the file is longer than 64 KB.`);
