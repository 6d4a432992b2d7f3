import type { Schema } from '../../functions/openapi/client.ts';
import { csvRows } from './csv-rows.ts';
import { InputFileError } from './input-file-error.ts';
import { jsonRows } from './json-rows.ts';
import { textOf } from './text-of-file.ts';

/** What is wrong with a row: in which column or field, and in CSV in which column by number. */
export type UsageError = { column?: string | undefined; number?: number | undefined; message: string };

/** One row of the input: what it asks for, or what is wrong with it. `line` is the one it begins on, counted from 1. */
export type Row = { line: number; agentId: string; callIdOrPhone: string } & (
  | { item: Schema<'CallOutcomeItem'>; mistakes?: undefined }
  | { mistakes: UsageError[]; item?: undefined }
);

export type Format = 'csv' | 'jsonl';

export type ReadOptions = {
  /** The agent of the rows that name none. */
  agentId?: string | undefined;
  /** Whether columns and fields that mean nothing are passed over, instead of being a mistake. */
  ignoreUnknown?: boolean | undefined;
};

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
