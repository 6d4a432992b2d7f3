import { type FileHandle, open } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { InputFileError } from './input-file-error.ts';
import type { Format, Row, RowError } from './row.ts';
import type { Outcome } from './send.ts';

/** What became of one row. `invalid` ones were not sent. */
export type Result = { row: Row; outcome: Outcome | { status: 'invalid'; message: string } };

const columns = [
  'line',
  'status',
  'agentId',
  'callIdOrPhone',
  'call_id',
  'phone',
  'updated_fields',
  'error',
  'message',
];

/** The result file: a line for each row of the input, in its order and its format. */
export class ResultFile {
  readonly #handle: FileHandle;
  readonly #format: Format;
  #bytes: number;

  private constructor(handle: FileHandle, format: Format, bytes: number) {
    this.#handle = handle;
    this.#format = format;
    this.#bytes = bytes;
  }

  /** Opens the file to go on after its first `bytes`; what an interrupted run wrote beyond them is gone. */
  static async open(path: string, format: Format, bytes: number): Promise<ResultFile> {
    const handle = await open(path, bytes > 0 ? 'r+' : 'w').catch((error: NodeJS.ErrnoException) => {
      throw new InputFileError(`The result file ${path} cannot be written (${error.code}).`);
    });
    await handle.truncate(bytes);
    const file = new ResultFile(handle, format, bytes);
    if (bytes === 0 && format === 'csv') await file.#append(stringify([columns]));
    return file;
  }

  get bytes() {
    return this.#bytes;
  }

  /** Adds lines, and returns when they are on the disk. */
  async append(results: Result[]): Promise<void> {
    const records = results.map(recordOf);
    await this.#append(this.#format === 'csv' ? csvOf(records) : records.map(jsonLineOf).join(''));
    await this.#handle.datasync();
  }

  async #append(text: string) {
    const { bytesWritten } = await this.#handle.write(text, this.#bytes);
    this.#bytes += bytesWritten;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

const recordOf = ({ row, outcome }: Result) => {
  const { line, agentId, callIdOrPhone } = row;
  const { status, ...told } = outcome;
  return {
    line,
    status,
    agentId,
    callIdOrPhone,
    ...told,
  };
};

const csvOf = (records: object[]) =>
  stringify(records, { columns, cast: { object: (value) => (value as unknown as string[]).join(' ') } });

const jsonLineOf = (record: object) => `${JSON.stringify(record)}\n`;

/** The result of a row that is not sent. */
export const invalid = (row: Row): Result => ({
  row,
  outcome: { status: 'invalid', message: (row.mistakes ?? []).map(said).join('; ') },
});

const said = ({ column, message }: RowError) => (column === undefined ? message : `${column}: ${message}`);
