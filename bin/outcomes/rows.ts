import { csvRows } from './csv-rows.ts';
import { InputFileError } from './input-file-error.ts';
import { jsonRows } from './json-rows.ts';
import type { Format, ReadOptions, Row } from './row.ts';
import { textOf } from './text-of-file.ts';

export const formatOf = (file: string): Format => {
  if (/\.csv$/i.test(file)) return 'csv';
  if (/\.(jsonl|ndjson)$/i.test(file)) return 'jsonl';
  throw new InputFileError(`${file} must be a .csv or a .jsonl file.`);
};

/** The rows of a file in their order, read as they are taken. `onBytes` is shown every byte of the file. */
export const rowsOf = (
  file: string,
  options: ReadOptions,
  onBytes: (bytes: Buffer) => void = () => {},
): AsyncGenerator<Row> => {
  const text = textOf(file, onBytes);
  return formatOf(file) === 'csv' ? csvRows(file, text, options) : jsonRows(text, options);
};

/** A row’s mistakes, each with its place, as compilers write it: `calls.csv:7:3`. */
export const mistakesOf = (file: string, { line, mistakes = [] }: Row): string[] =>
  mistakes.map(({ column, number, message }) => {
    const place = number === undefined ? `${file}:${line}` : `${file}:${line}:${number}`;
    return column === undefined ? `${place}: ${message}` : `${place}: ${column}: ${message}`;
  });
