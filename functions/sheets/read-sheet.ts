import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { detectSeparator } from './separator.ts';

/** A row of a sheet: the number of its first line, from 1, and its cells. */
export type SheetRow = { line: number; cells: string[] };

const strayText = 'text follows a closing quote; a quote within a quoted cell is written twice';
const causes: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE: strayText,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: strayText,
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  CSV_MAX_RECORD_SIZE: 'a row is too long, perhaps because a quote is never closed',
};

/** Thrown when the rows after a line cannot be separated. The message is the cause; `code` is that of the parser. */
export class SheetError extends Error {
  override readonly name = 'SheetError';
  readonly line: number;
  readonly code: CsvError['code'];

  constructor(line: number, { code, message }: CsvError) {
    super(causes[code] ?? message);
    this.line = line;
    this.code = code;
  }
}

type Parsed = { record: string[]; info: { lines: number } };

/**
 * Yields the rows of a text in CSV, the header included, whatever a spreadsheet does to it: rows without a text are left out, and a
 * cell that is a formula for a text, `="…"`, has that text.
 */
export async function* readSheet(
  texts: AsyncIterable<string>,
  { separator, isNamed, maxRowBytes }: ReturnType<typeof detectSeparator> & { maxRowBytes: number },
): AsyncGenerator<SheetRow> {
  const parser = parse({
    bom: true,
    delimiter: separator,
    info: true,
    max_record_size: maxRowBytes,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  const source = Readable.from(texts, { objectMode: true });
  source.on('error', (error) => parser.destroy(error)).pipe(parser);
  // The parser counts a line break of two characters within quotes as two lines.
  let countedTwice = 0;
  let isSeparator = isNamed;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const text = record.join('\0');
      const line = info.lines - countedTwice - (text.match(/[\r\n]/g)?.length ?? 0);
      countedTwice += text.match(/\r\n/g)?.length ?? 0;
      const cells = record.map(unwrapFormula);
      if (!isSeparator && cells.some((cell) => cell !== '')) yield { line, cells };
      isSeparator = false;
    }
  } catch (error) {
    throw error instanceof CsvError ? new SheetError(Number(error.lines) - countedTwice, error) : error;
  } finally {
    source.destroy();
  }
}

/** Returns the text of a cell that is a formula for it, as some programs write numbers that a spreadsheet would change. */
const unwrapFormula = (cell: string): string => /^="([\s\S]*)"$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;
