import { type FileHandle, open } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { encodeUtf8 } from '../../functions/sheets/decode-sheet.ts';
import { resolvePath } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import type { SentRow } from '../command-line/sending/send-rows.ts';
import type { Outcome } from '../command-line/sending/sender.ts';
import type { Dialect } from './dialect.ts';
import type { FileRow, Format, RowError } from './row.ts';

/** The result of one row. `invalid` rows are not sent. */
export type Result = { row: FileRow<unknown>; outcome: Outcome<string> | { status: 'invalid'; message: string } };

/** The form of a results file. `fields` are those that results add to a row. */
export type ResultForm = { format: Format; dialect: Dialect; fields: readonly string[] };

/** Returns the default results file: `calls.csv.results.csv`, and `calls.csv.results-2.csv` for the results of that one. */
export const resultsFile = (file: string, format: Format) => {
  const [, stem, number] = /^(.*)\.results(?:-(\d+))?\.\w+$/.exec(file) ?? [];
  return stem ? `${stem}.results-${Number(number ?? 1) + 1}.${format}` : `${file}.results.${format}`;
};

/**
 * The results file: each row of the input, in order, with the values of the input and the result. It has the format of the
 * input, so that the spreadsheet that made the input can open it.
 */
export class ResultFile {
  readonly #handle: FileHandle;
  readonly #form: ResultForm;
  #bytes: number;

  private constructor(handle: FileHandle, form: ResultForm, bytes: number) {
    this.#handle = handle;
    this.#form = form;
    this.#bytes = bytes;
  }

  /** Opens the file to continue after its first `bytes`. Anything after them is removed. */
  static async open(path: string, form: ResultForm, bytes: number): Promise<ResultFile> {
    const handle = await open(resolvePath(path), bytes > 0 ? 'r+' : 'w').catch((error: NodeJS.ErrnoException) => {
      throw new CommandError(`The results file ${path} cannot be written (${error.code}).`, exitCodes.usage);
    });
    await handle.truncate(bytes);
    return new ResultFile(handle, form, bytes);
  }

  get bytes() {
    return this.#bytes;
  }

  /** Appends results, and returns when they are on the disk. */
  async append(results: Result[]): Promise<void> {
    const { format, dialect, fields } = this.#form;
    const records = results.map((result) => toResultRecord(result, fields));
    const text =
      format === 'csv'
        ? toCsv(records, listColumns(results, fields), dialect, this.#bytes === 0)
        : records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const { bytesWritten } = await this.#handle.write(this.#encoded(text), 0, undefined, this.#bytes);
    this.#bytes += bytesWritten;
    await this.#handle.datasync();
  }

  #encoded(text: string): Buffer {
    const { encoding, hasMark } = this.#form.dialect;
    const mark = hasMark && this.#bytes === 0 ? '\ufeff' : '';
    if (encoding === 'utf-8') return encodeUtf8(mark + text);
    const bytes = Buffer.from(mark + text, 'utf16le');
    return encoding === 'utf-16be' ? bytes.swap16() : bytes;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Returns the columns: the place of the row, its input and its result. */
const listColumns = ([first]: Result[], fields: readonly string[]) => {
  const place = ['line', 'status', ...Object.keys(first?.row.place ?? {})];
  const input = Object.keys(first?.row.input ?? {});
  const rest = fields.filter((field) => !place.includes(field) && field !== 'input');
  return [...place, ...input.filter((name) => !place.includes(name) && !fields.includes(name)), ...rest];
};

const toResultRecord = ({ row, outcome }: Result, fields: readonly string[]): Record<string, unknown> => {
  const { line, place, input } = row;
  const { status, ...result } = outcome;
  const earlier = fields.filter((field) => field !== 'input');
  const values = Object.fromEntries(Object.entries(input).filter(([name]) => !earlier.includes(name)));
  return { line, status, ...values, ...place, ...result };
};

const toCsv = (records: object[], columns: string[], { delimiter, lineBreak }: Dialect, header: boolean) =>
  stringify(records, {
    header,
    columns,
    delimiter,
    record_delimiter: lineBreak,
    cast: { object: (value) => (value as unknown as string[]).join(' ') },
  });

/** Returns the result of a row. An invalid one is not sent. */
export const toResult = ({ row, outcome }: SentRow<FileRow<unknown>, Outcome<string>>): Result => ({
  row,
  outcome: outcome ?? { status: 'invalid', message: (row.errors ?? []).map(describe).join('; ') },
});

const describe = ({ column, message }: RowError) => (column === undefined ? message : `${column}: ${message}`);
