import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { csvRows } from './csv-rows.ts';
import { jsonRows } from './json-rows.ts';
import type { CheckOutcome, FileRow, Format, ReadOptions, Row } from './row.ts';
import { decodeFile } from './text-of-file.ts';

export const fileFormat = (file: string): Format => {
  if (/\.csv$/i.test(file)) return 'csv';
  if (/\.(jsonl|ndjson)$/i.test(file)) return 'jsonl';
  throw new CommandError(`${file} must be a .csv or .jsonl file.`, exitCodes.usage);
};

/** Yields the rows of a file in order, read on demand. `onBytes` receives every byte of the file. */
export async function* readFileRows(
  file: string,
  options: ReadOptions,
  onBytes: (bytes: Buffer) => void = () => {},
): AsyncGenerator<Row> {
  const text = decodeFile(file, onBytes);
  const rows = fileFormat(file) === 'csv' ? csvRows(file, text, options) : jsonRows(file, text, options);
  for await (const row of rows) {
    if (options.onlyFailed && row.input.status === 'updated') continue;
    yield options.checkOutcome ? await withCheckedOutcome(row, options.checkOutcome) : row;
  }
}

const withCheckedOutcome = async (row: Row, checkOutcome: CheckOutcome): Promise<Row> => {
  const label = row.item?.custom_call_outcome;
  const message = typeof label === 'string' ? await checkOutcome(row.place.agentId as string, label) : undefined;
  if (message === undefined) return row;
  const { item: _, ...others } = row;
  return { ...others, errors: [{ column: 'custom_call_outcome', message }] };
};

/** Describes the errors of a row, each with its place in the notation of compilers: `calls.csv:7:3`. */
export const describeErrors = (file: string, { line, errors = [] }: FileRow<unknown>): string[] =>
  errors.map(({ column, number, message }) => {
    const place = number === undefined ? `${file}:${line}` : `${file}:${line}:${number}`;
    return column === undefined ? `${place}: ${message}` : `${place}: ${column}: ${message}`;
  });
